import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { EVENT_SCHEMAS } from '../../lib/changes/event-schemas';
import type { EventType } from '../../lib/changes/pilotless-event';

const FOLDER = join(__dirname, '../../lib/changes/schemas');

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });

const validators = new Map(
  [...new Set(Object.values(EVENT_SCHEMAS))].map((file) => [
    file,
    ajv.compile(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as object),
  ]),
);

/** What the JSON Schema of that type has against the detail, after it has been JSON once; empty when it is valid. */
export function schemaErrors(type: EventType, detail: object): readonly string[] {
  const validate = validators.get(EVENT_SCHEMAS[type]);
  if (validate === undefined) throw new Error(`No schema of ${type}`);
  const asSent: unknown = JSON.parse(JSON.stringify(detail));
  return validate(asSent)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}
