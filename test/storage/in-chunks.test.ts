import { inChunks } from '../../lib/storage/in-chunks';
import { collect } from '../support/store-under-test';

describe('inChunks', () => {
  test.each([
    [0, []],
    [1, [[0]]],
    [3, [[0, 1, 2]]],
    [4, [[0, 1, 2], [3]]],
    [
      6,
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
    ],
  ])('cuts %i values', async (count, chunks) => {
    await expect(collect(inChunks(Array(count).keys(), 3))).resolves.toEqual(chunks);
  });
});
