import * as z from 'zod';
import { AppError } from '../../lib/model/app-error';
import { readItem } from '../../lib/storage/item-reading';

const FORMAT = {
  table: 'Catalog',
  schemaNumber: 3,
  shape: z.object({ service: z.string(), a: z.number(), b: z.object({ c: z.array(z.string()) }).exactOptional() }),
} as const;

function refusal(item: Readonly<Record<string, unknown>>): AppError {
  try {
    readItem(FORMAT, item);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('the item was read');
}

describe('readItem', () => {
  test.each([[3], [2], [undefined]])('reads an item of schema %s, without attributes it does not know', (schema) => {
    expect(readItem(FORMAT, { service: 's', a: 1, schema, new: true })).toEqual({ service: 's', a: 1 });
  });

  test('refuses an item of a newer schema before looking into it', () => {
    expect(refusal({ service: 's', schema: 4 })).toMatchObject({
      code: 'NewerSchemaError',
      transient: false,
      message: 'Catalog item s has schema 4, this version reads up to 3. Upgrade, or roll the writer back',
    });
  });

  test('names the attributes that are wrong', () => {
    expect(refusal({ service: 's', a: 'x', b: { c: [1] } })).toMatchObject({
      code: 'ItemUnreadableError',
      transient: false,
      message:
        'Catalog item s cannot be read: a: Invalid input: expected number, received string; b.c.0: Invalid input: expected string, received number. Something else than Pilotless wrote or edited it',
      details: { table: 'Catalog', key: 's' },
    });
  });

  test('names five mistakes at most', () => {
    const { details } = refusal({ service: 's', a: 1, b: { c: [1, 2, 3, 4, 5, 6] } });
    expect(String(details.reason).split('; ')).toHaveLength(5);
  });

  test('names the registry as well, where the item has one', () => {
    expect(refusal({ registry: 'Mock/demo', service: 's' }).details).toMatchObject({ key: 'Mock/demo s' });
  });

  test('says so when endpoints cannot be unpacked', () => {
    const error = refusal({ service: 's', a: 1, endpointsGz: Uint8Array.of(1) });
    expect(error.message).toContain('Catalog item s cannot be read: endpointsGz is not gzip of JSON');
    expect(error.cause).toBeDefined();
  });
});
