import { CountHistory } from '../../lib/polling/count-history';
import { keyOf } from '../support/readings';

const MINUTE = 60_000;
const web = keyOf('web');

test('of several changes within a minute the first one tells what was before', () => {
  const history = new CountHistory();
  history.changed(web, 5, 1000);
  history.changed(web, 3, 2000);
  history.changed(keyOf('api'), 1, 2000);
  expect(history.before(3000)).toEqual(
    new Map([
      [web, 5],
      [keyOf('api'), 1],
    ]),
  );
});

test('a change is forgotten when it is a minute old', () => {
  const history = new CountHistory();
  history.changed(web, 5, 1000);
  history.changed(web, 3, 2000);
  expect(history.before(1000 + MINUTE - 1)).toEqual(new Map([[web, 5]]));
  expect(history.before(1000 + MINUTE)).toEqual(new Map([[web, 3]]));
  expect(history.before(2000 + MINUTE)).toEqual(new Map());
});

test('what is settled is forgotten', () => {
  const history = new CountHistory();
  history.changed(web, 5, 1000);
  history.forget();
  expect(history.before(1000)).toEqual(new Map());
});
