import { isHttp, parseProtocol, PROTOCOLS } from '../../lib/model/protocol';

test.each([
  ['HTTP', 'HTTP'],
  ['http2', 'HTTP2'],
  ['gRPC-web', 'GRPC-Web'],
  ['http_proxy', 'HTTP_PROXY'],
  ['MONGO', 'Mongo'],
  ['unsupported', undefined],
  ['quic', undefined],
  ['', undefined],
])('the protocol named %j is %s', (name, protocol) => {
  expect(parseProtocol(name)).toBe(protocol);
});

test('what is routed as HTTP', () => {
  expect(PROTOCOLS.filter(isHttp)).toEqual(['HTTP', 'HTTP2', 'GRPC', 'GRPC-Web', 'HTTP_PROXY']);
});
