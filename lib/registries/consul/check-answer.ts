import { AppError } from '../../model/app-error';
import { AnswerError } from './answer-error';

/** An HTTP answer before anybody has looked into it. Header names are in lower case. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
};

/** What the question was, as far as it decides whether the answer is good. */
export type Asked = {
  /** For messages: the path with its parameters. No token is ever part of it. */
  readonly url: string;
  readonly hasToken: boolean;
  /** How long the answering server may have been without word from the leader, ms. */
  readonly maxStaleMs: number;
  /** Answers without what the token may not see are taken as they are. */
  readonly acceptFiltered: boolean;
};

export type Checked = { readonly json: unknown; readonly index: number; readonly filtered: boolean };

/** How much of an error's text a message repeats. */
const QUOTED = 200;

/**
 * The JSON of an answer that really is one of Consul's, current, and complete for who asked.
 *
 * @throws AppError when Consul as a whole cannot be read: no leader, too far behind it, a token that is missing, unknown
 * or throttled, a question that it does not understand. @throws AnswerError for this answer alone.
 */
export function checkAnswer(answer: HttpAnswer, asked: Asked): Checked {
  checkStatus(answer, asked);
  checkContentType(answer, asked);
  const index = indexOf(answer, asked);
  checkLeader(answer, asked);
  const filtered = headerOf(answer, 'x-consul-results-filtered-by-acls') === 'true';
  if (!asked.acceptFiltered) checkToken(answer, asked);
  return { json: parseJson(answer, asked), index, filtered: filtered && !asked.acceptFiltered };
}

function checkStatus(answer: HttpAnswer, asked: Asked): void {
  const { status } = answer;
  if (status === 200) return;
  const said = `${asked.url} answered ${status}: ${quote(answer.text)}`;
  const details = { url: asked.url, status };
  if (status >= 300 && status < 400) {
    throw new AnswerError(
      `${asked.url} answered ${status}, a redirect to ${headerOf(answer, 'location') ?? 'nowhere'}; redirects are not followed. Is the address that of a proxy or login page?`,
      { code: 'ConsulRedirectError', details },
    );
  }
  if (status === 401 || status === 403) throw forbidden(said, answer, details);
  if (status === 429) throw new AppError(said, { code: 'ConsulThrottledError', transient: true, details });
  if (status >= 500) throw serverError(said, answer, details);
  throw new AppError(`${said}. Check address, datacenter, namespace, partition and filter of the settings`, {
    code: 'ConsulRequestRefusedError',
    details,
  });
}

function forbidden(said: string, answer: HttpAnswer, details: { readonly status: number }): AppError {
  if (answer.text.includes('ACL not found')) {
    return new AppError(`${said}. The token is unknown to Consul: revoked, expired, or of another datacenter`, {
      code: 'ConsulTokenUnknownError',
      details,
    });
  }
  return new AnswerError(`${said}. The token needs service:read and node:read`, {
    code: 'ConsulForbiddenError',
    details,
  });
}

function serverError(said: string, answer: HttpAnswer, details: { readonly status: number }): AppError {
  if (/no cluster leader|leadership/i.test(answer.text)) {
    return new AppError(said, { code: 'ConsulNoLeaderError', transient: true, details });
  }
  if (/no path to datacenter/i.test(answer.text)) {
    return new AppError(`${said}. Check the setting datacenter`, {
      code: 'ConsulDatacenterUnknownError',
      transient: true,
      details,
    });
  }
  if (/boolean expression|filter expression|selector/i.test(answer.text)) {
    return new AppError(`${said}. Check the setting filter`, { code: 'ConsulFilterInvalidError', details });
  }
  return new AnswerError(said, { code: 'ConsulServerError', transient: true, details });
}

function checkContentType(answer: HttpAnswer, asked: Asked): void {
  const type = headerOf(answer, 'content-type') ?? 'none';
  if (/^application\/json\b/i.test(type)) return;
  throw new AnswerError(
    `${asked.url} answered with content type ${type}, not application/json. Is the address that of a proxy or login page?`,
    { code: 'ConsulContentTypeError', details: { url: asked.url, contentType: type } },
  );
}

function indexOf(answer: HttpAnswer, asked: Asked): number {
  const text = headerOf(answer, 'x-consul-index') ?? 'none';
  const index = /^\d+$/.test(text) ? Number(text) : NaN;
  if (index >= 1) return index;
  throw new AnswerError(
    `${asked.url} answered with X-Consul-Index ${text}, not a number from 1 on. Does something between change Consul's answers?`,
    { code: 'ConsulIndexMissingError', details: { url: asked.url, index: text } },
  );
}

function checkLeader(answer: HttpAnswer, asked: Asked): void {
  if (headerOf(answer, 'x-consul-knownleader') === 'false') {
    throw new AppError(`${asked.url} was answered by a Consul server that knows no leader`, {
      code: 'ConsulNoLeaderError',
      transient: true,
      details: { url: asked.url },
    });
  }
  const behindMs = Number(headerOf(answer, 'x-consul-lastcontact') ?? '0');
  if (behindMs <= asked.maxStaleMs) return;
  throw new AppError(
    `${asked.url} was answered by a Consul server that last heard of its leader ${behindMs} ms ago; maxStale allows ${asked.maxStaleMs} ms`,
    { code: 'ConsulStaleError', transient: true, details: { url: asked.url, behindMs, maxStaleMs: asked.maxStaleMs } },
  );
}

/**
 * Without a token Consul answers an empty list and says nothing of what it left out (`agent/consul/rpc.go`,
 * maskResultsFilteredByACLs), so that under a default policy of deny nothing may be concluded from it.
 */
function checkToken(answer: HttpAnswer, asked: Asked): void {
  const policy = headerOf(answer, 'x-consul-default-acl-policy')?.toLowerCase();
  if (asked.hasToken || policy !== 'deny') return;
  throw new AppError(
    `${asked.url} was asked without a token, and Consul's default policy is deny: what it leaves out cannot be told. Set tokenSecret, tokenFile or token; or aclFiltered: accept when the anonymous token may read all that is wanted`,
    { code: 'ConsulTokenMissingError', details: { url: asked.url } },
  );
}

function parseJson(answer: HttpAnswer, asked: Asked): unknown {
  try {
    return JSON.parse(answer.text);
  } catch (cause) {
    throw new AnswerError(`${asked.url} answered with ${answer.text.length} characters that are not JSON`, {
      code: 'ConsulAnswerInvalidError',
      details: { url: asked.url },
      cause,
    });
  }
}

function headerOf(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return JSON.stringify(line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line);
}
