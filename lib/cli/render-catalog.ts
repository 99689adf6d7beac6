import type { ChangeRecord } from '../changes/change-store';
import type { PilotlessEvent, ServiceChangeEvent } from '../changes/pilotless-event';
import type { Completeness, RegistryFreshness } from '../discovery/completeness';
import type { CatalogEntry } from '../model/catalog-entry';
import type { Conflict, ConflictSide } from '../model/conflict';
import { formatAddress, NO_ADDRESS } from '../model/ip-address';
import type { Port } from '../model/port';
import { formatAge } from './format-age';
import { textTable } from './text-table';

/** The table of services: one line each, by key. */
export function renderServices(entries: readonly CatalogEntry[]): string {
  if (entries.length === 0) return 'No services.';
  return textTable(
    ['NAMESPACE', 'SERVICE', 'RESOLUTION', 'ADDRESS', 'PORTS', 'ENDPOINTS', 'REGISTRIES', 'CONFLICTS'],
    entries.map((entry) => [
      entry.namespace,
      entry.hostname,
      entry.resolution,
      entry.address === NO_ADDRESS ? '-' : entry.address,
      renderPorts(entry.ports),
      String(entry.endpoints.length),
      entry.registries.map(({ registry }) => registry).join(','),
      entry.conflicts.length === 0 ? '-' : String(entry.conflicts.length),
    ]),
  );
}

function renderPorts(ports: readonly Port[]): string {
  const shown = ports.slice(0, 4).map((port) => `${port.number}/${port.protocol}`);
  return [...shown, ...(ports.length > 4 ? [`+${ports.length - 4}`] : [])].join(',');
}

/** The table of registries: state, counts, age of the newest good reading, and what is wrong. */
export function renderRegistries(registries: readonly RegistryFreshness[]): string {
  if (registries.length === 0) return 'No registries.';
  return textTable(
    ['REGISTRY', 'STATE', 'SERVICES', 'ENDPOINTS', 'AGE', 'DETAIL'],
    registries.map((registry) => [
      registry.registry,
      registry.state + (registry.stale ? ' (stale)' : ''),
      String(registry.services),
      String(registry.endpoints),
      registry.ageMs === undefined ? '-' : formatAge(registry.ageMs),
      renderTrouble(registry),
    ]),
  );
}

function renderTrouble({ lastError, held, unreadable }: RegistryFreshness): string {
  const parts = [
    ...(lastError === undefined ? [] : [`${lastError.code}: ${firstLine(lastError.message)}`]),
    ...(unreadable === 0 ? [] : [`${unreadable} unreadable`]),
    ...(held === undefined ? [] : [`held: ${held.services} services, ${held.endpoints} endpoints`]),
  ];
  return parts.length === 0 ? '-' : parts.join('; ');
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

/** The table of conflicts between registries; empty text when there are none. */
export function renderConflicts(entries: readonly CatalogEntry[]): string {
  const rows = entries.flatMap((entry) => entry.conflicts.map((conflict) => conflictRow(entry, conflict)));
  return rows.length === 0 ? '' : textTable(['SERVICE', 'CONFLICT', 'FIELD', 'WINNER', 'LOSERS'], rows);
}

function conflictRow(entry: CatalogEntry, conflict: Conflict): readonly string[] {
  return [
    entry.key,
    conflict.type,
    conflict.field,
    renderSide(conflict.winner),
    conflict.losers.map(renderSide).join(', '),
  ];
}

function renderSide({ registry, source, value }: ConflictSide): string {
  const where = source === undefined ? registry : `${registry} ${source}`;
  return `${typeof value === 'string' ? value : JSON.stringify(value)} (${where})`;
}

/** Everything of one service: its members, ports, endpoints and conflicts. */
export function renderService(entry: CatalogEntry): string {
  const members: readonly (readonly [string, string])[] = [
    ['Service', entry.key],
    ['Name', entry.name],
    ['Resolution', entry.resolution],
    ['Location', entry.meshExternal ? 'external' : 'internal'],
    ['Address', entry.address === NO_ADDRESS ? '-' : [entry.address, ...entry.addresses.slice(1)].join(', ')],
    ['Cluster VIPs', renderByCluster(entry.clusterVips)],
    ['Accounts', entry.serviceAccounts.join(', ') || '-'],
    ['Export to', entry.exportTo.join(', ') || 'mesh default'],
    ['Labels', renderLabels(entry.labels)],
    ['Registries', entry.registries.map(({ registry, endpoints }) => `${registry} (${endpoints})`).join(', ')],
    ['Version', `${entry.version} of ${entry.updatedAt}, caused by ${entry.cause.registry}`],
  ];
  const width = Math.max(...members.map(([name]) => name.length)) + 2;
  const sections = [
    members.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`).join('\n'),
    textTable(
      ['PORT', 'NUMBER', 'PROTOCOL', 'TRANSPORT'],
      entry.ports.map((port) => [port.name, String(port.number), port.protocol, port.transport]),
    ),
    entry.endpoints.length === 0 ? 'No endpoints.' : renderEndpoints(entry),
    renderConflicts([entry]),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function renderEndpoints(entry: CatalogEntry): string {
  return textTable(
    ['ENDPOINT', 'PORT', 'HEALTH', 'WEIGHT', 'LOCALITY', 'WORKLOAD', 'REGISTRY', 'LABELS'],
    entry.endpoints.map((endpoint) => [
      formatAddress(endpoint.addresses[0] ?? '', endpoint.port),
      endpoint.servicePort,
      endpoint.health,
      String(endpoint.weight),
      endpoint.locality || '-',
      `${endpoint.workload.namespace}/${endpoint.workload.name}`,
      endpoint.registry,
      renderLabels(endpoint.labels),
    ]),
  );
}

function renderByCluster(addresses: CatalogEntry['clusterVips']): string {
  const clusters = Object.entries(addresses).map(([cluster, list]) => `${cluster}=${list.join(',')}`);
  return clusters.length === 0 ? '-' : clusters.join(' ');
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? '-' : pairs.join(',');
}

/** What is not known, one line each; empty text when the answer is complete. */
export function renderIncompleteness(completeness: Completeness): string {
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['never read yet', completeness.neverSynced],
    ['failing, the last good data is shown', completeness.failed],
    ['read in part', completeness.degraded],
    ['stale', completeness.stale],
    ['paused', completeness.paused],
  ];
  return lines
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => `incomplete: ${ids.join(', ')}: ${what}`)
    .join('\n');
}

/** One event in one line. */
export function renderEvent(event: PilotlessEvent): string {
  const at = event.detail.metadata.at;
  switch (event.type) {
    case 'Service Added':
    case 'Service Updated':
    case 'Service Deleted':
    case 'Endpoints Changed':
      return `${at}  ${event.type}  ${event.detail.service.key}  ${renderChange(event)}`;
    case 'Push Requested': {
      const { push } = event.detail;
      const reasons = Object.entries(push.reason).map(([reason, count]) => `${reason}=${count}`);
      const what = push.all ? 'everything' : `${push.configsUpdated.length} configs`;
      return `${at}  ${event.type}  ${push.full ? 'full' : 'incremental'} push of ${what} (${reasons.join(', ')})  ${push.pushId}`;
    }
    case 'Registry Failed':
    case 'Registry Recovered':
    case 'Removal Held':
    case 'Removal Released': {
      const { registry, error, held, released } = event.detail;
      const facts = [
        ...(error === undefined ? [] : [`${error.code}: ${error.message}`]),
        ...(held === undefined ? [] : [`${held.services} services, ${held.endpoints} endpoints`]),
        ...(released === undefined ? [] : [released]),
      ];
      return `${at}  ${event.type}  ${registry.id}  ${facts.join('; ')}`.trimEnd();
    }
  }
}

function renderChange({ detail }: ServiceChangeEvent): string {
  const { endpoints, fields } = detail.change;
  const { added, removed, changed } = endpoints.counts;
  const counts = [
    ...(added > 0 ? [`+${added}`] : []),
    ...(removed > 0 ? [`-${removed}`] : []),
    ...(changed > 0 ? [`~${changed}`] : []),
  ];
  const parts = [
    `endpoints ${endpoints.before} -> ${endpoints.after}${counts.length === 0 ? '' : ` (${counts.join(' ')})`}`,
    ...(fields.length === 0 ? [] : [`fields ${fields.join(', ')}`]),
    `by ${detail.metadata.cause.registry}`,
  ];
  return parts.join('  ');
}

/** The table of changes, oldest first. */
export function renderChanges(records: readonly ChangeRecord[]): string {
  if (records.length === 0) return 'No changes.';
  return textTable(
    ['PUBLISHED', 'CHANGE', 'SERVICE', 'VERSION', 'DETAIL'],
    records.map(({ publishedAt, event, key, version }) => [
      publishedAt,
      event.type,
      key,
      String(version),
      renderChange(event),
    ]),
  );
}
