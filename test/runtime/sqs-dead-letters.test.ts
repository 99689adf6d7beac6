import { SqsDeadLetters } from '../../lib/runtime/sqs-dead-letters';
import { scriptedSqs } from '../support/scripted-sqs';

const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead';
const stage = 'aggregate-services';

function letters(count: number) {
  const error = { code: 'ItemTooLargeError', message: 'too large' };
  return Array.from({ length: count }, (_, index) => ({ subject: `shop/s${index}`, error }));
}

test('a letter names the stage, what it gave up on, and why', async () => {
  const { client, calls } = scriptedSqs(() => ({ Successful: [], Failed: [] }));

  await expect(new SqsDeadLetters({ client, queueUrl, stage }).send(letters(1))).resolves.toEqual([]);
  expect(calls).toMatchObject([
    {
      operation: 'SendMessageBatch',
      input: {
        QueueUrl: queueUrl,
        Entries: [
          {
            Id: '0',
            MessageBody: JSON.stringify({
              stage,
              subject: 'shop/s0',
              error: { code: 'ItemTooLargeError', message: 'too large' },
            }),
          },
        ],
      },
    },
  ]);
});

test.each([
  [0, []],
  [10, [10]],
  [21, [10, 10, 1]],
])('%i letters go in calls of ten', async (count, sizes) => {
  const { client, calls } = scriptedSqs(() => ({ Successful: [], Failed: [] }));
  await new SqsDeadLetters({ client, queueUrl, stage }).send(letters(count));

  expect(calls.map(({ input }) => (input.Entries as unknown[]).length)).toEqual(sizes);
});

test('pitfall 26: letters that the queue did not take come back', async () => {
  const failed = { Id: '1', SenderFault: false, Code: 'InternalError' };
  const { client } = scriptedSqs(({ input }) => ({
    Successful: [],
    Failed: (input.Entries as unknown[]).length === 10 ? [failed] : [],
  }));

  await expect(new SqsDeadLetters({ client, queueUrl, stage }).send(letters(12))).resolves.toEqual([letters(2)[1]]);
});
