import { rename, writeFile } from 'node:fs/promises';
import { isServiceChange } from '../../lib/changes/pilotless-event';
import { EmbeddedWorld, INTERVAL_MS } from '../support/embedded-world';

/**
 * Part of `npm run bench`: how long an edited manifest takes to its change event, through every stage of an embedded server
 * whose tables are in memory. An edit waits half an interval for the next reading on average, and a whole one at most.
 */

const EDITS = 50;

function manifest(edit: number): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: edited, namespace: bench }
spec:
  hosts: [edited.example.com]
  ports: [{ number: 443, name: tls, protocol: TLS }]
  resolution: STATIC
  endpoints: [{ address: 10.9.${Math.floor(edit / 256)}.${edit % 256} }]
`;
}

async function main(): Promise<void> {
  const world = await EmbeddedWorld.make();
  const server = await world.open();
  await server.start();
  const times: number[] = [];
  for (let edit = 0; edit <= EDITS; edit += 1) {
    const before = changes(world);
    // Written aside and moved: a reading sees the old manifest or the new one, never a part.
    await writeFile(`${world.folder}/edit`, manifest(edit));
    const start = performance.now();
    await rename(`${world.folder}/edit`, world.manifest('edited.yaml'));
    await world.until(`change ${edit}`, () => changes(world) > before);
    if (edit > 0) times.push(performance.now() - start);
  }
  await world.end();
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.ceil(share * times.length) - 1] ?? NaN).toFixed(0);
  process.stdout.write(
    `\nManifest edited to change event, ${EDITS} edits, interval ${INTERVAL_MS} ms: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms\n`,
  );
}

function changes({ events }: EmbeddedWorld): number {
  return events.filter((event) => isServiceChange(event) && event.detail.service.namespace === 'bench').length;
}

void main();
