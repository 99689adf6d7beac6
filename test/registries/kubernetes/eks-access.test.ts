import type { AwsCredentialIdentity } from '@smithy/types';
import { EksAccess, type EksApi } from '../../../lib/registries/kubernetes/eks-access';
import { VirtualClock } from '../../support/virtual-clock';

const cluster = { name: 'prod', region: 'eu-west-1', roleArn: 'arn:aws:iam::111122223333:role/reader' };

/** AWS on this machine, with a count of what it was asked. */
function makeAws(clock: VirtualClock, lifeMs = 3_600_000) {
  const aws = {
    credentialsAsked: 0,
    describes: 0,
    endpoint: 'https://one.eks.amazonaws.com',
    failure: undefined as Error | undefined,
  };
  const api: EksApi = {
    credentials: (): Promise<AwsCredentialIdentity> => {
      aws.credentialsAsked += 1;
      if (aws.failure !== undefined) return Promise.reject(aws.failure);
      const expiration = new Date(clock.now() + lifeMs);
      return Promise.resolve({
        accessKeyId: `AK${aws.credentialsAsked}`,
        secretAccessKey: 's',
        sessionToken: 't',
        expiration,
      });
    },
    describe: (_, { accessKeyId }) => {
      aws.describes += 1;
      return Promise.resolve({ endpoint: aws.endpoint, ca: `authority for ${accessKeyId}` });
    },
  };
  return { aws, api };
}

async function tokenOf(access: EksAccess): Promise<string | undefined> {
  return (await access.connect()).headers.authorization;
}

test('endpoint and authority of the cluster, and a token', async () => {
  const clock = new VirtualClock();
  const access = new EksAccess(cluster, makeAws(clock).api, clock);
  const connection = await access.connect();
  expect(connection.baseUrl).toBe('https://one.eks.amazonaws.com');
  expect(connection.headers.authorization).toMatch(/^Bearer k8s-aws-v1\./);
  expect(connection.agent).toMatchObject({ options: { ca: 'authority for AK1', rejectUnauthorized: true } });
  access.close();
});

test('connections share the token, the connections and what AWS said', async () => {
  const clock = new VirtualClock();
  const { aws, api } = makeAws(clock);
  const access = new EksAccess(cluster, api, clock);
  const [first, second] = await Promise.all([access.connect(), access.connect()]);
  const third = await access.connect();
  expect(second).toEqual(first);
  expect(third.headers).toEqual(first.headers);
  expect(third.agent).toBe(first.agent);
  expect(aws).toMatchObject({ credentialsAsked: 1, describes: 1 });
});

test('a token is made anew a minute before its quarter of an hour is over', async () => {
  const clock = new VirtualClock();
  const { aws, api } = makeAws(clock);
  const access = new EksAccess(cluster, api, clock);
  const first = await tokenOf(access);
  await clock.advance(14 * 60_000 - 1);
  expect(await tokenOf(access)).toBe(first);
  await clock.advance(1);
  expect(await tokenOf(access)).not.toBe(first);
  expect(aws.credentialsAsked).toBe(1);
});

test('a token does not outlive the credentials that it was signed with', async () => {
  const clock = new VirtualClock();
  const { aws, api } = makeAws(clock, 10 * 60_000);
  const access = new EksAccess(cluster, api, clock);
  const first = await tokenOf(access);
  await clock.advance(5 * 60_000 - 1);
  expect(await tokenOf(access)).toBe(first);
  await clock.advance(1);
  expect(await tokenOf(access)).not.toBe(first);
  expect(aws.credentialsAsked).toBe(2);
});

test('pitfall 8: refused by the cluster, everything is asked anew', async () => {
  const clock = new VirtualClock();
  const { aws, api } = makeAws(clock);
  const access = new EksAccess(cluster, api, clock);
  await access.connect();
  aws.endpoint = 'https://two.eks.amazonaws.com';
  access.refused();
  expect((await access.connect()).baseUrl).toBe('https://two.eks.amazonaws.com');
  expect(aws).toMatchObject({ credentialsAsked: 2, describes: 2 });
});

test('what AWS refuses is told, and tried again at the next connection', async () => {
  const clock = new VirtualClock();
  const { aws, api } = makeAws(clock);
  aws.failure = new Error('not authorized to perform sts:AssumeRole');
  const access = new EksAccess(cluster, api, clock);
  await expect(access.connect()).rejects.toMatchObject({
    code: 'AccessError',
    message: 'EKS cluster prod in eu-west-1 cannot be entered: Error: not authorized to perform sts:AssumeRole',
    transient: true,
  });
  aws.failure = undefined;
  await expect(access.connect()).resolves.toMatchObject({ baseUrl: 'https://one.eks.amazonaws.com' });
});
