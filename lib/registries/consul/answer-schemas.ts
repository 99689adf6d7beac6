import * as z from 'zod';
import type { Check, Instance, InstanceNode } from './instance';

/**
 * The bodies of Consul's answers (1.14; `agent/structs/structs.go`). Go writes empty lists and maps as `null` or leaves
 * them out; both are empty here. Members that nobody reads are not looked at.
 */

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);

const textMap = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

const port = z
  .number()
  .nullish()
  .transform((value) => value ?? undefined);

const taggedAddresses = z
  .record(
    z.string(),
    z.object({ Address: text, Port: port }).transform(({ Address, Port }) => ({ address: Address, port: Port })),
  )
  .nullish()
  .transform((value) => value ?? {});

/** What an instance without weights counts as (Consul `agent/structs/structs.go`, NodeService.Validate). */
const DEFAULT_WEIGHTS = { Passing: 1, Warning: 1 };

const node = z
  .object({
    Node: z.string(),
    Address: text,
    Datacenter: text,
    Meta: textMap,
    TaggedAddresses: textMap,
    ModifyIndex: z.number(),
  })
  .transform(({ Node, Address, Datacenter, Meta, TaggedAddresses, ModifyIndex }): InstanceNode => ({
    name: Node,
    address: Address,
    datacenter: Datacenter,
    meta: Meta,
    taggedAddresses: TaggedAddresses,
    modifyIndex: ModifyIndex,
  }));

const check = z
  .object({ CheckID: z.string(), Status: z.string(), ServiceID: text })
  .transform(({ CheckID, Status, ServiceID }): Check => ({ id: CheckID, status: Status, serviceId: ServiceID }));

const instance = z
  .object({
    Node: node,
    Service: z.object({
      ID: z.string(),
      Service: z.string(),
      Address: text,
      TaggedAddresses: taggedAddresses,
      Port: port,
      SocketPath: text,
      Tags: texts,
      Meta: textMap,
      Weights: z.object({ Passing: z.number(), Warning: z.number() }).nullish(),
      ModifyIndex: z.number(),
    }),
    Checks: z
      .array(check)
      .nullish()
      .transform((value) => value ?? []),
  })
  .transform(({ Node, Service, Checks }): Instance => {
    const weights = Service.Weights ?? DEFAULT_WEIGHTS;
    return {
      id: Service.ID,
      serviceName: Service.Service,
      node: Node,
      address: Service.Address,
      taggedAddresses: Service.TaggedAddresses,
      port: Service.Port,
      socketPath: Service.SocketPath,
      tags: Service.Tags,
      meta: Service.Meta,
      weights: { passing: weights.Passing, warning: weights.Warning },
      checks: Checks,
      modifyIndex: Service.ModifyIndex,
    };
  });

/** `/v1/health/service/<name>` */
export const instancesSchema = z.array(instance);

/** `/v1/catalog/services`: name → tags of all its instances. */
export const serviceListSchema = z
  .record(z.string(), texts)
  .transform((list): ReadonlyMap<string, readonly string[]> => new Map(Object.entries(list)));

export type FailingCheck = Check & { readonly node: string };

/** `/v1/health/state/any` */
export const checkListSchema = z.array(
  z
    .object({ Node: z.string(), CheckID: z.string(), Status: z.string(), ServiceID: text })
    .transform((check): FailingCheck => ({
      node: check.Node,
      id: check.CheckID,
      status: check.Status,
      serviceId: check.ServiceID,
    })),
);

/** `/v1/catalog/nodes` */
export const nodeListSchema = z.array(node);

export type Registration = { readonly id: string; readonly serviceName: string; readonly modifyIndex: number };

/** `/v1/catalog/node-services/<node>`; an unknown node has none. */
export const registrationsSchema = z
  .object({
    Services: z
      .array(z.object({ ID: z.string(), Service: z.string(), ModifyIndex: z.number() }))
      .nullish()
      .transform((value) => value ?? []),
  })
  .nullish()
  .transform((answer): readonly Registration[] =>
    (answer?.Services ?? []).map((service) => ({
      id: service.ID,
      serviceName: service.Service,
      modifyIndex: service.ModifyIndex,
    })),
  );
