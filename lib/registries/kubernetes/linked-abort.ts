/**
 * A controller that aborts when the signal does. `unlink` takes the listener away again, so that a long-lived signal does
 * not collect one for each request that it outlives.
 */
export function linkedAbort(signal: AbortSignal): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { controller, unlink: () => signal.removeEventListener('abort', abort) };
}
