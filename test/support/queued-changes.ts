import type { QueuedChange } from '../../lib/push/change-queue';
import { START } from './push-requests';

/** A change event of a service of namespace `shop`, as it waits in the queue. */
export function queuedChange(name: string, push: 'full' | 'incremental' = 'incremental', at = START): QueuedChange {
  const detail = {
    metadata: { schema: 1, id: `shop/${name}@1`, at, correlationId: 'poll-1' },
    service: { key: `shop/${name}`, hostname: name, namespace: 'shop', version: 1 },
    change: { push },
  };
  return { receipt: `receipt of ${name}`, body: JSON.stringify({ source: 'pilotless', detail }) };
}

/** A message that is no change. */
export const NOT_A_CHANGE: QueuedChange = { receipt: 'receipt of nothing', body: '{"detail":{}}' };
