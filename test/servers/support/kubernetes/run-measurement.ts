import path from 'node:path';

import { build } from 'esbuild';
import * as z from 'zod';

import { runCommand } from '../parts/run-command';

/** Below `node_modules`, so that packages are found from there. */
const OUTFILE = path.resolve('node_modules/.cache/pilotless/measure-fleet.mjs');

const TIMEOUT_MS = 180_000;

const figures = z.object({
  services: z.number(),
  endpoints: z.number(),
  requests: z.number(),
  bytes: z.number().optional(),
  /** From the first request to the full reading, or to the last change event. */
  seconds: z.number(),
  /** On the heap after all garbage has been collected, beyond what there was before. */
  keptMegabytes: z.number(),
  /** The largest the process has been: resident set. */
  largestMegabytes: z.number(),
});

export type Figures = z.infer<typeof figures>;

/** Reads a cluster in a process of its own, run by plain Node as functions are: neither jest nor a transpiler counts. */
export async function runMeasurement(what: 'registry' | 'all-stages', kubeconfig: string): Promise<Figures> {
  await build({
    entryPoints: [path.join(__dirname, 'measure-fleet.ts')],
    outfile: OUTFILE,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  const args = ['--expose-gc', OUTFILE, what, kubeconfig];
  return figures.parse(JSON.parse(await runCommand({ file: process.execPath, args, timeoutMs: TIMEOUT_MS })));
}
