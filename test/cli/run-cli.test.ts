import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { cli } from '../support/collected-io';
import { EmbeddedWorld } from '../support/embedded-world';

const HELLO = 'default/hello.default.svc.cluster.local';
const SAMPLE = 'registries: [{ provider: Mock, cluster: demo }]';

let world: EmbeddedWorld;
let config: string;

beforeEach(async () => {
  world = await EmbeddedWorld.make();
  config = join(world.folder, 'pilotless.yaml');
  await writeFile(config, SAMPLE);
});

afterEach(() => world.end());

const once = (...more: readonly string[]) => cli(['discovery', '--config', config, '--once', ...more]);

describe('pilotless discovery --once', () => {
  test('prints services, registries and conflicts as tables', async () => {
    const { code, out, err } = await once();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^NAMESPACE +SERVICE +RESOLUTION +ADDRESS +PORTS +ENDPOINTS +REGISTRIES +CONFLICTS$/);
    expect(lines[1]).toMatch(
      /^default +hello\.default\.svc\.cluster\.local +ClientSideLB +10\.1\.0\.0 +80\/HTTP,.*,\+2 +13 +Mock\/demo,External\/default +2$/,
    );
    expect(lines).toContainEqual(expect.stringMatching(/^External\/default +synced +3 +4 +\d+s +-$/));
    expect(lines).toContainEqual(
      expect.stringMatching(/ProtocolConflict +ports\/TCP\/80 +HTTP \(Mock\/demo\) +GRPC \(External\/default\)$/),
    );
  });

  test('prints one JSON document that says how complete it is', async () => {
    const { code, out, err } = await once('-o', 'json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      completeness: { complete: true, failed: [] },
      registries: [{ registry: 'External/default' }, { registry: 'Mock/demo' }],
      services: [{ key: HELLO }, {}, {}, {}],
    });
  });

  test('exits with 1 when a source could not be read, names it, and prints what there is', async () => {
    await writeFile(world.manifest('broken.yaml'), 'bad: [');
    const { code, out, err } = await once();
    expect(code).toBe(1);
    expect(out).toContain('hello.default.svc.cluster.local');
    expect(err).toContain('source=service-entries/broken.yaml');
    expect(err).toContain('incomplete: External/default: read in part');
  });

  test('exits with 1 when a registry failed', async () => {
    await writeFile(config, 'registries: [{ provider: Mock, faults: [{ type: error, rate: 1 }] }]');
    const { code, err } = await once();
    expect(code).toBe(1);
    expect(err).toContain('incomplete: Mock/default: never read yet');
  });

  test('--registries and --domain need no document', async () => {
    const { code, out } = await cli([
      'discovery',
      '--registries',
      'Mock',
      '--domain',
      'mesh.local',
      '--once',
      '-o',
      'json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ services: [{ key: 'default/hello.default.svc.mesh.local' }, {}] });
  });
});

describe('pilotless discovery', () => {
  test('prints the catalog, then one line an event; ends when it is told to, and says where its tables are', async () => {
    const stop = new AbortController();
    const told: string[] = [];
    const result = await cli(['discovery', '--config', config, '--resync', '100ms', '--port', '0'], {
      stopped: stop.signal,
      onErr: (text) => told.push(text),
      onOut: (text) => {
        if (text.includes('Push Requested')) stop.abort();
      },
    });
    expect(result.code).toBe(0);
    expect(told[0]).toMatch(/^Tables at http:\/\/127\.0\.0\.1:\d+$/);
    expect(result.out).toMatch(/\n\S+Z {2}Push Requested {2}full push of 4 configs \(service=\d+\) {2}\S+$/);
  });

  test('with -o yaml each is a document of its own', async () => {
    const stop = new AbortController();
    const { out } = await cli(['discovery', '--config', config, '--resync', '100ms', '--port', '0', '-o', 'yaml'], {
      stopped: stop.signal,
      onOut: (text) => {
        if (text.includes('Push Requested')) stop.abort();
      },
    });
    expect(parseAllDocuments(out).map((document) => document.get('type'))).toEqual(['Catalog', 'Push Requested']);
  });
});

describe('commands that read a stored catalog', () => {
  let reader: EmbeddedWorld;
  let stored: readonly string[];

  beforeAll(async () => {
    reader = await EmbeddedWorld.make();
    stored = ['--data-dir', reader.dataDir];
    const document = join(reader.folder, 'pilotless.yaml');
    await writeFile(document, SAMPLE);
    await cli(['discovery', '--config', document, '--once', ...stored]);
  });

  afterAll(() => reader.end());

  test('services, of all namespaces or one', async () => {
    const all = await cli(['services', ...stored]);
    expect(all.code).toBe(0);
    expect(all.out.split('\n')).toHaveLength(5);
    const shop = await cli(['services', '-n', 'shop', ...stored, '-o', 'json']);
    expect(JSON.parse(shop.out)).toMatchObject({
      services: [{ hostname: 'api.payments.example.com' }, { hostname: 'orders-db.shop.vm' }],
    });
    expect((await cli(['services', '-n', 'nowhere', ...stored])).out).toBe('No services.');
  });

  test.each(['hello', 'hello.default.svc.cluster.local', 'Hello.default.svc.cluster.local.', 'default/hello', HELLO])(
    'service %s',
    async (name) => {
      const { code, out } = await cli(['service', name, ...stored]);
      expect(code).toBe(0);
      expect(out).toMatch(/^Service: +default\/hello\.default\.svc\.cluster\.local\n/);
      expect(out).toMatch(/\n10\.30\.0\.1:8080 +http +Healthy .* External\/default +version=vm\n/);
    },
  );

  test('registries', async () => {
    const { code, out } = await cli(['registries', ...stored]);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(/ +/).slice(0, 4))).toEqual([
      ['REGISTRY', 'STATE', 'SERVICES', 'ENDPOINTS'],
      ['External/default', 'synced', '3', '4'],
      ['Mock/demo', 'synced', '2', '24'],
    ]);
  });

  test('changes, of all services or one, and of one that is gone', async () => {
    const { out } = await cli(['changes', ...stored, '-o', 'json', '--limit', '2']);
    expect(JSON.parse(out)).toHaveLength(2);
    const hello = await cli(['changes', 'hello', ...stored]);
    expect(hello.out).toMatch(/ Service Added +default\/hello\.default\.svc\.cluster\.local .* by /);
    const gone = await cli(['changes', 'gone', ...stored]);
    expect(gone.code).toBe(2);
    expect(gone.err).toContain('found by namespace/hostname');
    expect((await cli(['changes', 'shop/gone.example.com', ...stored])).out).toBe('No changes.');
  });
});

describe('commands on a catalog that goes on', () => {
  let stored: readonly string[];

  beforeEach(async () => {
    stored = ['--data-dir', world.dataDir];
    await once(...stored);
  });

  test('a service that is not there exits with 1, and is not said to be gone when not all is known', async () => {
    expect(await cli(['service', 'nobody', ...stored])).toEqual({ code: 1, out: '', err: 'No service nobody.' });
    await writeFile(world.manifest('broken.yaml'), 'bad: [');
    await once(...stored);
    const { code, err } = await cli(['service', 'nobody', ...stored]);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'No service nobody as far as is known.\nincomplete: External/default: read in part',
    });
  });

  test('sync asks for a reading; approve says that nothing is held', async () => {
    const sync = await cli(['sync', 'Mock/demo', ...stored]);
    expect(sync.code).toBe(0);
    expect(sync.err).toContain('A full reading of Mock/demo was asked for');
    const approve = await cli(['approve', 'Mock/demo', ...stored]);
    expect(approve.code).toBe(1);
    expect(approve.err).toContain('Nothing of Mock/demo is held back');
    expect(await cli(['sync', 'Mock/nobody', ...stored])).toMatchObject({ code: 1 });
  });

  test('a folder that a server holds is read through that server', async () => {
    const server = await world.open({ keep: true });
    expect((await cli(['services', ...stored])).out.split('\n')).toHaveLength(5);
    await server.stop();
    expect((await cli(['services', ...stored])).code).toBe(0);
  });
});

describe('mistakes', () => {
  test.each([
    [['discovery', '--nonsense'], "error: unknown option '--nonsense'"],
    [['discovery', '--resync', '5'], 'Allowed: 100ms to 1h, written like 100ms, 5s, 15m or 1h.'],
    [['discovery', '--port', '65536'], 'Allowed: whole numbers from 0 to 65535.'],
    [['discovery', '--registries', ','], 'Allowed: names separated by commas.'],
    [
      ['discovery', '--registries', 'Eureka', '--once'],
      '--registries: "Eureka": not supported; supported: Kubernetes, Consul, MCP, External, Mock',
    ],
    [
      ['discovery', '--config', '/nowhere/pilotless.yaml'],
      'Cannot read configuration document /nowhere/pilotless.yaml: ',
    ],
    [['services', '-o', 'xml'], 'Allowed choices are table, json, yaml.'],
    [['services', '--data-dir', '/nowhere'], 'No catalog in /nowhere: there is no such folder'],
    [['services', '--data-dir', 'a', '--endpoint-url', 'b'], 'cannot be used with option'],
    [['service'], "missing required argument 'name'"],
    [['sync', 'demo'], 'Registry "demo" is not of the form provider/cluster'],
    [['nonsense'], "unknown command 'nonsense'"],
  ])('%j is a usage mistake', async (args, message) => {
    const { code, out, err } = await cli(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('of the configuration are all reported', async () => {
    await writeFile(config, 'registries: [{ provider: Mock, intervall: 5s }]\npush: { quiet: 5 }');
    const { code, err } = await once();
    expect(code).toBe(2);
    expect(err).toContain('2 mistakes');
    expect(err).toContain('registries[0].intervall (line 1): "5s": unknown key');
    expect(err).toContain('push.quiet (line 2): 5: not a duration');
  });
});

test('--version is that of the package', async () => {
  const { version } = JSON.parse(await readFile(join(__dirname, '../../package.json'), 'utf8')) as { version: string };
  expect(await cli(['--version'])).toMatchObject({ code: 0, out: version, err: '' });
});

describe('help', () => {
  test.each(['discovery', 'services', 'service', 'registries', 'changes', 'sync', 'approve'])(
    'of %s has examples',
    async (command) => {
      const { code, out } = await cli([command, '--help']);
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`\\nExamples:\\n +pilotless ${command}`));
    },
  );
});
