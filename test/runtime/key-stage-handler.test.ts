import { AppError } from '../../lib/model/app-error';
import { failedKey, type FailedKey, type KeyOutcome } from '../../lib/model/key-outcome';
import type { ServiceKey } from '../../lib/model/service-key';
import { keyStageHandler } from '../../lib/runtime/key-stage-handler';
import type { DeadLetter } from '../../lib/runtime/sqs-dead-letters';
import { lambdaContext } from '../support/lambda-context';

const EVENT = {
  Records: ['shop/a', 'shop/b', 'shop/c', 'shop/a'].map((service, index) => ({
    dynamodb: { SequenceNumber: `${index + 1}00`, Keys: { service: { S: service } } },
  })),
};

/** Runs the handler over {@link EVENT}, with a stage that fails for some keys. */
async function run(failures: Readonly<Record<string, AppError>>, { queueIsDown = false } = {}) {
  const looked: ServiceKey[] = [];
  const letters: DeadLetter[] = [];
  const look = (keys: readonly ServiceKey[]): Promise<readonly (KeyOutcome | FailedKey)[]> => {
    looked.push(...keys);
    return Promise.resolve(
      keys.map((key) => {
        const failure = failures[key];
        return failure === undefined ? { key, result: 'done' } : failedKey(key, failure);
      }),
    );
  };
  const send = <Letter extends DeadLetter>(sent: readonly Letter[]): Promise<readonly Letter[]> => {
    letters.push(...sent);
    return Promise.resolve(queueIsDown ? sent : []);
  };
  const answer = await keyStageHandler({ look, deadLetters: { send } })(EVENT, lambdaContext());
  return { looked, letters, answer };
}

const passing = new AppError('throttled', { code: 'Throttled', transient: true });
const lasting = new AppError('too large', { code: 'ItemTooLargeError' });

test('looks once at each service of the batch', async () => {
  const { looked, answer } = await run({});

  expect(looked).toEqual(['shop/a', 'shop/b', 'shop/c']);
  expect(answer).toEqual({ batchItemFailures: [] });
});

test('pitfall 3: a service that fails for now comes again, from its record on; the others are done', async () => {
  const { answer, letters } = await run({ 'shop/b': passing });

  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '200' }] });
  expect(letters).toEqual([]);
});

test('pitfall 3: a service that would fail for ever goes to the dead letters with its reason, and does not come again', async () => {
  const { answer, letters } = await run({ 'shop/c': lasting });

  expect(answer).toEqual({ batchItemFailures: [] });
  expect(letters).toMatchObject([{ subject: 'shop/c', error: { code: 'ItemTooLargeError', message: 'too large' } }]);
});

test('a dead letter that cannot be sent comes again', async () => {
  const { answer } = await run({ 'shop/c': lasting }, { queueIsDown: true });

  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '300' }] });
});
