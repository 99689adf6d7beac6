import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mcpProvider } from '../../lib/registries/mcp/mcp-provider';
import { startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { startIstiod } from './support/istiod/start-istiod';
import { sendRequest } from './support/processes/send-request';
import * as z from 'zod';

test('smoke', async () => {
  const api = await startKubeApiServer();
  const istiod = await startIstiod({ api, configuration: 'custom-resources' });
  const out: unknown[] = [];
  try {
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
    const post = async (kind: string, body: object) => { const r = await api.send('POST', `/apis/networking.istio.io/v1/namespaces/shop/${kind}`, body); if (r.status !== 201) throw new Error(r.body); };
    await post('serviceentries', { apiVersion: 'networking.istio.io/v1', kind: 'ServiceEntry', metadata: { name: 'payments', labels: { a: 'b' } }, spec: { hosts: ['payments.example.com'], ports: [{ number: 443, name: 'https', protocol: 'TLS' }], resolution: 'DNS' } });
    await post('serviceentries', { apiVersion: 'networking.istio.io/v1', kind: 'ServiceEntry', metadata: { name: 'vm' }, spec: { hosts: ['vm.example.com'], location: 'MESH_INTERNAL', ports: [{ number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 }], resolution: 'STATIC', workloadSelector: { labels: { app: 'vm' } } } });
    await post('workloadentries', { apiVersion: 'networking.istio.io/v1', kind: 'WorkloadEntry', metadata: { name: 'vm-1' }, spec: { address: '10.9.0.1', labels: { app: 'vm' }, serviceAccount: 'vm' } });
    const send = async (p: string, b: object) => { const r = await api.send('POST', p, b); if (r.status !== 201) throw new Error(r.body); };
    await send('/api/v1/namespaces/shop/services', { metadata: { name: 'cart' }, spec: { selector: { app: 'cart' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }, { name: 'dns', port: 53, protocol: 'UDP' }, { name: 'dns-tcp', port: 53 }] } });
    await send('/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices', { metadata: { name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' } }, addressType: 'IPv4', ports: [{ name: 'http', port: 8080 }, { name: 'dns', port: 5353, protocol: 'UDP' }, { name: 'dns-tcp', port: 5354 }], endpoints: [{ addresses: ['10.1.1.1'], conditions: { ready: true } }, { addresses: ['10.1.1.2'], conditions: { ready: false } }] });
    const dir = path.dirname(istiod.logFile);
    await writeFile(path.join(dir, 'ca.pem'), await istiod.rootCertificate());
    await writeFile(path.join(dir, 'token'), await istiod.token());
    const make = await mcpProvider.load();
    const registry = (extra: object, secure = true) => make({ cluster: 'test', mode: 'watch', domainSuffix: 'cluster.local', trustDomain: 'cluster.local', baseDir: dir }, z.strictObject(mcpProvider.settings).parse({ address: secure ? `xdss://${istiod.secureAddress}` : `xds://${istiod.plaintextAddress}`, ...(secure && !('address' in extra) ? sn : {}), ...extra }));
    const sn = { serverName: istiod.serverName }; const tls = { caFile: 'ca.pem', tokenFile: 'token' };
    const attempt = async (name: string, extra: object, secure = true) => {
      try { const r = registry(extra, secure); const c = new AbortController(); for await (const x of r.read(c.signal)) { out.push([name, x]); break; } }
      catch (e: any) { out.push([name, e.code, e.message, e.details]); }
    };
    await attempt('synthetic', { ...tls, synthetic: true });
    await attempt('plain', tls);
    await attempt('no token', { caFile: 'ca.pem' });
    await attempt('no ca', { tokenFile: 'token' });
    await writeFile(path.join(dir, 'other'), await api.serviceAccountToken({ namespace: 'shop', name: 'x', audiences: ['istio-ca'] }));
    await attempt('other namespace', { caFile: 'ca.pem', tokenFile: 'other' });
    await attempt('other namespace, said', { caFile: 'ca.pem', tokenFile: 'other', namespace: 'shop' });
    await writeFile(path.join(dir, 'aud'), await api.serviceAccountToken({ namespace: 'istio-system', name: 'x' }));
    await attempt('other audience', { caFile: 'ca.pem', tokenFile: 'aud' });
    await attempt('garbage token', { caFile: 'ca.pem', token: 'abc' });
    await attempt('plaintext', {}, false);
    await attempt('http port', { address: `xds://${istiod.url.slice(7)}` });
    await attempt('http port tls', { address: `xdss://${istiod.url.slice(7)}`, caFile: 'ca.pem', tokenFile: 'token' });
    for (const t of ['registryz', 'endpointShardz']) out.push([t, (await sendRequest({ url: `${istiod.url}/debug/${t}` })).body.slice(0, 6000)]);
  } finally {
    await writeFile('/tmp/exp/smoke.json', JSON.stringify(out, undefined, 1));
    await istiod.stop(); await api.stop();
  }
}, 300000);
