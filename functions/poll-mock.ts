import { mockProvider } from '../lib/registries/mock/mock-provider';
import { pollHandler } from '../lib/runtime/poll-handler';

export const handler = pollHandler(mockProvider);
