import { consulProvider } from '../lib/registries/consul/consul-provider';
import { pollFunction } from '../lib/runtime/poll-function';

export const handler = pollFunction(consulProvider);
