import { MemoryEventPublisher } from '../../lib/changes/memory-event-publisher';
import type { PilotlessEvent } from '../../lib/changes/pilotless-event';
import { AppError } from '../../lib/model/app-error';
import { describeEventPublisher, type RefusalKind } from '../contract/event-publisher';
import { pushEvent } from '../support/push-events';

describe('MemoryEventPublisher', () => {
  describeEventPublisher(() => {
    const taken: PilotlessEvent[] = [];
    let judge: (id: string) => RefusalKind | undefined = () => undefined;
    const publisher = new MemoryEventPublisher((event) => {
      const refusal = judge(event.detail.metadata.id);
      if (refusal !== undefined) throw new AppError('no', { code: 'Refused', transient: refusal === 'passing' });
      taken.push(event);
    });
    return { publisher, taken: () => taken, refuse: (refuses) => (judge = refuses) };
  });

  test('delivers one event after the other, and waits for each', async () => {
    const steps: string[] = [];
    const publisher = new MemoryEventPublisher(async ({ detail }) => {
      steps.push(`${detail.metadata.id} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${detail.metadata.id} ends`);
    });
    await publisher.publish([pushEvent('a'), pushEvent('b')]);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  test('says what the consumer threw', async () => {
    const publisher = new MemoryEventPublisher(() => Promise.reject(new TypeError('bug')));
    expect(await publisher.publish([pushEvent('a')])).toEqual([
      { event: pushEvent('a'), reason: 'TypeError: bug', transient: false },
    ]);
  });

  test('delivers a copy that nobody can change', async () => {
    const received: PilotlessEvent[] = [];
    const event = pushEvent('a');
    await new MemoryEventPublisher((each) => void received.push(each)).publish([event]);
    expect(received[0]).not.toBe(event);
    expect(Object.isFrozen(received[0]?.detail.metadata)).toBe(true);
    expect(Object.isFrozen(event.detail.metadata)).toBe(false);
  });
});
