import type { EventPublisher } from '../../lib/changes/event-publisher';
import type { PilotlessEvent } from '../../lib/changes/pilotless-event';
import { deepFreeze } from '../../lib/storage/deep-freeze';
import { pushEvent, pushEvents } from '../support/push-events';

/** Why a bus refuses an event: for the moment, or whatever is tried. */
export type RefusalKind = 'passing' | 'lasting';

/** A publisher and the bus behind it, empty and willing. */
export type PublisherUnderTest = {
  readonly publisher: EventPublisher;
  /** What the bus has taken, in order. */
  readonly taken: () => readonly { readonly type: string; readonly detail: unknown }[];
  /** Makes the bus refuse events by id. */
  readonly refuse: (judge: (id: string) => RefusalKind | undefined) => void;
};

/** What every EventPublisher does. */
export function describeEventPublisher(open: () => PublisherUnderTest): void {
  test('nothing to send is nothing to do', async () => {
    const { publisher, taken } = open();
    expect(await publisher.publish([])).toEqual([]);
    expect(taken()).toEqual([]);
  });

  test.each([1, 9, 10, 11, 20, 25])('%i events arrive, in order, each as it was', async (count) => {
    const { publisher, taken } = open();
    const events = deepFreeze(pushEvents(count));
    expect(await publisher.publish(events)).toEqual([]);
    expect(taken()).toEqual(events);
  });

  test('an event named twice is sent twice', async () => {
    const { publisher, taken } = open();
    const event = pushEvent('push-1');
    expect(await publisher.publish([event, event])).toEqual([]);
    expect(taken()).toEqual([event, event]);
  });

  test.each<[RefusalKind, boolean]>([
    ['passing', true],
    ['lasting', false],
  ])('pitfall 26: events with a %s refusal come back, and only those, in their order', async (kind, transient) => {
    const { publisher, taken, refuse } = open();
    const events = pushEvents(23);
    const bad = new Set(['push-0', 'push-9', 'push-10', 'push-22']);
    refuse((id) => (bad.has(id) ? kind : undefined));
    const failures = await publisher.publish(events);
    const isBad = ({ detail }: PilotlessEvent) => bad.has(detail.metadata.id);
    expect(failures.map(({ event }) => event)).toEqual(events.filter(isBad));
    expect(new Set(failures.map((failure) => failure.transient))).toEqual(new Set([transient]));
    expect(taken()).toEqual(events.filter((event) => !isBad(event)));
  });

  test('an event larger than any call may be comes back for good, and harms no other', async () => {
    const { publisher, taken } = open();
    const [first, second] = [pushEvent('push-1'), pushEvent('push-2')];
    const large = pushEvent('push-large', 'x'.repeat(1_000_000));
    const [failure, ...others] = await publisher.publish([first, large, second]);
    expect(failure).toMatchObject({ event: large, transient: false });
    expect(failure?.reason).toMatch(/^its 1000\d{3} bytes are more than the 1000000 of a call$/);
    expect(others).toEqual([]);
    expect(taken()).toEqual([first, second]);
  });
}
