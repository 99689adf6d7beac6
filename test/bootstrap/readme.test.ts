import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMON_REGISTRY_KEYS, documentSchema } from '../../lib/bootstrap/configuration-schema';
import { PROVIDERS } from '../../lib/bootstrap/providers';

const README = readFileSync(join(__dirname, '../../README.md'), 'utf8');

test.each([
  ...Object.keys(documentSchema.shape).filter((key) => !['push', 'guard'].includes(key)),
  ...COMMON_REGISTRY_KEYS,
])('the README tells of the key %s', (key) => {
  expect(README).toContain(`\`${key}\``);
});

describe.each(PROVIDERS.map(({ provider, settings }) => ({ provider, keys: Object.keys(settings) })))(
  'the README on $provider',
  ({ provider, keys }) => {
    const [, section = ''] = new RegExp(`\\n### ${provider}\\b(.*?)\\n##+ `, 's').exec(README) ?? [];

    test.each(keys)('tells of the key %s', (key) => {
      expect(section).toContain(`\`${key}\``);
    });
  },
);
