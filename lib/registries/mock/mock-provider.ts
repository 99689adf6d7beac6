import { systemClock } from '../../runtime/system-clock';
import type { ProviderDefinition } from '../provider-definition';
import { mockSettings } from './settings';

/** Test services, generated fleets and faults. */
export const mockProvider: ProviderDefinition<typeof mockSettings> = {
  provider: 'Mock',
  settings: mockSettings,
  watch: 'unsupported',
  async load() {
    const { MockRegistry } = await import('./mock-registry');
    return ({ cluster, domainSuffix, trustDomain }, settings) =>
      new MockRegistry({ cluster, names: { domainSuffix, trustDomain }, settings, clock: systemClock });
  },
};
