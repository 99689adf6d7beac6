import { kubernetesProvider } from '../lib/registries/kubernetes/kubernetes-provider';
import { pollFunction } from '../lib/runtime/poll-function';

export const handler = pollFunction(kubernetesProvider);
