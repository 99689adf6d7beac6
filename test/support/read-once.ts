import type { ExternalRegistry } from '../../lib/registries/external/external-registry';
import type { FullReading } from '../../lib/registries/registry';

/** The one reading that a registry of manifests gives when it is asked. */
export async function readOnce(
  registry: ExternalRegistry,
  signal = new AbortController().signal,
): Promise<FullReading> {
  const readings: FullReading[] = [];
  for await (const reading of registry.read(signal)) readings.push(reading);
  const [reading] = readings;
  if (reading === undefined || readings.length > 1) throw new Error(`${readings.length} readings in place of one`);
  return reading;
}
