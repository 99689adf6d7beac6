import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import {
  EventBridgeEventPublisher,
  FIRST_PAUSE_MS,
  MAX_ATTEMPTS,
  type EventBridgeEventPublisherOptions,
} from '../../lib/changes/eventbridge-event-publisher';
import { describeEventPublisher } from '../contract/event-publisher';
import { ManualClock } from '../support/manual-clock';
import { pushEvent, pushEvents } from '../support/push-events';
import { PutEventsServer, type ReceivedEntry } from '../support/put-events-server';

describe('EventBridgeEventPublisher', () => {
  let bus: PutEventsServer;

  beforeAll(async () => {
    bus = await PutEventsServer.start();
  });
  afterAll(() => bus.close());
  beforeEach(() => bus.reset());

  function open(options: Partial<EventBridgeEventPublisherOptions> = {}) {
    const clock = new ManualClock();
    const random = () => 0.5;
    const { client } = bus;
    return { clock, publisher: new EventBridgeEventPublisher({ client, busName: 'mesh', clock, random, ...options }) };
  }

  function idOf({ Detail }: ReceivedEntry): string {
    const { metadata } = JSON.parse(Detail) as { readonly metadata: { readonly id: string } };
    return metadata.id;
  }

  const idsOf = (entries: readonly ReceivedEntry[]) => entries.map(idOf);

  describeEventPublisher(() => ({
    publisher: open().publisher,
    taken: () =>
      bus.taken.map(({ DetailType, Detail }) => ({ type: DetailType, detail: JSON.parse(Detail) as unknown })),
    refuse: (judge) => {
      bus.judge = (entry) => {
        const refusal = judge(idOf(entry));
        return refusal && { code: refusal === 'passing' ? 'ThrottlingException' : 'MalformedDetail' };
      };
    },
  }));

  test('sends source, type, detail, bus and time', async () => {
    const event = pushEvent('push-1');
    await open().publisher.publish([event]);
    expect(bus.calls).toEqual([
      [
        {
          EventBusName: 'mesh',
          Source: 'pilotless',
          DetailType: 'Push Requested',
          Detail: JSON.stringify(event.detail),
          Time: Date.parse(event.detail.metadata.at) / 1000,
        },
      ],
    ]);
  });

  test('sends ten entries a call', async () => {
    await open().publisher.publish(pushEvents(25));
    expect(bus.calls.map((call) => call.length)).toEqual([10, 10, 5]);
  });

  describe('entries that a call has lost', () => {
    test('are sent again, just those and packed anew, until they are taken', async () => {
      const { publisher, clock } = open();
      const lost = new Set(['push-1', 'push-12', 'push-13']);
      bus.judge = (entry, call) => {
        if (!lost.has(idOf(entry))) return undefined;
        return call <= 3 || (call === 4 && idOf(entry) === 'push-12') ? { code: 'InternalFailure' } : undefined;
      };
      expect(await publisher.publish(pushEvents(25))).toEqual([]);
      expect(bus.calls.slice(3).map(idsOf)).toEqual([['push-1', 'push-12', 'push-13'], ['push-12']]);
      expect(bus.taken).toHaveLength(25);
      expect(clock.delays).toEqual([50, 100]);
    });

    test('come back when it keeps failing, after pauses that double', async () => {
      const { publisher, clock } = open();
      bus.judge = () => ({ code: 'ThrottlingException', message: 'Rate exceeded' });
      const event = pushEvent('push-1');
      expect(await publisher.publish([event])).toEqual([
        { event, reason: 'ThrottlingException: Rate exceeded', transient: true },
      ]);
      expect(bus.calls).toHaveLength(MAX_ATTEMPTS);
      expect(clock.delays).toEqual([50, 100, 200, 400]);
    });

    test.each([
      'AccessDeniedException',
      'InvalidAccountIdException',
      'InvalidArgument',
      'MalformedDetail',
      'RedactionFailure',
      'NotAuthorizedForSourceException',
      'NotAuthorizedForSource',
      'NotAuthorizedForDetailTypeException',
    ])('are not sent again when no repetition helps: %s', async (code) => {
      const { publisher, clock } = open();
      bus.judge = (entry) => (idOf(entry) === 'push-1' ? { code } : undefined);
      const events = pushEvents(3);
      expect(await publisher.publish(events)).toEqual([{ event: events[1], reason: code, transient: false }]);
      expect(bus.calls).toHaveLength(1);
      expect(clock.delays).toEqual([]);
    });

    test('are not sent again once no repetition helps', async () => {
      bus.judge = (_entry, call) => ({ code: call === 1 ? 'InternalFailure' : 'MalformedDetail' });
      expect(await open().publisher.publish([pushEvent('push-1')])).toMatchObject([
        { reason: 'MalformedDetail', transient: false },
      ]);
      expect(bus.calls).toHaveLength(2);
    });

    test('are recognised even if the answer names no code', async () => {
      const first = { FailedEntryCount: 2, Entries: [{ EventId: 'event-1' }, {}] };
      bus.answer = (call) => ({ status: 200, body: call === 1 ? first : { FailedEntryCount: 2, Entries: [] } });
      const [, second, third] = pushEvents(3);
      expect(await open().publisher.publish(pushEvents(3))).toEqual([
        { event: second, reason: 'no result', transient: true },
        { event: third, reason: 'no result', transient: true },
      ]);
    });

    test('there are none when the count is zero or missing', async () => {
      bus.answer = () => ({ status: 200, body: { Entries: [{}] } });
      expect(await open().publisher.publish(pushEvents(1))).toEqual([]);
      bus.answer = () => ({ status: 200, body: { FailedEntryCount: 0 } });
      expect(await open().publisher.publish(pushEvents(1))).toEqual([]);
      bus.answer = () => ({ status: 200, body: { FailedEntryCount: 1 } });
      expect(await open().publisher.publish(pushEvents(1))).toMatchObject([{ reason: 'no result' }]);
    });
  });

  describe('a call that fails for the moment', () => {
    test.each<[string, number, object]>([
      ['throttled', 400, { __type: 'ThrottlingException', message: 'Rate exceeded' }],
      ['too many requests', 429, { __type: 'TooManyRequestsException', message: 'slower' }],
      ['an internal error', 500, { __type: 'InternalException', message: 'oops' }],
      ['unavailable', 503, { __type: 'ServiceUnavailable', message: 'later' }],
      ['credentials that ran out on the way', 400, { __type: 'ExpiredTokenException', message: 'expired' }],
    ])('(%s) is made again, with those that were to follow', async (_what, status, body) => {
      const { publisher, clock } = open();
      bus.answer = (call) => (call === 2 ? { status, body } : undefined);
      const events = pushEvents(25);
      expect(await publisher.publish(events)).toEqual([]);
      expect(bus.calls.map((call) => call.length)).toEqual([10, 10, 10, 5]);
      expect(idsOf(bus.taken)).toEqual(events.map(({ detail }) => detail.metadata.id));
      expect(clock.delays).toEqual([50]);
    });

    test('gives everything back that was not taken when it keeps failing', async () => {
      const { publisher, clock } = open();
      bus.answer = (call) =>
        call === 1 ? undefined : { status: 503, body: { __type: 'ServiceUnavailable', message: 'later' } };
      const events = pushEvents(25);
      expect(await publisher.publish(events)).toEqual(
        events.slice(10).map((event) => ({ event, reason: 'ServiceUnavailable: later', transient: true })),
      );
      expect(bus.calls).toHaveLength(1 + MAX_ATTEMPTS);
      expect(clock.delays).toEqual([50, 100, 200, 400]);
    });

    test('may be one that is never answered', async () => {
      bus.answer = (call) => (call === 1 ? {} : undefined);
      expect(await open({ timeoutMs: 1000 }).publisher.publish(pushEvents(2))).toEqual([]);
      expect(bus.calls).toHaveLength(2);
    });

    test('may be one that reaches nobody', async () => {
      const client = new EventBridgeClient({
        endpoint: 'http://127.0.0.1:1',
        region: 'us-east-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
        maxAttempts: 1,
      });
      const [failure] = await open({ client }).publisher.publish(pushEvents(1));
      expect(failure).toMatchObject({ transient: true });
      expect(failure?.reason).toContain('ECONNREFUSED');
    });
  });

  test.each([
    ['ResourceNotFoundException', 'Event bus mesh does not exist.'],
    ['AccessDeniedException', 'not authorized to perform: events:PutEvents'],
    ['ValidationException', '1 validation error detected'],
  ])(
    'a call that is refused as such (%s) is an error that names the bus, and is not made again',
    async (code, message) => {
      const { publisher, clock } = open();
      bus.answer = () => ({ status: 400, body: { __type: code, message } });
      await expect(publisher.publish(pushEvents(1))).rejects.toMatchObject({
        code: 'EventBridgeError',
        transient: false,
        message: `EventBridge refuses events for the bus mesh: ${code}: ${message}`,
        details: { busName: 'mesh' },
        cause: { name: code },
      });
      expect(bus.calls).toHaveLength(1);
      expect(clock.delays).toEqual([]);
    },
  );

  test('pauses are random, so that publishers do not come back together', async () => {
    const { publisher, clock } = open({ random: () => 0.25 });
    bus.judge = (_entry, call) => (call < 3 ? { code: 'ThrottlingException' } : undefined);
    await publisher.publish(pushEvents(1));
    expect(clock.delays).toEqual([FIRST_PAUSE_MS / 4, FIRST_PAUSE_MS / 2]);
  });
});
