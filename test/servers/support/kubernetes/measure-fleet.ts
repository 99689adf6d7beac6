// A process of its own that reads one cluster from empty and prints what that cost, as JSON. Arguments: what, kubeconfig.
import * as z from 'zod';
import { parseConfiguration } from '../../../../lib/bootstrap/parse-configuration';
import { PROVIDERS } from '../../../../lib/bootstrap/providers';
import { EmbeddedServer } from '../../../../lib/embedded/embedded-server';
import { KubernetesRegistry } from '../../../../lib/registries/kubernetes/kubernetes-registry';
import { kubernetesSettings } from '../../../../lib/registries/kubernetes/settings';
import { MemoryMetrics } from '../../../../lib/runtime/memory-metrics';
import { systemClock } from '../../../../lib/runtime/system-clock';
import { textLog } from '../../../../lib/cli/text-log';

const MEGABYTE = 2 ** 20;
const KILOBYTE = 2 ** 10;

/** What reading the cluster gave and took. */
type Reading = {
  readonly services: number;
  readonly endpoints: number;
  readonly requests: number;
  readonly bytes?: number;
};

/** What stays in memory as long as the process reads on. */
const kept: unknown[] = [];

/** One full reading of the registry, which goes on watching. */
async function readOnly(kubeconfig: string): Promise<Reading> {
  const context = { cluster: 'prod', mode: 'watch', domainSuffix: 'a', trustDomain: 'a', baseDir: '/' } as const;
  const settings = z.strictObject(kubernetesSettings).parse({ kubeconfig });
  const readings = new KubernetesRegistry(context, settings, { clock: systemClock }).read(new AbortController().signal);
  kept.push(readings);
  const first = await readings.next();
  if (first.done === true || first.value.type !== 'full') throw new Error('the first reading has to be full');
  const { snapshots, cost } = first.value;
  const endpoints = snapshots.reduce((sum, snapshot) => sum + snapshot.endpoints.length, 0);
  return { services: snapshots.length, endpoints, ...cost };
}

/** All stages: until every service has been told. */
async function throughAllStages(kubeconfig: string): Promise<Reading> {
  const document = JSON.stringify({ registries: [{ provider: 'Kubernetes', cluster: 'prod', kubeconfig }] });
  const { configuration } = parseConfiguration(document, { file: 'measure-fleet', definitions: PROVIDERS });
  const server = await EmbeddedServer.open({
    configuration,
    providers: PROVIDERS,
    baseDir: '/var/empty',
    clock: systemClock,
    log: textLog((line) => process.stderr.write(`${line}\n`), 'error'),
    metrics: new MemoryMetrics(),
  });
  kept.push(server);
  let told = 0;
  server.appendServiceHandler(() => void (told += 1));
  await server.start();
  const rowOf = async () => {
    const rows = await server.catalog.registries();
    return rows.find(({ registry, services }) => registry === 'Kubernetes/prod' && services > 0);
  };
  let row = await rowOf();
  while (row === undefined || told < row.services) {
    await systemClock.delay(100);
    row = await rowOf();
  }
  const { services, endpoints, requests } = row;
  return { services, endpoints, requests };
}

/** What is in use after all that is not has been collected; Node has to run with `--expose-gc`. */
function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('node runs without --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

async function measure([what, kubeconfig = '']: readonly string[]): Promise<object> {
  const before = heapBytes();
  const startedAt = performance.now();
  const reading = await (what === 'registry' ? readOnly : throughAllStages)(kubeconfig);
  const seconds = (performance.now() - startedAt) / 1_000;
  const keptMegabytes = (heapBytes() - before) / MEGABYTE;
  const largestMegabytes = process.resourceUsage().maxRSS / KILOBYTE;
  return { ...reading, seconds, keptMegabytes, largestMegabytes };
}

void measure(process.argv.slice(2)).then((result) => {
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit();
});
