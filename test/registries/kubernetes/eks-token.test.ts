import { createHash, createHmac } from 'node:crypto';
import { EKS_TOKEN_LIFE_MS, eksToken } from '../../../lib/registries/kubernetes/eks-token';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session/+=' };
const nowMs = Date.parse('2026-03-04T05:06:07.890Z');

function urlOf(token: string): URL {
  return new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString('utf8'));
}

/** Signature Version 4 for a presigned URL, from AWS's description ("Create a signed AWS API request"), not from the signer. */
function signatureOf(url: URL, cluster: string, secret: string, region: string): string {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const request = [
    'GET',
    '/',
    query,
    `host:${url.host}`,
    `x-k8s-aws-id:${cluster}`,
    '',
    'host;x-k8s-aws-id',
    sha256(''),
  ].join('\n');
  const date = url.searchParams.get('X-Amz-Date') ?? '';
  const scope = `${date.slice(0, 8)}/${region}/sts/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(request)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((previous, part) => hmac(previous, part), `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}

test('the documented format: a prefix and a presigned GetCallerIdentity in base64url without padding', async () => {
  const token = await eksToken({ cluster: 'prod', region: 'eu-west-1', credentials, nowMs });
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  const url = urlOf(token);
  expect(url.origin + url.pathname).toBe('https://sts.eu-west-1.amazonaws.com/');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIDEXAMPLE/20260304/eu-west-1/sts/aws4_request',
    'X-Amz-Date': '20260304T050607Z',
    'X-Amz-Expires': '60',
    'X-Amz-Security-Token': 'session/+=',
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
});

test('the signature is that of the request with the name of the cluster', async () => {
  const url = urlOf(await eksToken({ cluster: 'prod', region: 'eu-west-1', credentials, nowMs }));
  expect(url.searchParams.get('X-Amz-Signature')).toBe(signatureOf(url, 'prod', 'secret', 'eu-west-1'));
  expect(url.searchParams.get('X-Amz-Signature')).not.toBe(signatureOf(url, 'other', 'secret', 'eu-west-1'));
});

test('without a session token there is none', async () => {
  const { sessionToken: _, ...long } = credentials;
  const url = urlOf(await eksToken({ cluster: 'prod', region: 'us-east-1', credentials: long, nowMs }));
  expect(url.searchParams.has('X-Amz-Security-Token')).toBe(false);
  expect(url.host).toBe('sts.us-east-1.amazonaws.com');
});

test('China has a domain of its own', async () => {
  const url = urlOf(await eksToken({ cluster: 'prod', region: 'cn-north-1', credentials, nowMs }));
  expect(url.host).toBe('sts.cn-north-1.amazonaws.com.cn');
});

test('clusters take a token for a quarter of an hour', () => {
  expect(EKS_TOKEN_LIFE_MS).toBe(900_000);
});
