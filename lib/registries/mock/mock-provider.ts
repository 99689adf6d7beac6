import type { ProviderDefinition } from '../provider-definition';
export const mockProvider: ProviderDefinition = { provider: 'Mock', settings: {}, watch: 'unsupported', load: () => Promise.resolve(() => ({ provider: 'Mock', cluster: 'x', async *read() { await Promise.resolve(); yield { type: 'full', snapshots: [], unreadable: [], notes: [], cost: { requests: 0, bytes: 0 } }; } })) };
