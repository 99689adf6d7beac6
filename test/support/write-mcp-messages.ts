import { writeFileSync } from 'node:fs';
import { compileMcpMessages, MESSAGES_FILE } from './compile-mcp-messages';

writeFileSync(MESSAGES_FILE, `${JSON.stringify(compileMcpMessages(), undefined, 2)}\n`);
