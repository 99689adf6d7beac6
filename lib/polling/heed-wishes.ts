import { describeError } from '../model/app-error';
import type { Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';
import type { Lease } from './lease';
import { SupersededError } from './registry-store';
import type { RunControl } from './run-control';

/**
 * How often a run looks for what others have asked of it: a person who waits for a reading notices no more than that, and
 * the looks of a month, one read unit each, cost 0.16 $ a registry.
 */
const LOOK_MS = 2000;

/**
 * Looks at the registry's row again and again until the run ends, so that a request is heard before the lease has to be
 * renewed. A look that fails is made up for by the next one, or by the next writing.
 */
export async function heedWishes(
  lease: Lease,
  control: RunControl,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
  for (;;) {
    await clock.delay(LOOK_MS, control.ending);
    if (control.ending.aborted) return;
    try {
      await lease.look();
    } catch (error) {
      if (error instanceof SupersededError) control.end('superseded');
      else log.debug('Row not looked at', { registry: lease.fence.registry, ...describeError(error) });
    }
  }
}
