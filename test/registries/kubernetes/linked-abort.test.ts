import { linkedAbort } from '../../../lib/registries/kubernetes/linked-abort';

test('aborts when the signal does, for the same reason', () => {
  const outer = new AbortController();
  const { controller } = linkedAbort(outer.signal);
  outer.abort('enough');
  expect([controller.signal.aborted, controller.signal.reason]).toEqual([true, 'enough']);
});

test('is aborted from the start by a signal that is', () => {
  expect(linkedAbort(AbortSignal.abort('before')).controller.signal.reason).toBe('before');
});

test('aborts by itself without the signal', () => {
  const outer = new AbortController();
  linkedAbort(outer.signal).controller.abort();
  expect(outer.signal.aborted).toBe(false);
});

test('once unlinked it goes on', () => {
  const outer = new AbortController();
  const { controller, unlink } = linkedAbort(outer.signal);
  unlink();
  outer.abort();
  expect(controller.signal.aborted).toBe(false);
});
