import { externalProvider } from '../lib/registries/external/external-provider';
import { pollHandler } from '../lib/runtime/poll-handler';

export const handler = pollHandler(externalProvider);
