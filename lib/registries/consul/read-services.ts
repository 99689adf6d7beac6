import type { Unreadable } from '../../model/registry-row';
import { AnswerError } from './answer-error';
import type { Answer, CatalogApi } from './catalog-api';
import type { ViewedService, ViewedServices } from './catalog-view';
import { convertService } from './convert-service';
import type { ConversionRules } from './conversion-rules';
import type { ServiceId } from './group-services';
import { inParallel } from './in-parallel';
import type { Instance } from './instance';
import { serviceSource } from './sources';
import type { Touch, Touches } from './what-changed';

export type ReadOptions = {
  readonly api: CatalogApi;
  readonly rules: ConversionRules;
  /** Whether a listed service may well have no instance: the settings hold a filter that the list does not know. */
  readonly mayBeEmpty: boolean;
  readonly signal: AbortSignal;
};

export type ReadResult = {
  readonly services: ReadonlyMap<ServiceId, ViewedService | undefined>;
  /** The highest index of all answers; 0 for none. */
  readonly newest: number;
};

type ReadOne = { readonly service: ViewedService | undefined; readonly index: number };

/**
 * Reads the touched services. One whose answer is bad, or filtered by ACLs, becomes unreadable; one without instances that
 * the list does not know any more is `undefined`.
 *
 * @throws AppError when Consul as a whole cannot be read.
 */
export async function readServices(touches: Touches, known: ViewedServices, options: ReadOptions): Promise<ReadResult> {
  const read = await inParallel(touches.values(), options.signal, async (touch, signal) => {
    return { id: touch.id, ...(await readService(touch, known.get(touch.id), { ...options, signal })) };
  });
  return {
    services: new Map(read.map(({ id, service }) => [id, service])),
    newest: read.reduce((newest, { index }) => Math.max(newest, index), 0),
  };
}

async function readService(touch: Touch, known: ViewedService | undefined, options: ReadOptions): Promise<ReadOne> {
  try {
    const answer = await freshAnswer(touch, known, options);
    return { service: serviceOf(touch, known, answer, options.rules), index: answer.index };
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    const problem = { source: serviceSource(touch.id), reason: `${error.code}: ${error.message}` };
    return { service: unreadable(touch, known, problem), index: 0 };
  }
}

function serviceOf(
  touch: Touch,
  known: ViewedService | undefined,
  answer: Answer<readonly Instance[]>,
  rules: ConversionRules,
): ViewedService | undefined {
  if (answer.filtered) return unreadable(touch, known, filteredReason(touch));
  if (answer.body.length === 0 && touch.expect === 'none') return undefined;
  return viewed(touch, answer, rules);
}

/** Any server answers first; if it is behind the one that told of the change, the leader. */
async function freshAnswer(
  touch: Touch,
  known: ViewedService | undefined,
  { api, signal, mayBeEmpty }: ReadOptions,
): Promise<Answer<readonly Instance[]>> {
  const answer = await api.instances(touch.readAs, { signal, consistency: 'stale' });
  if (answer.filtered || !isBehind(touch, known, answer, mayBeEmpty)) return answer;
  return api.instances(touch.readAs, { signal, consistency: 'leader' });
}

function isBehind(
  touch: Touch,
  known: ViewedService | undefined,
  answer: Answer<readonly Instance[]>,
  mayBeEmpty: boolean,
): boolean {
  switch (touch.expect) {
    case 'instances':
      return answer.body.length === 0 && !mayBeEmpty;
    case 'none':
      return answer.body.length > 0;
    case 'another index':
      return answer.index === known?.index;
  }
}

function viewed(touch: Touch, answer: Answer<readonly Instance[]>, rules: ConversionRules): ViewedService {
  const { snapshot, notes } = convertService(touch.id, answer.body, rules);
  return {
    id: touch.id,
    readAs: touch.readAs,
    index: answer.index,
    registrations: answer.body.map(({ id, node, modifyIndex }) => ({ id, node: node.name, modifyIndex })),
    snapshot,
    notes,
  };
}

function unreadable(touch: Touch, known: ViewedService | undefined, problem: Unreadable): ViewedService {
  return {
    id: touch.id,
    readAs: touch.readAs,
    index: undefined,
    registrations: known?.registrations ?? [],
    snapshot: undefined,
    notes: [],
    unreadable: problem,
  };
}

function filteredReason(touch: Touch): Unreadable {
  return {
    source: serviceSource(touch.id),
    reason: `ConsulFilteredError: Consul's ACLs hide instances of ${touch.readAs} from the token: it needs service:read on the service and node:read on its nodes; or set aclFiltered: accept`,
  };
}
