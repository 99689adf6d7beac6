import { MAX_ITEM_BYTES } from '../../lib/model/store-errors';
import { COMPRESSED_FROM_BYTES, packEndpoints, requireItemFits, unpackEndpoints } from '../../lib/storage/item-packing';
import { itemBytes } from '../../lib/storage/item-size';
import { noise, sampleEndpoints } from '../support/store-samples';

/** Attributes that make the item with no endpoints just as large: `p`, its text, `endpoints` and an empty list. */
function attributesFor(bytes: number): { readonly p: string } {
  return { p: noise('p', bytes - 'p'.length - 'endpoints'.length - 3) };
}

describe('packEndpoints', () => {
  test('leaves endpoints readable below 64 KB', () => {
    const attributes = attributesFor(COMPRESSED_FROM_BYTES - 1);
    const item = { ...attributes, endpoints: [] };
    expect(packEndpoints(attributes, [])).toEqual({ item, bytes: 65_535 });
  });

  test('compresses them from 64 KB on', () => {
    const attributes = attributesFor(COMPRESSED_FROM_BYTES);
    const { item, bytes } = packEndpoints(attributes, []);
    expect(Object.keys(item)).toEqual(['p', 'endpointsGz']);
    expect(bytes).toBe(itemBytes(item));
    expect(unpackEndpoints(item)).toEqual({ ...attributes, endpoints: [] });
  });

  test('gives the same bytes for the same endpoints', () => {
    const endpoints = sampleEndpoints(1200);
    expect(packEndpoints({}, endpoints)).toEqual(packEndpoints({}, endpoints));
  });

  test('makes about 20 KB of 1,200 endpoints', () => {
    const { bytes } = packEndpoints({}, sampleEndpoints(1200));
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(25_000);
  });
});

describe('unpackEndpoints', () => {
  test('leaves an item alone that is not compressed', () => {
    const item = { endpoints: [1], other: 'x' };
    expect(unpackEndpoints(item)).toBe(item);
  });

  test('throws on what is not gzip', () => {
    expect(() => unpackEndpoints({ endpointsGz: Uint8Array.of(1, 2, 3) })).toThrow('incorrect header check');
  });
});

describe('requireItemFits', () => {
  test('passes an item of 400 KB and refuses one byte more', () => {
    const item = { service: 'a' };
    expect(requireItemFits('Catalog', 'a', { item, bytes: MAX_ITEM_BYTES })).toBe(item);
    expect(() => requireItemFits('Catalog', 'a', { item, bytes: MAX_ITEM_BYTES + 1 })).toThrow(
      'Catalog item a would be 409601 bytes; DynamoDB allows 409600',
    );
  });
});
