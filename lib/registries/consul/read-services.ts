import type { Unreadable } from '../../model/registry-row';
import { AnswerError } from './answer-error';
import type { Answer, CatalogApi, Consistency, ReadQuery } from './catalog-api';
import type { CatalogView, ViewedService } from './catalog-view';
import type { ConversionRules } from './conversion-rules';
import type { ServiceId } from './group-services';
import { inParallel } from './in-parallel';
import type { Instance } from './instance';
import { serviceSource } from './sources';
import { viewService } from './view-service';
import type { Touch, Touches } from './what-changed';

export type ReadOptions = {
  readonly api: CatalogApi;
  readonly rules: ConversionRules;
  readonly consistency: Consistency;
  readonly signal: AbortSignal;
};

/**
 * Reads the touched services. One whose answer is bad, or filtered by ACLs, becomes unreadable; one without instances that
 * the list does not know any more is `undefined`.
 *
 * @throws AppError when Consul as a whole cannot be read.
 */
export async function readServices(
  touches: Touches,
  view: Pick<CatalogView, 'lists' | 'services'>,
  { api, rules, consistency, signal: whole }: ReadOptions,
): Promise<ReadonlyMap<ServiceId, ViewedService | undefined>> {
  const read = await inParallel(touches.values(), whole, async (touch, signal) => {
    const answer = await readAnswer(touch, api, { consistency, signal });
    if ('source' in answer) return [touch.id, unreadable(touch, view.services.get(touch.id), answer)] as const;
    const hasLeft = answer.body.length === 0 && !view.lists.services.groups.has(touch.id);
    return [
      touch.id,
      hasLeft ? undefined : viewService(touch, { index: answer.index, instances: answer.body }, rules),
    ] as const;
  });
  return new Map(read);
}

async function readAnswer(
  touch: Touch,
  api: CatalogApi,
  query: ReadQuery,
): Promise<Answer<readonly Instance[]> | Unreadable> {
  const source = serviceSource(touch.id);
  try {
    const answer = await api.instances(touch.readAs, query);
    return answer.filtered ? { source, reason: filteredReason(touch) } : answer;
  } catch (error) {
    if (error instanceof AnswerError) return { source, reason: `${error.code}: ${error.message}` };
    throw error;
  }
}

function unreadable(touch: Touch, known: ViewedService | undefined, problem: Unreadable): ViewedService {
  return {
    id: touch.id,
    readAs: touch.readAs,
    index: undefined,
    instances: known?.instances ?? [],
    snapshot: undefined,
    notes: [],
    unreadable: problem,
  };
}

function filteredReason(touch: Touch): string {
  return `ConsulFilteredError: Consul's ACLs hide instances of ${touch.readAs} from the token: it needs service:read on the service and node:read on its nodes; or set aclFiltered: accept`;
}
