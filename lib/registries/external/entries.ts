import type { Labels } from '../../model/labels';
import type { ServiceEntrySpec, WorkloadEntrySpec } from './entry-schema';

/** What both kinds of entry have. A decoded value: shapes are right, the rules of `validate-*.ts` may still be broken. */
export type EntryMetadata = {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** ISO 8601; absent counts as oldest. */
  readonly creationTime?: string;
  /** Where it was read: a manifest, `serviceentries/<namespace>`, …; what snapshots list as their sources. */
  readonly source: string;
};

/** A `ServiceEntry`: services by host name, with endpoints of its own or a selector of workloads. */
export type ServiceEntry = EntryMetadata & {
  readonly spec: ServiceEntrySpec;
  /** Virtual IPs that a control plane allocated (`status.addresses`). */
  readonly allocatedAddresses: readonly { readonly host: string; readonly value: string }[];
};

/** A `WorkloadEntry`: a workload outside of a cluster, such as a VM, that selectors find by its labels. */
export type WorkloadEntry = EntryMetadata & {
  readonly spec: WorkloadEntrySpec;
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
};

/** How the address of a workload says that it is a unix domain socket. */
export const UNIX_PREFIX = 'unix://';
