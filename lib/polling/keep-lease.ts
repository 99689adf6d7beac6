import { describeError } from '../model/app-error';
import type { Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';
import type { Lease } from './lease';
import { SupersededError, type RegistryRowPatch } from './registry-store';
import type { RunControl } from './run-control';

/**
 * Renews the lease until the run ends, when nothing else has written the row for a while. A renewal that fails is tried
 * again soon; one that is refused ends the run.
 *
 * @param standing what the row has to tell while there is no reading.
 */
export async function keepLease(
  lease: Lease,
  control: RunControl,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  standing: () => RegistryRowPatch,
): Promise<void> {
  for (;;) {
    await clock.delay(Math.max(0, lease.dueInMs), control.ending);
    if (control.ending.aborted) return;
    if (lease.dueInMs > 0) continue;
    try {
      await lease.write(standing());
    } catch (error) {
      if (error instanceof SupersededError) control.end('superseded');
      else log.warn('Lease not renewed', { registry: lease.fence.registry, ...describeError(error) });
    }
  }
}
