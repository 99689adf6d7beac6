import {
  ExpiredError,
  type ApiServer,
  type Collection,
  type ListPage,
} from '../../../lib/registries/kubernetes/api-server';
import { listCollection } from '../../../lib/registries/kubernetes/list-collection';

const collection: Collection = { path: '/api/v1/services', listKind: 'ServiceList', metadataOnly: false };
const signal = new AbortController().signal;

/** Answers page after page; notes what was asked. */
function makeApi(answers: readonly (ListPage | Error)[]) {
  const asked: object[] = [];
  const rest = [...answers];
  const api: Pick<ApiServer, 'list'> = {
    list: (_, page) => {
      asked.push(page);
      const answer = rest.shift();
      if (answer === undefined) throw new Error('asked too often');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  const list = () => listCollection(api as ApiServer, collection, 2, (raw) => `kept ${String(raw)}`, signal);
  return { asked, list };
}

test('all pages, each object reduced to what is kept', async () => {
  const { asked, list } = makeApi([
    { items: [1, 2], resourceVersion: '7', continueToken: 'a' },
    { items: [3, 4], resourceVersion: '7', continueToken: 'b' },
    { items: [5], resourceVersion: '7' },
  ]);
  await expect(list()).resolves.toEqual({
    items: ['kept 1', 'kept 2', 'kept 3', 'kept 4', 'kept 5'],
    resourceVersion: '7',
  });
  expect(asked).toEqual([{ limit: 2 }, { limit: 2, continueToken: 'a' }, { limit: 2, continueToken: 'b' }]);
});

test('a token that expires: everything anew, in one answer', async () => {
  const { asked, list } = makeApi([
    { items: [1, 2], resourceVersion: '7', continueToken: 'a' },
    new ExpiredError('too old'),
    { items: [1, 2, 3], resourceVersion: '9' },
  ]);
  await expect(list()).resolves.toEqual({ items: ['kept 1', 'kept 2', 'kept 3'], resourceVersion: '9' });
  expect(asked).toEqual([{ limit: 2 }, { limit: 2, continueToken: 'a' }, {}]);
});

test('one that expires time and again fails', async () => {
  const { asked, list } = makeApi([1, 2, 3, 4].map(() => new ExpiredError('too old')));
  await expect(list()).rejects.toMatchObject({
    code: 'ListExpiredError',
    transient: true,
    message: 'List of /api/v1/services expired 4 times before it was read to its end',
  });
  expect(asked).toHaveLength(4);
});

test('pages of different versions are no list', async () => {
  const { list } = makeApi([
    { items: [1], resourceVersion: '7', continueToken: 'a' },
    { items: [2], resourceVersion: '8' },
  ]);
  await expect(list()).rejects.toMatchObject({
    code: 'InconsistentListError',
    message: 'List of /api/v1/services began at version 7 and went on at 8: pages of one list must be of one version',
  });
});

test('any other failure is passed on', async () => {
  const { list } = makeApi([new Error('boom')]);
  await expect(list()).rejects.toThrow('boom');
});
