import { parseConfiguration } from '../../../lib/bootstrap/parse-configuration';
import { mockProvider } from '../../../lib/registries/mock/mock-provider';

function settings(text: string) {
  return parseConfiguration(`registries: [{ provider: Mock, ${text} }]`, { file: 'f', definitions: [mockProvider] })
    .configuration.registries[0]?.settings;
}

test('a fleet and every fault', () => {
  const faults = [
    '{ type: churn, share: 0.1, seed: 3 }',
    '{ type: flap, share: 1 }',
    '{ type: latency, delay: 2s }',
    '{ type: error, rate: 0.5, from: 2, until: 9 }',
    '{ type: empty }',
    '{ type: truncate, share: 0 }',
    '{ type: partial, share: 0.2 }',
    '{ type: reorder }',
  ];
  expect(settings(`services: 10, endpoints: 0, faults: [${faults.join(', ')}]`)).toEqual({
    services: 10,
    endpoints: 0,
    faults: [
      { type: 'churn', share: 0.1, seed: 3 },
      { type: 'flap', share: 1 },
      { type: 'latency', delay: 2000 },
      { type: 'error', rate: 0.5, from: 2, until: 9 },
      { type: 'empty' },
      { type: 'truncate', share: 0 },
      { type: 'partial', share: 0.2 },
      { type: 'reorder' },
    ],
  });
});

test.each([
  ['services: 0', 'registries[0].services (line 1): 0: not a count; allowed: 1 to 100000'],
  ['endpoints: 1.5', 'registries[0].endpoints (line 1): 1.5: not a count; allowed: 0 to 1000000'],
  ['faults: churn', 'registries[0].faults (line 1): "churn": not a list; allowed: a list of faults'],
  [
    'faults: [{ type: churm }]',
    'registries[0].faults[0].type (line 1): "churm": not a fault; allowed: keys and values with type churn, flap, latency, error, empty, truncate, partial, reorder',
  ],
  ['faults: [{ type: churn, share: 2 }]', 'registries[0].faults[0].share (line 1): 2: not a share; allowed: 0 to 1'],
  ['faults: [{ type: churn }]', 'registries[0].faults[0].share (line 1): missing; allowed: 0 to 1'],
  [
    'faults: [{ type: empty, share: 1 }]',
    'registries[0].faults[0].share (line 1): 1: unknown key; allowed: type, seed, from, until',
  ],
  [
    'faults: [{ type: empty, from: 0 }]',
    'registries[0].faults[0].from (line 1): 0: not a reading; allowed: whole numbers from 1 on',
  ],
])('pitfall 5: %s is refused', (text, message) => {
  expect(() => settings(text)).toThrow(message);
});
