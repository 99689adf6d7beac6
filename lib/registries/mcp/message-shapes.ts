import * as z from 'zod';

/** What a field holds: a number or text, a value of an enum, or a message. */
export type ValueShape =
  | { readonly type: 'string' | 'bytes' | 'bool' | 'int32' | 'int64' | 'uint32' | 'double' }
  | { readonly type: 'enum'; readonly names: ReadonlyMap<number, string> }
  /** Looked up late, for messages may hold themselves. */
  | { readonly type: 'message'; readonly shape: () => MessageShape };

export type FieldShape = {
  readonly name: string;
  readonly number: number;
  readonly value: ValueShape;
  /** `map` is a list of messages with a text as key and the value; `choice` is one of a `oneof`, absent when not chosen. */
  readonly rule: 'single' | 'list' | 'map' | 'choice';
};

/** The fields of a message, by number. */
export type MessageShape = ReadonlyMap<number, FieldShape>;

const SCALARS = ['string', 'bytes', 'bool', 'int32', 'int64', 'uint32', 'double'] as const;

const descriptorSchema = z.object({
  messages: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        number: z.number(),
        type: z.string(),
        rule: z.enum(['single', 'list', 'map', 'choice']).default('single'),
      }),
    ),
  ),
  enums: z.record(z.string(), z.record(z.string(), z.number())),
});

/** The messages of `messages.json` by their full names. */
export class MessageShapes {
  readonly #descriptor: z.output<typeof descriptorSchema>;
  readonly #shapes = new Map<string, MessageShape>();

  constructor(descriptor: unknown) {
    this.#descriptor = descriptorSchema.parse(descriptor);
  }

  /** @throws TypeError when there is no message of that name. */
  of(name: string): MessageShape {
    const known = this.#shapes.get(name);
    if (known !== undefined) return known;
    const fields = this.#descriptor.messages[name];
    if (fields === undefined) throw new TypeError(`there is no message ${name}`);
    const shape = new Map(
      Object.entries(fields).map(([field, { number, type, rule }]) => [
        number,
        { name: field, number, value: this.#value(type), rule },
      ]),
    );
    this.#shapes.set(name, shape);
    return shape;
  }

  #value(type: string): ValueShape {
    const scalar = SCALARS.find((candidate) => candidate === type);
    if (scalar !== undefined) return { type: scalar };
    const values = this.#descriptor.enums[type];
    if (values === undefined) return { type: 'message', shape: () => this.of(type) };
    return { type: 'enum', names: new Map(Object.entries(values).map(([name, number]) => [number, name])) };
  }
}
