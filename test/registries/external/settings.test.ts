import * as z from 'zod';
import { externalSettings, locationOf } from '../../../lib/registries/external/settings';

const schema = z.strictObject(externalSettings);

const messagesOf = (settings: unknown) =>
  schema.safeParse(settings).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

const NOT_A_SOURCE = 'not a source; allowed: a folder or file, a list of them, or s3://bucket/prefix';
const NOT_A_PATH = 'not a path; allowed: a folder or file';

describe('source', () => {
  test.each([
    ['nothing', undefined, { type: 'folder', paths: ['service-entries'], mayBeMissing: true }],
    ['a folder', 'manifests', { type: 'folder', paths: ['manifests'], mayBeMissing: false }],
    [
      'the default folder by name',
      'service-entries',
      { type: 'folder', paths: ['service-entries'], mayBeMissing: false },
    ],
    [
      'an absolute file',
      '/etc/pilotless/a.yaml',
      { type: 'folder', paths: ['/etc/pilotless/a.yaml'], mayBeMissing: false },
    ],
    ['a list', ['a', 'b/c.yaml'], { type: 'folder', paths: ['a', 'b/c.yaml'], mayBeMissing: false }],
    ['a bucket', 's3://my-bucket', { type: 's3', bucket: 'my-bucket', prefix: '' }],
    ['a bucket with a slash', 's3://my-bucket/', { type: 's3', bucket: 'my-bucket', prefix: '' }],
    ['a bucket and prefix', 's3://my.bucket-1/a b/c/', { type: 's3', bucket: 'my.bucket-1', prefix: 'a b/c/' }],
  ])('may be %s', (_rule, source, location) => {
    const settings = source === undefined ? {} : { source };
    expect(messagesOf(settings)).toEqual([]);
    expect(locationOf(schema.parse(settings).source)).toEqual(location);
  });

  test.each([
    ['empty', '', [`source: ${NOT_A_SOURCE}`]],
    ['a number', 1, [`source: ${NOT_A_SOURCE}`]],
    ['a list of nothing', [], [`source: ${NOT_A_SOURCE}`]],
    ['a list with something empty', ['a', ''], [`source.1: ${NOT_A_PATH}`]],
    ['a list with a bucket', ['a', 's3://my-bucket/x'], [`source.1: ${NOT_A_PATH}`]],
    ['a web address', 'https://example.com/a.yaml', [`source: ${NOT_A_SOURCE}`]],
    ['a bucket that cannot be', 's3://My_Bucket/x', [`source: ${NOT_A_SOURCE}`]],
    ['a bucket with a short name', 's3://ab', [`source: ${NOT_A_SOURCE}`]],
    ['no bucket', 's3://', [`source: ${NOT_A_SOURCE}`]],
  ])('must not be %s', (_rule, source, messages) => {
    expect(messagesOf({ source })).toEqual(messages);
  });
});

test('other keys are unknown', () => {
  expect(messagesOf({ sources: 'a' })).toEqual([': Unrecognized key: "sources"']);
});

test('the settings have a JSON Schema', () => {
  expect(z.toJSONSchema(schema)).toMatchObject({
    properties: { source: { anyOf: [{ type: 'string' }, { type: 'array' }] } },
  });
});
