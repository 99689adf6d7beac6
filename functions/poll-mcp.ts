import { mcpProvider } from '../lib/registries/mcp/mcp-provider';
import { pollFunction } from '../lib/runtime/poll-function';

export const handler = pollFunction(mcpProvider);
