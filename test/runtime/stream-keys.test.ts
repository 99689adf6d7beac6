import { failedKey } from '../../lib/model/key-outcome';
import { AppError } from '../../lib/model/app-error';
import { batchResponse, partFailures, servicesOf, streamEventSchema } from '../../lib/runtime/stream-keys';

/** A batch of a stream, as Lambda delivers it; one record a key, numbered from 1. */
function batchOf(...services: readonly string[]) {
  return streamEventSchema.parse({
    Records: services.map((service, index) => ({
      eventID: String(index),
      eventName: 'MODIFY',
      dynamodb: { SequenceNumber: String(index + 1), Keys: { registry: { S: 'Mock/demo' }, service: { S: service } } },
    })),
  });
}

const CART = 'shop/cart.example.com';
const PAYMENTS = 'shop/payments.example.com';

test('pitfall 24: several records of one service are one look at it', () => {
  expect([...servicesOf(batchOf(CART, PAYMENTS, CART, CART))]).toEqual([
    [CART, '1'],
    [PAYMENTS, '2'],
  ]);
});

test('an event that is no batch of keys is refused', () => {
  expect(streamEventSchema.safeParse({ Records: [{ dynamodb: { SequenceNumber: '1', Keys: {} } }] }).success).toBe(
    false,
  );
});

test('a service that has to be looked at again comes back from its first record on', () => {
  const services = servicesOf(batchOf(CART, PAYMENTS, CART));

  expect(batchResponse(services, [PAYMENTS])).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  expect(batchResponse(services, [CART])).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  expect(batchResponse(services, [])).toEqual({ batchItemFailures: [] });
});

test('failures are parted into those that may pass and those that will not', () => {
  const passing = failedKey(CART, new AppError('busy', { code: 'Busy', transient: true }));
  const lasting = failedKey(PAYMENTS, new AppError('too large', { code: 'ItemTooLargeError' }));
  const outcomes = [passing, { key: CART, result: 'written' } as const, lasting];

  expect(partFailures(outcomes)).toEqual({ transient: [passing], permanent: [lasting] });
});
