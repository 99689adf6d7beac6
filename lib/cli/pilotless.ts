#!/usr/bin/env node
import { systemClock } from '../runtime/system-clock';
import { runCli } from './run-cli';

// The SDK's notice about Node 20 is for who builds this, not for who runs it.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

// A reader that goes away (`pilotless changes | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  stop.abort();
});

void runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  environment: process.env,
  clock: systemClock,
  stopped: stop.signal,
}).then((code) => {
  process.exitCode = code;
});
