import { externalProvider } from '../lib/registries/external/external-provider';
import { pollFunction } from '../lib/runtime/poll-function';

export const handler = pollFunction(externalProvider);
