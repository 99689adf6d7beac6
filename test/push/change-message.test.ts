import { decodeChangeMessage } from '../../lib/push/change-message';
import { NOT_A_CHANGE, queuedChange } from '../support/queued-changes';
import { START } from '../support/push-requests';
import { thrownBy } from '../support/thrown-by';

test('gives what a push has to know of the change', () => {
  expect(decodeChangeMessage(queuedChange('cart.example.com', 'full').body)).toEqual({
    metadata: { at: START },
    service: { hostname: 'cart.example.com', namespace: 'shop' },
    change: { push: 'full' },
  });
});

test.each([
  ['no change event', NOT_A_CHANGE.body, 'expected object, received undefined'],
  ['no JSON', 'hello', 'expected object, received undefined'],
  ['without a host name', queuedChange('').body, 'Too small'],
])('refuses what is %s', (_, body, reason) => {
  expect(() => decodeChangeMessage(body)).toThrow(reason);
  expect(() => decodeChangeMessage(body)).toThrow('Not a change event');
});

test('a refusal shows the beginning of what it refuses', () => {
  const text = `nonsense${'!'.repeat(1000)}`;
  expect(thrownBy(() => decodeChangeMessage(text))).toMatchObject({
    code: 'ChangeUnreadableError',
    details: { body: text.slice(0, 200) },
  });
});
