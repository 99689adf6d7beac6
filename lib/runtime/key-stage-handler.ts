import type { FailedKey, KeyOutcome } from '../model/key-outcome';
import type { ServiceKey } from '../model/service-key';
import { lambdaHandler, type LambdaHandler } from './lambda-handler';
import type { DeadLetter } from './sqs-dead-letters';
import { batchResponse, partFailures, servicesOf, streamEventSchema, type BatchResponse } from './stream-keys';

export type KeyStage = {
  /** Looks at the keys; says of each what became of it, and never throws for a single one. */
  readonly look: (keys: readonly ServiceKey[]) => Promise<readonly (KeyOutcome | FailedKey)[]>;
  /** Takes what would fail for ever; returns the letters that it could not take. */
  readonly deadLetters: { send<Letter extends DeadLetter>(letters: readonly Letter[]): Promise<readonly Letter[]> };
};

/**
 * A Lambda handler for a stage that a stream tells which services to look at. Those that fail for now are given back to the
 * stream, those that would fail for ever go to the dead letters with their reason; all others are done.
 */
export function keyStageHandler({ look, deadLetters }: KeyStage): LambdaHandler<BatchResponse> {
  return lambdaHandler({
    input: streamEventSchema,
    run: async (event) => {
      const services = servicesOf(event);
      const { transient, permanent } = partFailures(await look([...services.keys()]));
      const unsent = await deadLetters.send(permanent.map((failure) => ({ ...failure, subject: failure.key })));
      const again = [...transient, ...unsent].map(({ key }) => key);
      return batchResponse(services, again);
    },
  });
}
