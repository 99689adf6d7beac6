import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { configurationJsonSchema } from '../../lib/bootstrap/configuration-schema';
import { PROVIDERS } from '../../lib/bootstrap/providers';

/** Writes the JSON Schema of the configuration document anew: `npm run schemas`. */
const file = join(__dirname, '../../lib/bootstrap/configuration.schema.json');

void format(JSON.stringify(configurationJsonSchema(PROVIDERS)), { parser: 'json', printWidth: 120 }).then((text) =>
  writeFileSync(file, text),
);
