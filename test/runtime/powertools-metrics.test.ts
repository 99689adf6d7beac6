import { PowertoolsMetrics } from '../../lib/runtime/powertools-metrics';
import { ManualClock } from '../support/manual-clock';

let written: Record<string, unknown>[];
let clock: ManualClock;
let metrics: PowertoolsMetrics;

beforeEach(() => {
  process.env.POWERTOOLS_SERVICE_NAME = 'pilotless';
  written = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    return written.push(JSON.parse(String(line)) as Record<string, unknown>) > 0;
  });
  clock = new ManualClock();
  metrics = new PowertoolsMetrics(() => clock.now());
});

function dimensionsOf(line: Record<string, unknown> | undefined): unknown {
  const { CloudWatchMetrics: directives } = line?._aws as { CloudWatchMetrics: { Dimensions: unknown }[] };
  return directives[0]?.Dimensions;
}

test('values of a stage are gathered into one line with the installation as dimension', () => {
  metrics.add('PollRuns', 1);
  metrics.add('PollRuns', 1);
  metrics.add('PropagationSeconds', 0.25);
  expect(written).toEqual([]);

  metrics.flush();
  expect(written).toMatchObject([{ service: 'pilotless', PollRuns: [1, 1], PropagationSeconds: 0.25 }]);
  expect(dimensionsOf(written[0])).toEqual([['service']]);
});

test('pitfall 31: zeros are emitted', () => {
  metrics.add('KeysRepaired', 0);
  metrics.flush();

  expect(written).toMatchObject([{ KeysRepaired: 0 }]);
});

test('values of each registry have a line of their own, with the registry as a dimension', () => {
  metrics.addOfRegistry('Mock/a', 'Services', 2);
  metrics.addOfRegistry('Mock/b', 'Services', 3);
  metrics.flush();
  metrics.addOfRegistry('Mock/a', 'Services', 4);
  metrics.flush();

  expect(written).toMatchObject([
    { registry: 'Mock/a', Services: 2 },
    { registry: 'Mock/b', Services: 3 },
    { registry: 'Mock/a', Services: 4 },
  ]);
  expect(written.map(dimensionsOf)).toEqual(Array(3).fill([['service', 'registry']]));
});

test('a run of many minutes writes every half minute', () => {
  metrics.add('PollRuns', 1);
  clock.advance(29_999);
  metrics.add('PollRuns', 1);
  expect(written).toEqual([]);

  clock.advance(1);
  metrics.add('PollRuns', 1);
  expect(written).toMatchObject([{ PollRuns: [1, 1, 1] }]);
});

test('nothing is written when there is nothing to write', () => {
  metrics.flush();

  expect(written).toEqual([]);
});

test.each([
  ['PropagationSeconds', 'Seconds'],
  ['PollDurationMs', 'Milliseconds'],
  ['PollRuns', 'Count'],
] as const)('%s is measured in %s', (name, unit) => {
  metrics.add(name, 1);
  metrics.flush();

  expect(JSON.stringify(written)).toContain(`{"Name":"${name}","Unit":"${unit}"}`);
});
