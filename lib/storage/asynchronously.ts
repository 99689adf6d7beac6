/**
 * Runs the step as a whole on a later turn of the event loop's microtasks; what it throws becomes a rejection. The memory
 * twins answer like this, since no real store answers at once.
 */
export function asynchronously<T>(step: () => T): Promise<T> {
  return Promise.resolve().then(step);
}
