import { mockProvider } from '../lib/registries/mock/mock-provider';
import { pollFunction } from '../lib/runtime/poll-function';

export const handler = pollFunction(mockProvider);
