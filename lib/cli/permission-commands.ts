import { Command, Option } from 'commander';
import { aclPolicy } from '../registries/consul/acl-policy';
import { eksAccessEntry, rbacManifest, type RbacRequest } from '../registries/kubernetes/rbac-manifest';
import { EXIT_OK, type CliIo } from './cli-io';
import { listOption } from './parse-option';
import { UsageError } from './usage-error';

/** Group that the manifest binds when nothing else is said, and that `eks-access-entry` puts a role into. */
const DEFAULT_GROUP = 'pilotless';

type RbacOptions = {
  readonly group?: string;
  readonly serviceAccount?: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly workloads: boolean;
  readonly serviceEntries: boolean;
};

/** `pilotless kubernetes`: what a cluster has to allow, and no more. */
export function kubernetesCommand(io: CliIo, exit: (code: number) => void): Command {
  return new Command('kubernetes')
    .description('Print what a Kubernetes cluster has to allow')
    .addCommand(rbacCommand(io, exit))
    .addCommand(eksAccessEntryCommand(io, exit))
    .addHelpText('after', '\nExamples:\n  pilotless kubernetes rbac | kubectl apply -f -');
}

function rbacCommand(io: CliIo, exit: (code: number) => void): Command {
  return new Command('rbac')
    .description('Print roles and bindings that let a registry read a cluster')
    .option('--group <name>', `group to bind (default: ${DEFAULT_GROUP})`)
    .addOption(
      new Option('--service-account <namespace/name>', 'service account to bind, in place of a group').conflicts(
        'group',
      ),
    )
    .option('--include <namespaces>', 'only these namespaces, as in namespaces.include', listOption, [])
    .option('--exclude <namespaces>', 'not these namespaces, as in namespaces.exclude', listOption, [])
    .option('--no-workloads', 'without Pods, Nodes and Namespaces, as in workloads: false')
    .option('--service-entries', 'with ServiceEntries and WorkloadEntries, as in serviceEntries: true', false)
    .addHelpText(
      'after',
      [
        '\nExamples:',
        '  pilotless kubernetes rbac | kubectl apply -f -',
        '  pilotless kubernetes rbac --service-account mesh/pilotless --include shop,payments',
      ].join('\n'),
    )
    .action((options: RbacOptions) => {
      const { include, exclude, workloads, serviceEntries } = options;
      io.out(
        rbacManifest({
          subject: subjectOf(options),
          namespaces: { include, exclude },
          workloads,
          serviceEntries,
        }).trimEnd(),
      );
      exit(EXIT_OK);
    });
}

function subjectOf({ group = DEFAULT_GROUP, serviceAccount }: RbacOptions): RbacRequest['subject'] {
  if (serviceAccount === undefined) return { kind: 'Group', name: group };
  const [namespace = '', name = '', ...rest] = serviceAccount.split('/');
  if (namespace === '' || name === '' || rest.length > 0) {
    throw new UsageError(`Service account ${JSON.stringify(serviceAccount)} is not of the form namespace/name`);
  }
  return { kind: 'ServiceAccount', namespace, name };
}

type EksOptions = { readonly name: string; readonly region: string; readonly roleArn: string; readonly group: string };

function eksAccessEntryCommand(io: CliIo, exit: (code: number) => void): Command {
  return new Command('eks-access-entry')
    .description(
      'Print the command that lets an IAM role into an EKS cluster, as a member of the group that rbac binds',
    )
    .requiredOption('--name <cluster>', 'name of the EKS cluster')
    .requiredOption('--region <region>', 'its region')
    .requiredOption('--role-arn <arn>', "role of the registry's function (an output of the stack), or eks.roleArn")
    .option('--group <name>', 'Kubernetes group', DEFAULT_GROUP)
    .addHelpText(
      'after',
      '\nExamples:\n  pilotless kubernetes eks-access-entry --name prod --region eu-west-1 --role-arn arn:aws:iam::123456789012:role/poll',
    )
    .action(({ name, region, roleArn, group }: EksOptions) => {
      io.out(eksAccessEntry({ cluster: name, region, roleArn, group }));
      exit(EXIT_OK);
    });
}

/** `pilotless consul`: what a Consul datacenter has to allow, and no more. */
export function consulCommand(io: CliIo, exit: (code: number) => void): Command {
  const acl = new Command('acl-policy')
    .description('Print the rules of the ACL policy that a registry needs')
    .option('--service-prefix <prefix>', 'only services of this prefix; combine it with aclFiltered: accept', '')
    .addHelpText(
      'after',
      '\nExamples:\n  pilotless consul acl-policy | consul acl policy create -name pilotless -rules -',
    )
    .action(({ servicePrefix }: { readonly servicePrefix: string }) => {
      io.out(aclPolicy(servicePrefix).trimEnd());
      exit(EXIT_OK);
    });
  return new Command('consul')
    .description('Print what a Consul datacenter has to allow')
    .addCommand(acl)
    .addHelpText('after', '\nExamples:\n  pilotless consul acl-policy');
}
