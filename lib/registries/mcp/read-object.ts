import * as z from 'zod';
import type { Note } from '../../model/note';
import type { Unreadable } from '../../model/registry-row';
import { describeProblems, formatProblem } from '../external/problem';
import type { Validation } from '../external/validation';
import type { EncodedMessage } from './ads-stream';
import { decodeResource } from './decode-resource';
import type { ObjectKind } from './object-kind';
import { scanTextField } from './scan-text-field';

/** An object of the server's configuration, or why there is none. */
export type ReadObject<Entry> =
  { readonly entry: Entry; readonly notes: readonly Note[] } | { readonly unreadable: Unreadable };

/** Of the name in the metadata of an `istio.mcp.v1alpha1.Resource`. */
const NAME_PATH = [1, 1];

/** `<namespace>/<name>` of a Kubernetes object (RFC 1123 names). Damaged bytes rarely look like one. */
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

/**
 * One object, as the same value that a manifest gives. One that cannot be decoded is unreadable; one of which not even the
 * name can be read may be any of its kind: what was read is good, and what is missing stays.
 */
export function readObject<Entry>(kind: ObjectKind<Entry>, message: EncodedMessage): ReadObject<Entry> {
  const name = scanTextField(message.value, NAME_PATH);
  try {
    const source = sourceOf(kind.name, name ?? '');
    const decoded = kind.decode(decodeResource(kind.message, message), source);
    if ('value' in decoded) return { entry: decoded.value, notes: judged(source, kind.validate(decoded.value)) };
    return unreadableObject(kind.name, name, describeProblems(decoded.problems.map(formatProblem)));
  } catch (error) {
    return unreadableObject(kind.name, name, reasonOf(error));
  }
}

/** What snapshots and unreadable objects name as their source, e.g. `ServiceEntry/shop/cart`. */
function sourceOf(kind: ObjectKind<unknown>['name'], name: string): string {
  return `${kind}/${name}`;
}

/** istiod takes objects that its webhook never saw, so that an invalid one is in use: it is converted, and noted. */
function judged(source: string, { problems, notes }: Validation): readonly Note[] {
  const found = notes.map(({ code, message }) => ({ code, message: `${source}: ${message}` }));
  if (problems.length === 0) return found;
  const message = `${source} is invalid, and converted as far as that has a meaning: ${describeProblems(problems.map(formatProblem))}`;
  return [{ code: 'InvalidEntry', message }, ...found];
}

function unreadableObject(
  kind: ObjectKind<unknown>['name'],
  name: string | undefined,
  why: string,
): { readonly unreadable: Unreadable } {
  if (name !== undefined && OBJECT_NAME.test(name)) {
    return { unreadable: { source: sourceOf(kind, name), reason: `It cannot be decoded: ${why}` } };
  }
  const reason = `A ${kind} cannot be decoded, and it does not say which it is: ${why}`;
  return { unreadable: { source: `${kind}/`, reason, seenInPart: true } };
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return error.issues.map(({ message }) => message).join('; ');
  return error instanceof Error ? error.message : String(error);
}
