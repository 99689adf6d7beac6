import * as z from 'zod';
import { durationSchema } from '../../model/duration-schema';
import { credentialSettings } from '../credential-settings';
import { SERVER_ADDRESS } from './server-address';

const ADDRESS_RULE =
  'not the address of an xDS server; allowed: xdss://host:port over TLS, xds://host:port in the clear';

/** The settings that an MCP registry has beside those of every registry. */
export const mcpSettings = {
  /** Of istiod, or another server of configuration over xDS. */
  address: z.string({ error: ADDRESS_RULE }).regex(SERVER_ADDRESS, { error: ADDRESS_RULE }),
  ...credentialSettings,
  /** Name that the server's certificate has to have. @default the host of the address */
  serverName: z
    .string()
    .regex(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i, { error: 'not a host name' })
    .exactOptional(),
  /** Namespace of the identity (service account or certificate): the root namespace of the mesh. */
  namespace: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, { error: 'not the name of a namespace' })
    .default('istio-system'),
  /**
   * Takes what istiod knows of Kubernetes too: services, which it shows as entries named `synthetic-…`, with their endpoints,
   * and the Pods that entries select.
   */
  synthetic: z.boolean({ error: 'not a boolean; allowed: true, false' }).default(false),
  /**
   * istiod's name for a cluster of its mesh. With `synthetic`, addresses are then those that clients in this cluster use, and
   * services that are local to it (`kube-system`, `kubernetes`) have endpoints. @default the view from outside of all clusters
   */
  clusterId: z.string().min(1, { error: 'empty; leave the key out for the view from outside' }).exactOptional(),
  /** How long an answer that is due may take. */
  answerTimeout: durationSchema({ min: '100ms', max: '1m' }).default(10_000),
} as const;

export type McpSettings = z.infer<z.ZodObject<typeof mcpSettings>>;
