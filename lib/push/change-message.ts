import * as z from 'zod';
import { AppError } from '../model/app-error';
import type { ChangeToPush } from './push-request-of';

/** A change event as EventBridge delivers it, of which a push needs little. */
const changeMessageSchema = z.object({
  detail: z.object({
    metadata: z.object({ at: z.iso.datetime() }),
    service: z.object({ hostname: z.string().min(1), namespace: z.string().min(1) }),
    change: z.object({ push: z.enum(['full', 'incremental']) }),
  }),
});

/** @throws AppError `ChangeUnreadableError` when the text is not a change event. */
export function decodeChangeMessage(body: string): ChangeToPush {
  const parsed = changeMessageSchema.safeParse(jsonOf(body));
  if (parsed.success) return parsed.data.detail;
  throw new AppError(`Not a change event: ${z.prettifyError(parsed.error)}`, {
    code: 'ChangeUnreadableError',
    details: { body: body.slice(0, 200) },
  });
}

/** `undefined` for text that is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
