import { readFile } from 'node:fs/promises';

import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

import type { KubeApiServer } from '../kube-apiserver/start-kube-apiserver';
import { waitUntil } from '../processes/wait-until';
import { ensureIstioCustomResourceDefinitions } from './ensure-istiod';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });
const CONDITIONS = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })) }),
});

/** Installs all of Istio's custom resource definitions and returns when the API server serves them. */
export async function installIstioCustomResourceDefinitions(api: KubeApiServer): Promise<void> {
  const yaml = await readFile(await ensureIstioCustomResourceDefinitions(), 'utf8');
  const definitions = parseAllDocuments(yaml).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [DEFINITION.parse(value)];
  });
  for (const definition of definitions) await create(api, definition);
  for (const { metadata } of definitions) await established(api, metadata.name);
}

async function create(api: KubeApiServer, definition: z.infer<typeof DEFINITION>): Promise<void> {
  const { status, body } = await api.send('POST', DEFINITIONS, definition);
  if (status !== 201 && status !== 409) throw new Error(`${definition.metadata.name} was refused: ${status} ${body}`);
}

async function established(api: KubeApiServer, name: string): Promise<void> {
  await waitUntil({
    what: `${name} is established`,
    attempt: async () => {
      const { body } = await api.send('GET', `${DEFINITIONS}/${name}`);
      const { conditions } = CONDITIONS.parse(JSON.parse(body)).status;
      return conditions.some(({ type, status }) => type === 'Established' && status === 'True') || undefined;
    },
  });
}
