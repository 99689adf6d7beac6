import { S3Client } from '@aws-sdk/client-s3';
import { S3ManifestSource } from '../../../lib/registries/external/s3-manifest-source';
import { contentsOf, describeManifestSource, versionsOf } from '../../contract/manifest-source';
import { s3Error, SmallS3Server } from '../../support/small-s3-server';

const BUCKET = 'my-bucket';
const PAGE = 3;
const { signal } = new AbortController();
const NOTHING_KNOWN: ReadonlyMap<string, string> = new Map();

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function setUp(prefix = 'entries/', bucket = BUCKET, timeoutMs = 5000) {
  const server = new SmallS3Server(BUCKET, PAGE);
  const endpoint = await server.start();
  const client = new S3Client({
    endpoint,
    forcePathStyle: true,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  stops.push(() => {
    client.destroy();
    return server.stop();
  });
  const source = new S3ManifestSource({ bucket, prefix, client, timeoutMs });
  return { server, source, read: (known = NOTHING_KNOWN) => source.read(known, signal) };
}

describeManifestSource('S3', async () => {
  const { server, source } = await setUp();
  return {
    source,
    put: (name, contents) => {
      server.put(`entries/${name}`, contents);
      return Promise.resolve();
    },
    remove: (name) => {
      server.remove(`entries/${name}`);
      return Promise.resolve();
    },
    sourceOf: (name) => `s3://my-bucket/entries/${name}`,
  };
});

test.each([0, 1, PAGE, PAGE + 1, 10 * PAGE])('pitfall 2: all of %p objects are read, in pages of 3', async (count) => {
  const { server, read } = await setUp();
  for (let i = 0; i < count; i += 1) server.put(`entries/${i}.yaml`, `${i}`);
  const { files, cost } = await read();
  expect(files).toHaveLength(count);
  const pages = Math.max(1, Math.ceil(count / PAGE));
  expect(server.requests.filter((request) => request === 'LIST entries/')).toHaveLength(pages);
  expect(cost.requests).toBe(pages + count);
});

describe('the prefix', () => {
  test.each([
    ['a folder', 'entries/', ['entries/a.yaml', 'entries/x/b.yaml']],
    [
      'a folder without its slash, and not what merely begins like it',
      'entries',
      ['entries/a.yaml', 'entries/x/b.yaml'],
    ],
    ['one object', 'entries/a.yaml', ['entries/a.yaml']],
    ['a hidden folder that was asked for', '.hidden/', ['.hidden/c.yaml']],
    ['nothing: the whole bucket', '', ['entries/a.yaml', 'entries/x/b.yaml', 'entries-old/d.yaml']],
  ])('may be %s', async (_rule, prefix, keys) => {
    const { server, read } = await setUp(prefix);
    for (const key of ['.hidden/c.yaml', 'entries/', 'entries/a.yaml', 'entries/x/b.yaml', 'entries-old/d.yaml'])
      server.put(key, 'x');
    expect((await read()).files.map(({ source }) => source).sort()).toEqual(
      keys.map((key) => `s3://my-bucket/${key}`).sort(),
    );
  });
});

describe('an object', () => {
  test('is fetched only when its ETag is another', async () => {
    const { server, read } = await setUp();
    server.put('entries/a.yaml', 'one');
    server.put('entries/b.yaml', 'two');
    const known = versionsOf(await read());
    server.put('entries/b.yaml', 'three');
    server.requests.length = 0;
    const listing = await read(known);
    expect(server.requests).toEqual(['LIST entries/', 'GET entries/b.yaml']);
    expect(listing.cost).toEqual({ requests: 2, bytes: 5 });
  });

  test('that changes between list and fetch has the version of what was fetched', async () => {
    const { server, read } = await setUp();
    server.put('entries/a.yaml', 'one');
    server.answers.set('GET entries/a.yaml', { status: 200, body: 'two', headers: { etag: '"other"' } });
    expect(contentsOf(await read())).toEqual({ 's3://my-bucket/entries/a.yaml': 'two' });
    expect(versionsOf(await read()).get('s3://my-bucket/entries/a.yaml')).toBe('"other"');
  });

  test.each([
    [
      'that may not be read',
      s3Error(403, 'AccessDenied', 'Access Denied'),
      'AccessDenied: Access Denied (the role needs s3:ListBucket on the bucket and s3:GetObject on the objects)',
    ],
    [
      'that vanished after the list',
      s3Error(404, 'NoSuchKey', 'The specified key does not exist.'),
      'NoSuchKey: The specified key does not exist.',
    ],
    [
      'that the server fails on',
      s3Error(500, 'InternalError', 'We encountered an internal error.'),
      'InternalError: We encountered an internal error.',
    ],
    [
      'that is in the archive',
      s3Error(403, 'InvalidObjectState', 'The operation is not valid'),
      'InvalidObjectState: The operation is not valid',
    ],
  ])('pitfall 3: %s is unreadable, and the others are read', async (_rule, answer, reason) => {
    const { server, read } = await setUp();
    server.put('entries/a.yaml', 'one');
    server.put('entries/b.yaml', 'two');
    server.answers.set('GET entries/a.yaml', answer);
    const listing = await read();
    expect(contentsOf(listing)).toEqual({ 's3://my-bucket/entries/b.yaml': 'two' });
    expect(listing.unreadable).toEqual([{ source: 's3://my-bucket/entries/a.yaml', reason }]);
    expect(listing.cost).toEqual({ requests: 3, bytes: 3 });
  });

  test('that breaks off is unreadable', async () => {
    const { server, read } = await setUp();
    server.put('entries/a.yaml', 'one');
    server.answers.set('GET entries/a.yaml', { status: 200, body: 'on', then: 'break-off' });
    const { files, unreadable } = await read();
    expect(files).toEqual([]);
    expect(unreadable).toEqual([
      { source: 's3://my-bucket/entries/a.yaml', reason: expect.stringMatching(/aborted|broke off|reset/) as string },
    ]);
  });

  test('that is too large is unreadable, and not fetched', async () => {
    const { server, read } = await setUp();
    const size = 32 * 1024 * 1024 + 1;
    const body = `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>entries/a.yaml</Key><ETag>"x"</ETag><Size>${size}</Size></Contents></ListBucketResult>`;
    server.answers.set('LIST entries/', { status: 200, body, headers: { 'content-type': 'application/xml' } });
    expect(await read()).toEqual({
      files: [],
      unreadable: [
        {
          source: 's3://my-bucket/entries/a.yaml',
          reason: `it has ${size} bytes, more than the 33554432 that are read; split it`,
        },
      ],
      notes: [],
      cost: { requests: 1, bytes: 0 },
    });
  });
});

describe('pitfall 1: the reading fails, and is not empty,', () => {
  const NOT_A_LIST =
    'Cannot list s3://my-bucket/entries/: the answer is not a list of objects, or breaks off in the middle';
  test.each([
    [
      'when listing is forbidden',
      s3Error(403, 'AccessDenied', 'Access Denied'),
      'Cannot list s3://my-bucket/entries/: AccessDenied: Access Denied (the role needs s3:ListBucket on the bucket and s3:GetObject on the objects)',
      false,
    ],
    [
      'when the server fails',
      s3Error(503, 'SlowDown', 'Please reduce your request rate.'),
      'Cannot list s3://my-bucket/entries/: SlowDown: Please reduce your request rate.',
      true,
    ],
    [
      'when a page of HTML comes in place of a list',
      { status: 200, body: '<html><body>Please log in</body></html>' },
      NOT_A_LIST,
      true,
    ],
    ['when the answer is empty', { status: 200, body: '' }, NOT_A_LIST, true],
    [
      'when a list goes on but does not say where',
      { status: 200, body: '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>' },
      NOT_A_LIST,
      true,
    ],
  ])('%s', async (_rule, answer, message, transient) => {
    const { server, read } = await setUp();
    server.put('entries/a.yaml', 'one');
    server.answers.set('LIST entries/', answer);
    await expect(read()).rejects.toMatchObject({
      code: 'BucketUnreadable',
      message,
      transient,
      details: { bucket: 'my-bucket', prefix: 'entries/' },
    });
  });

  test('when there is no such bucket', async () => {
    const { read } = await setUp('entries/', 'no-bucket');
    await expect(read()).rejects.toMatchObject({
      message: 'Cannot list s3://no-bucket/entries/: NoSuchBucket: The specified bucket does not exist',
      transient: false,
    });
  });

  test('when nobody answers', async () => {
    const { server, read } = await setUp();
    await server.stop();
    await expect(read()).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot list s3:\/\/my-bucket\/entries\/: .*ECONNREFUSED/) as string,
      transient: true,
    });
  });
});

test.each([
  ['LIST entries/', 'rejected'],
  ['GET entries/a.yaml', 'unreadable'],
])('a server that does not answer %s in time: %s', async (request, outcome) => {
  const { server, read } = await setUp('entries/', BUCKET, 50);
  server.put('entries/a.yaml', 'one');
  server.silent.add(request);
  const reason = 'no answer within 50 ms';
  const result = await read().catch((error: unknown) => error);
  expect(result).toMatchObject(
    outcome === 'rejected'
      ? { message: `Cannot list s3://my-bucket/entries/: ${reason}`, transient: true }
      : { files: [], unreadable: [{ source: 's3://my-bucket/entries/a.yaml', reason }] },
  );
});

test('an object that stops in the middle is unreadable in time', async () => {
  const { server, read } = await setUp('entries/', BUCKET, 1000);
  server.put('entries/a.yaml', 'one');
  server.answers.set('GET entries/a.yaml', { status: 200, body: 'on', then: 'silence' });
  expect((await read()).unreadable).toEqual([
    { source: 's3://my-bucket/entries/a.yaml', reason: 'no answer within 1000 ms' },
  ]);
});

test('an abort while objects are fetched ends the reading and makes nothing unreadable', async () => {
  const { server, source } = await setUp();
  const controller = new AbortController();
  server.put('entries/a.yaml', 'one');
  server.answers.set('GET entries/a.yaml', {
    status: 200,
    get body() {
      controller.abort(new Error('time is up'));
      return '';
    },
  });
  await expect(source.read(NOTHING_KNOWN, controller.signal)).rejects.toThrow('time is up');
});
