import * as z from 'zod';
import type { ProviderDefinition } from '../../lib/registries/provider-definition';

const load = () => Promise.reject(new Error('these definitions are for parsing only'));

/** Definitions of three kinds of provider, for tests of configuration that need no registry behind them. */
export const testDefinitions: readonly ProviderDefinition[] = [
  {
    provider: 'Kubernetes',
    settings: {
      kubeconfig: z.string().optional(),
      eks: z.strictObject({ name: z.string() }).optional(),
      serviceEntries: z.boolean().optional(),
    },
    watch: 'default',
    load,
    companion: { provider: 'External', wantedBy: 'serviceEntries', load },
  },
  { provider: 'External', settings: { source: z.string().optional() }, watch: 'unsupported', load },
  { provider: 'Mock', settings: { faults: z.array(z.string()).optional() }, watch: 'unsupported', load },
];
