import { inferProtocol } from '../../../lib/registries/kubernetes/infer-protocol';

const tcp = { port: 8080, protocol: 'TCP' } as const;

test.each([
  { rule: 'UDP is UDP whatever it is called', port: { ...tcp, protocol: 'UDP', name: 'http' }, is: 'UDP' },
  { rule: 'the name', port: { ...tcp, name: 'http' }, is: 'HTTP' },
  { rule: 'the part before the first hyphen', port: { ...tcp, name: 'grpc-a-b' }, is: 'GRPC' },
  { rule: 'in any case', port: { ...tcp, name: 'HTTP2-Web' }, is: 'HTTP2' },
  { rule: 'grpc-web before grpc', port: { ...tcp, name: 'grpc-web' }, is: 'GRPC-Web' },
  { rule: 'grpc-web as a beginning, in any case', port: { ...tcp, name: 'Grpc-Website' }, is: 'GRPC-Web' },
  { rule: 'grpc without web', port: { ...tcp, name: 'grpc' }, is: 'GRPC' },
  { rule: 'not just any beginning', port: { ...tcp, name: 'httpx' }, is: 'Unsupported' },
  { rule: 'no name', port: { ...tcp, name: '' }, is: 'Unsupported' },
  { rule: 'mongo', port: { ...tcp, name: 'mongo-primary' }, is: 'Mongo' },
  { rule: 'appProtocol before the name', port: { ...tcp, name: 'http', appProtocol: 'redis' }, is: 'Redis' },
  { rule: 'appProtocol even when unknown', port: { ...tcp, name: 'http', appProtocol: 'soap' }, is: 'Unsupported' },
  { rule: 'appProtocol by its first part', port: { ...tcp, name: '', appProtocol: 'https-x' }, is: 'HTTPS' },
  { rule: 'h2c', port: { ...tcp, name: '', appProtocol: 'kubernetes.io/h2c' }, is: 'HTTP2' },
  { rule: 'ws', port: { ...tcp, name: '', appProtocol: 'kubernetes.io/ws' }, is: 'HTTP' },
  { rule: 'wss', port: { ...tcp, name: '', appProtocol: 'kubernetes.io/wss' }, is: 'HTTPS' },
  { rule: 'SMTP is not sniffed', port: { ...tcp, name: '', port: 25 }, is: 'TCP' },
  { rule: 'DNS is not sniffed', port: { ...tcp, name: 'dns', port: 53 }, is: 'TCP' },
  { rule: 'MySQL is not sniffed', port: { ...tcp, name: '', port: 3306 }, is: 'TCP' },
  { rule: 'MongoDB is not sniffed', port: { ...tcp, name: '', port: 27017 }, is: 'TCP' },
  { rule: 'a name counts on those ports too', port: { ...tcp, name: 'http', port: 25 }, is: 'HTTP' },
  { rule: 'SCTP is sniffed by name', port: { ...tcp, protocol: 'SCTP', name: 'tcp' }, is: 'TCP' },
] as const)('$rule', ({ port, is }) => {
  expect(inferProtocol(port)).toBe(is);
});
