import { isDeleted } from '../../lib/model/catalog-entry';
import { catalogEntry, catalogTombstone } from '../support/catalog-entries';

test('a tombstone is what is left of a deleted entry', () => {
  expect([catalogEntry(), catalogTombstone()].map(isDeleted)).toEqual([false, true]);
});
