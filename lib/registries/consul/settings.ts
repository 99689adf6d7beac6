import * as z from 'zod';
import { durationSchema } from '../../model/duration-schema';
import { credentialSettings } from '../credential-settings';
import { TAG_IN_FILTER } from './selection';

const hostLabels = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;

/** The settings that a Consul registry has beside those of every registry. */
export const consulSettings = {
  /** Of a Consul agent or server, with a path in front of `/v1` if a proxy wants one. */
  address: z.url({ protocol: /^https?$/, error: 'not a URL; allowed: http://host:port or https://host:port' }),
  ...credentialSettings,
  /** Name that the server's certificate has to have. @default the host of the address */
  serverName: z.string().regex(hostLabels, 'not a host name').exactOptional(),

  /** @default that of the agent */
  datacenter: z
    .string()
    .regex(/^[\w-]+$/, 'not the name of a datacenter')
    .exactOptional(),
  /** Consul Enterprise; becomes the namespace of the services. */
  namespace: z
    .string()
    .regex(/^[\w-]+$/, 'not the name of a Consul namespace')
    .exactOptional(),
  /** Consul Enterprise. */
  partition: z
    .string()
    .regex(/^[\w-]+$/, 'not the name of a partition')
    .exactOptional(),

  /** `service`: `<name>.service.consul`; `datacenter`: `<name>.service.<datacenter>.consul`. */
  hostname: z.enum(['service', 'datacenter']).default('service'),
  /** Consul's DNS domain. */
  domain: z.string().regex(hostLabels, 'not a domain').default('consul'),
  /** The one port that clients see of each service. @default meta `service-port`, else the ports of the instances */
  servicePort: z.int().min(1).max(65_535).exactOptional(),
  /** The tagged address to use, e.g. `wan`. @default the plain one */
  addressTag: z.string().min(1).exactOptional(),
  /** Publishes critical instances and those in maintenance, with their health. */
  publishUnhealthy: z.boolean().default(false),

  /** Consul filter expression over the answers of `/v1/health/service`, e.g. `Service.Meta.env == "prod"`. */
  filter: z.string().min(1).exactOptional(),
  /** Only instances with all of these tags. */
  tags: z.array(z.string().regex(TAG_IN_FILTER, 'a tag to select by holds no quotes or backslashes')).default([]),
  /** Reads Connect proxies and gateways as well. */
  proxies: z.boolean().default(false),
  /** Reads the service `consul`, which is the servers themselves, as well. */
  consulService: z.boolean().default(false),

  /** `partial`: what the token may not see is unreadable and stays as it was. `accept`: it does not exist. */
  aclFiltered: z.enum(['partial', 'accept']).default('partial'),
  /** How long the answering server may have been without word from its leader. */
  maxStale: durationSchema({ min: '100ms', max: '1h' }).default(10_000),
  /** Everything is read again this often, whatever the indexes say. */
  fullReadEvery: durationSchema({ min: '10s', max: '1h' }).default(300_000),
  /** How long Consul holds a waiting request (600 s at most); below the idle limit of whatever stands between. */
  wait: durationSchema({ min: '1s', max: '10m' }).default(300_000),
  /** For one answer; a waiting request has its wait in addition. */
  requestTimeout: durationSchema({ min: '100ms', max: '1m' }).default(10_000),
  /** Requests under way at once; the three waiting ones do not count. Consul allows 200 connections a client. */
  maxConcurrency: z.int().min(1).max(100).default(16),
  /** Requests that may start in a second. Each is a look into the server's memory: 1,000 take it 0.4 s. */
  requestsPerSecond: z.number().min(1).max(10_000).default(1_000),
} as const;

export type ConsulSettings = z.infer<z.ZodObject<typeof consulSettings>>;
