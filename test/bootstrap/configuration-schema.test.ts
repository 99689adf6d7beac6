import Ajv2020 from 'ajv/dist/2020';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { configurationJsonSchema } from '../../lib/bootstrap/configuration-schema';
import { PROVIDERS } from '../../lib/bootstrap/providers';

const ROOT = join(__dirname, '../..');

const committed: unknown = JSON.parse(readFileSync(join(ROOT, 'lib/bootstrap/configuration.schema.json'), 'utf8'));

test('the committed JSON Schema is that of the providers there are (npm run schemas writes it anew)', () => {
  expect(committed).toEqual(JSON.parse(JSON.stringify(configurationJsonSchema(PROVIDERS))));
});

describe('the JSON Schema', () => {
  const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(configurationJsonSchema(PROVIDERS));
  const accepts = (text: string) => validate(parse(text));

  test('takes the sample configuration', () => {
    expect(accepts(readFileSync(join(ROOT, 'infra/pilotless.yaml'), 'utf8'))).toBe(true);
  });

  test.each([
    'registries: [{ provider: Eureka }]',
    'registries: [{ provider: Mock, intervall: 5s }]',
    'guard: { confirmations: 0 }',
    'push: { quiet: 100 }',
    'domainSufix: a',
  ])('refuses %s', (text) => {
    expect(accepts(text)).toBe(false);
  });
});
