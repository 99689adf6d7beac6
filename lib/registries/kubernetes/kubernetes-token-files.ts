import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import * as z from 'zod';

const usersSchema = z.object({
  users: z
    .array(z.object({ name: z.string(), user: z.object({ tokenFile: z.string().optional() }).nullish() }))
    .nullish(),
});

/** The kubeconfigs that kubectl reads when none is named: those of `$KUBECONFIG`, else `~/.kube/config`. */
export function defaultKubeconfigFiles(): readonly string[] {
  const named = (process.env.KUBECONFIG ?? '').split(path.delimiter).filter((file) => file !== '');
  if (named.length > 0) return named;
  const file = path.join(homedir(), '.kube', 'config');
  return existsSync(file) ? [file] : [];
}

/**
 * Users whose token stands in a file (`tokenFile`, as client-go has it) get it from there; the client library knows the
 * field only under another name, and then reads the file just once.
 */
export function useTokenFiles(config: KubeConfig, files: readonly string[]): void {
  const tokenFiles = new Map(files.flatMap(tokenFilesOf));
  config.users = config.users.map((user) => {
    const tokenFile = tokenFiles.get(user.name);
    return tokenFile === undefined ? user : { ...user, authProvider: { name: 'tokenFile', config: { tokenFile } } };
  });
}

function tokenFilesOf(file: string): readonly (readonly [string, string])[] {
  const { users } = usersSchema.parse(parse(readFileSync(file, 'utf8')));
  return (users ?? []).flatMap(({ name, user }) =>
    user?.tokenFile === undefined ? [] : [[name, path.resolve(path.dirname(file), user.tokenFile)] as const],
  );
}
