import { SqsChangeQueue } from '../../lib/push/sqs-change-queue';
import { scriptedSqs } from '../support/scripted-sqs';

const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/push';

function changes(count: number) {
  return Array.from({ length: count }, (_, index) => ({ receipt: `receipt-${index}`, body: '{}' }));
}

test('takes up to ten changes at once and does not wait for more', async () => {
  const { client, calls } = scriptedSqs(() => ({ Messages: [{ ReceiptHandle: 'receipt-1', Body: '{"a":1}' }] }));

  await expect(new SqsChangeQueue({ client, queueUrl }).receive()).resolves.toEqual([
    { receipt: 'receipt-1', body: '{"a":1}' },
  ]);
  expect(calls).toEqual([
    { operation: 'ReceiveMessage', input: { QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 } },
  ]);
});

test('an empty queue gives nothing', async () => {
  const { client } = scriptedSqs(() => ({}));

  await expect(new SqsChangeQueue({ client, queueUrl }).receive()).resolves.toEqual([]);
});

test.each([
  [0, []],
  [1, [1]],
  [10, [10]],
  [11, [10, 1]],
])('removes %i changes in calls of ten', async (count, sizes) => {
  const { client, calls } = scriptedSqs(() => ({ Successful: [], Failed: [] }));
  await new SqsChangeQueue({ client, queueUrl }).remove(changes(count));

  const entries = calls.map(({ input }) => input.Entries as { ReceiptHandle: string }[]);
  expect(entries.map(({ length }) => length)).toEqual(sizes);
  expect(entries.flat().map(({ ReceiptHandle: receipt }) => receipt)).toEqual(
    changes(count).map(({ receipt }) => receipt),
  );
});
