import { readFileSync } from 'node:fs';

import { hasCode } from './has-code';

/**
 * How long the main thread of this process has been ready to run but had no processor, in ms since its start (the second
 * figure of `/proc/<pid>/schedstat`, Linux "Scheduler Statistics"); 0 where nobody counts. What a measured time holds of it
 * says how busy the machine was with others, and nothing about this process.
 */
export function processorWaitMs(): number {
  try {
    const [, waitedNs = '0'] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return Number(waitedNs) / 1_000_000;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
