import { AppError } from '../../../lib/model/app-error';
import { AnswerError } from '../../../lib/registries/consul/answer-error';
import { checkAnswer, type Asked, type HttpAnswer } from '../../../lib/registries/consul/check-answer';

const ASKED: Asked = { url: '/v1/catalog/services', hasToken: true, maxStaleMs: 10_000, acceptFiltered: false };

const GOOD_HEADERS = {
  'content-type': 'application/json',
  'x-consul-index': '42',
  'x-consul-knownleader': 'true',
  'x-consul-lastcontact': '0',
};

function answer(change: Partial<HttpAnswer> = {}): HttpAnswer {
  return { status: 200, text: '{"web":[]}', ...change, headers: { ...GOOD_HEADERS, ...change.headers } };
}

function failureOf(change: Partial<HttpAnswer>, asked: Partial<Asked> = {}): AppError {
  try {
    checkAnswer(answer(change), { ...ASKED, ...asked });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the answer passed');
}

test('a good answer gives its JSON and index', () => {
  expect(checkAnswer(answer(), ASKED)).toEqual({ json: { web: [] }, index: 42, filtered: false });
});

test.each<[string, Partial<HttpAnswer>]>([
  ['a content type with parameters', { headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ['just as stale as allowed', { headers: { 'x-consul-lastcontact': '10000' } }],
  [
    'no word of leader and contact',
    { headers: { 'x-consul-knownleader': undefined, 'x-consul-lastcontact': undefined } },
  ],
  ['a default policy of allow', { headers: { 'x-consul-default-acl-policy': 'allow' } }],
  ['headers that came twice', { headers: { 'x-consul-index': ['42', '43'] } }],
])('good is also an answer with %s', (_rule, change) => {
  expect(checkAnswer(answer(change), { ...ASKED, hasToken: false }).index).toBe(42);
});

test('pitfall 4: an answer that ACLs cut short says so, unless that is accepted', () => {
  const cut = answer({ headers: { 'x-consul-results-filtered-by-acls': 'true' } });
  expect(checkAnswer(cut, ASKED).filtered).toBe(true);
  expect(checkAnswer(cut, { ...ASKED, acceptFiltered: true }).filtered).toBe(false);
});

type Failure = [string, Partial<HttpAnswer>, string, boolean, boolean, string];

// [condition, answer, code, only this answer is bad, transient, message]
test.each<Failure>([
  [
    'a redirect',
    { status: 302, headers: { location: 'https://login.example' } },
    'ConsulRedirectError',
    true,
    false,
    '/v1/catalog/services answered 302, a redirect to https://login.example; redirects are not followed. Is the address that of a proxy or login page?',
  ],
  [
    'a redirect without a place',
    { status: 399 },
    'ConsulRedirectError',
    true,
    false,
    '/v1/catalog/services answered 399, a redirect to nowhere; redirects are not followed. Is the address that of a proxy or login page?',
  ],
  [
    'a page of HTML',
    { text: '<html>', headers: { 'content-type': 'text/html' } },
    'ConsulContentTypeError',
    true,
    false,
    '/v1/catalog/services answered with content type text/html, not application/json. Is the address that of a proxy or login page?',
  ],
  [
    'no content type',
    { headers: { 'content-type': undefined } },
    'ConsulContentTypeError',
    true,
    false,
    '/v1/catalog/services answered with content type none, not application/json. Is the address that of a proxy or login page?',
  ],
  [
    'a content type that only begins like JSON',
    { headers: { 'content-type': 'application/jsonp' } },
    'ConsulContentTypeError',
    true,
    false,
    '/v1/catalog/services answered with content type application/jsonp, not application/json. Is the address that of a proxy or login page?',
  ],
  [
    'no index',
    { headers: { 'x-consul-index': undefined } },
    'ConsulIndexMissingError',
    true,
    false,
    "/v1/catalog/services answered with X-Consul-Index none, not a number from 1 on. Does something between change Consul's answers?",
  ],
  [
    'index 0',
    { headers: { 'x-consul-index': '0' } },
    'ConsulIndexMissingError',
    true,
    false,
    "/v1/catalog/services answered with X-Consul-Index 0, not a number from 1 on. Does something between change Consul's answers?",
  ],
  [
    'no known leader',
    { headers: { 'x-consul-knownleader': 'false' } },
    'ConsulNoLeaderError',
    false,
    true,
    '/v1/catalog/services was answered by a Consul server that knows no leader',
  ],
  [
    'a server that is behind',
    { headers: { 'x-consul-lastcontact': '10001' } },
    'ConsulStaleError',
    false,
    true,
    '/v1/catalog/services was answered by a Consul server that last heard of its leader 10001 ms ago; maxStale allows 10000 ms',
  ],
  [
    'no leader at all',
    { status: 500, text: 'No cluster leader' },
    'ConsulNoLeaderError',
    false,
    true,
    '/v1/catalog/services answered 500: "No cluster leader"',
  ],
  [
    'a leader that is changing',
    { status: 500, text: 'leadership lost while committing log' },
    'ConsulNoLeaderError',
    false,
    true,
    '/v1/catalog/services answered 500: "leadership lost while committing log"',
  ],
  [
    'an unknown datacenter',
    { status: 500, text: 'No path to datacenter\n' },
    'ConsulDatacenterUnknownError',
    false,
    true,
    '/v1/catalog/services answered 500: "No path to datacenter". Check the setting datacenter',
  ],
  [
    'a filter with a mistake',
    { status: 500, text: 'Failed to create boolean expression evaluator: 1:1' },
    'ConsulFilterInvalidError',
    false,
    false,
    '/v1/catalog/services answered 500: "Failed to create boolean expression evaluator: 1:1". Check the setting filter',
  ],
  [
    'a server error',
    { status: 503, text: `a\n  b ${'x'.repeat(300)}` },
    'ConsulServerError',
    true,
    true,
    `/v1/catalog/services answered 503: "a b ${'x'.repeat(196)}…"`,
  ],
  [
    'an unknown token',
    { status: 403, text: 'ACL not found' },
    'ConsulTokenUnknownError',
    false,
    false,
    '/v1/catalog/services answered 403: "ACL not found". The token is unknown to Consul: revoked, expired, or of another datacenter',
  ],
  [
    'a refusal',
    { status: 403, text: 'Permission denied' },
    'ConsulForbiddenError',
    true,
    false,
    '/v1/catalog/services answered 403: "Permission denied". The token needs service:read and node:read',
  ],
  [
    'a proxy that wants to know who asks',
    { status: 401, text: '' },
    'ConsulForbiddenError',
    true,
    false,
    '/v1/catalog/services answered 401: "". The token needs service:read and node:read',
  ],
  [
    'too many requests',
    { status: 429, text: 'rate limit' },
    'ConsulThrottledError',
    false,
    true,
    '/v1/catalog/services answered 429: "rate limit"',
  ],
  [
    'a question that is not understood',
    { status: 400, text: 'Invalid query parameter: "ns"' },
    'ConsulRequestRefusedError',
    false,
    false,
    '/v1/catalog/services answered 400: "Invalid query parameter: \\"ns\\"". Check address, datacenter, namespace, partition and filter of the settings',
  ],
  [
    'a status that Consul does not use',
    { status: 204, text: '' },
    'ConsulRequestRefusedError',
    false,
    false,
    '/v1/catalog/services answered 204: "". Check address, datacenter, namespace, partition and filter of the settings',
  ],
  [
    'half a body',
    { text: '{"web":[' },
    'ConsulAnswerInvalidError',
    true,
    false,
    '/v1/catalog/services answered with 8 characters that are not JSON',
  ],
])('pitfall 1: %s is an error of its own', (_condition, change, code, onlyThis, transient, message) => {
  const error = failureOf(change);
  expect({ code: error.code, transient: error.transient, message: error.message }).toEqual({
    code,
    transient,
    message,
  });
  expect(error instanceof AnswerError).toBe(onlyThis);
});

test('pitfall 4: no token under a default policy of deny is a failure, not an empty catalog', () => {
  const denied = { text: '{}', headers: { 'x-consul-default-acl-policy': 'deny' } };
  expect(failureOf(denied, { hasToken: false })).toMatchObject({
    code: 'ConsulTokenMissingError',
    transient: false,
    message:
      "/v1/catalog/services was asked without a token, and Consul's default policy is deny: what it leaves out cannot be told. Set tokenSecret, tokenFile or token; or aclFiltered: accept when the anonymous token may read all that is wanted",
  });
  expect(checkAnswer(answer(denied), ASKED).json).toEqual({});
  expect(checkAnswer(answer(denied), { ...ASKED, hasToken: false, acceptFiltered: true }).json).toEqual({});
});
