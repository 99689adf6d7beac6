import type { Labels } from '../../model/labels';

/** What a Pod's metadata says about who made it. */
export type PodOrigin = {
  readonly name: string;
  readonly generateName: string;
  readonly labels: Labels;
  readonly owners: readonly { readonly kind: string; readonly name: string; readonly controller: boolean }[];
};

/** A CronJob names its Jobs `<name>-<minutes since the epoch>`, eight to ten digits. */
const JOB_OF_CRON_JOB = /^(.+)-\d{8,10}$/;

/**
 * The workload that a Pod belongs to, for people and metrics: the label `service.istio.io/workload-name`; else, for a Pod
 * with a generated name, its controlling owner, seen through to the Deployment, Rollout, DeploymentConfig or CronJob
 * behind it; else the Pod itself (Istio `pkg/kube/util.go`, GetWorkloadMetaFromPod).
 */
export function workloadNameOfPod(pod: PodOrigin): string {
  const label = nonEmpty(pod.labels['service.istio.io/workload-name']);
  if (label !== undefined) return label;
  if (pod.generateName === '') return pod.name;
  const owner = pod.owners.find((candidate) => candidate.controller);
  if (owner === undefined) return pod.name;
  const name = behindOwner(owner, pod.labels);
  return name === '' ? pod.name : name;
}

function behindOwner(owner: { readonly kind: string; readonly name: string }, labels: Labels): string {
  switch (owner.kind) {
    case 'ReplicaSet':
      return (
        withoutHash(owner.name, labels['pod-template-hash']) ??
        withoutHash(owner.name, labels['rollouts-pod-template-hash']) ??
        owner.name
      );
    case 'ReplicationController': {
      const config = labels.deploymentconfig ?? '';
      return config === '' ? owner.name : config;
    }
    case 'Job':
      return JOB_OF_CRON_JOB.exec(owner.name)?.[1] ?? owner.name;
    default:
      return owner.name;
  }
}

function withoutHash(name: string, hash: string | undefined): string | undefined {
  if (hash === undefined || hash === '' || !name.endsWith(hash)) return undefined;
  return name.endsWith(`-${hash}`) ? name.slice(0, -hash.length - 1) : name;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
