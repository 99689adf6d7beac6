import type { FieldShape, MessageShape } from './message-shapes';
import { LENGTH_DELIMITED, wireFields, type WireField } from './wire-format';

/**
 * Whether the bytes are such a message, as strictly as Go's decoder has it: whole, texts in UTF-8, known fields of their
 * type. protobufjs reads texts that are cut off, numbers as texts, and anything as UTF-8, so that a damaged message would
 * pass for one that says something else.
 *
 * @throws RangeError with the path of the field that is wrong.
 */
export function checkMessage(shape: MessageShape, message: Uint8Array, path = ''): void {
  const fields = shape();
  try {
    for (const field of wireFields(message)) {
      const known = fields.get(field.number);
      if (!field.whole) throw new RangeError(`field ${field.number} is cut off`);
      if (known !== undefined) checkField(known, field, path);
    }
  } catch (error) {
    if (error instanceof FieldError) throw error;
    throw new FieldError(
      `${path === '' ? 'the message' : path}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Says where; what is thrown around it adds nothing. */
class FieldError extends RangeError {}

function checkField(shape: FieldShape, { wireType, bytes }: WireField, path: string): void {
  const at = path === '' ? shape.name : `${path}.${shape.name}`;
  if (wireType !== shape.wireType && !(shape.packable && wireType === LENGTH_DELIMITED)) {
    throw new FieldError(`${at}: wire type ${wireType} in place of ${shape.wireType}`);
  }
  if (shape.content === 'text') requireUtf8(bytes, at);
  else if (shape.content !== 'opaque') checkMessage(shape.content.message, bytes, at);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function requireUtf8(bytes: Uint8Array, at: string): void {
  try {
    UTF8.decode(bytes);
  } catch {
    throw new FieldError(`${at}: not UTF-8`);
  }
}
