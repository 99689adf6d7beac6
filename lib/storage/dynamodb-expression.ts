import { EXPIRES_AT } from '../runtime/table-definitions';
import { expirySeconds } from './expiry';

/** Collects the names and values of one request's expressions; each part asks it for placeholders. */
export class ExpressionBinder {
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, unknown>();

  /** The placeholder of an attribute name (names such as `state` are reserved words). */
  name(attribute: string): string {
    const placeholder = `#${attribute}`;
    this.#names.set(placeholder, attribute);
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${this.#values.size}`;
    this.#values.set(placeholder, value);
    return placeholder;
  }

  /** The members of a request that explain the placeholders; absent when there are none, as DynamoDB wants it. */
  members(): {
    readonly ExpressionAttributeNames?: Record<string, string>;
    readonly ExpressionAttributeValues?: Record<string, unknown>;
  } {
    return {
      ...(this.#names.size === 0 ? {} : { ExpressionAttributeNames: Object.fromEntries(this.#names) }),
      ...(this.#values.size === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(this.#values) }),
    };
  }
}

/** A part of an expression, written out when a request binds it. */
export type ExpressionPart = (binder: ExpressionBinder) => string;

export function attributeIsAbsent(attribute: string): ExpressionPart {
  return (binder) => `attribute_not_exists(${binder.name(attribute)})`;
}

export function attributeExists(attribute: string): ExpressionPart {
  return (binder) => `attribute_exists(${binder.name(attribute)})`;
}

export function attributeEquals(attribute: string, value: unknown): ExpressionPart {
  return (binder) => `${binder.name(attribute)} = ${binder.value(value)}`;
}

export function attributeAtMost(attribute: string, value: unknown): ExpressionPart {
  return (binder) => `${binder.name(attribute)} <= ${binder.value(value)}`;
}

export function attributeBetween(attribute: string, from: unknown, to: unknown): ExpressionPart {
  return (binder) => `${binder.name(attribute)} BETWEEN ${binder.value(from)} AND ${binder.value(to)}`;
}

/** The item is past its time to live, whether DynamoDB has removed it or not. */
export function itemHasExpired(nowMs: number): ExpressionPart {
  return attributeAtMost(EXPIRES_AT, expirySeconds(nowMs));
}

export function itemIsCurrent(nowMs: number): ExpressionPart {
  return (binder) =>
    `(${attributeIsAbsent(EXPIRES_AT)(binder)} OR ${binder.name(EXPIRES_AT)} > ${binder.value(expirySeconds(nowMs))})`;
}

export function anyOf(...parts: readonly ExpressionPart[]): ExpressionPart {
  return (binder) => `(${parts.map((part) => part(binder)).join(' OR ')})`;
}

export function allOf(...parts: readonly ExpressionPart[]): ExpressionPart {
  return (binder) => `(${parts.map((part) => part(binder)).join(' AND ')})`;
}

/** An update: what is set and what is removed. */
export type UpdateParts = { readonly set: readonly ExpressionPart[]; readonly remove: readonly string[] };

export function assign(attribute: string, value: unknown): ExpressionPart {
  return attributeEquals(attribute, value);
}

export function assignIfAbsent(attribute: string, value: unknown): ExpressionPart {
  return (binder) => {
    const name = binder.name(attribute);
    return `${name} = if_not_exists(${name}, ${binder.value(value)})`;
  };
}

/** Adds one to a number; an absent one becomes `first`. */
export function countUp(attribute: string, first: number): ExpressionPart {
  return (binder) => {
    const name = binder.name(attribute);
    return `${name} = if_not_exists(${name}, ${binder.value(first - 1)}) + ${binder.value(1)}`;
  };
}

export function updateExpression(binder: ExpressionBinder, { set, remove }: UpdateParts): string {
  const clauses = [
    ...(set.length === 0 ? [] : [`SET ${set.map((part) => part(binder)).join(', ')}`]),
    ...(remove.length === 0 ? [] : [`REMOVE ${remove.map((name) => binder.name(name)).join(', ')}`]),
  ];
  return clauses.join(' ');
}
