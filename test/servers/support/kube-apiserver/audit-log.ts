import * as z from 'zod';

/** One line of the audit log (audit.k8s.io/v1), as far as tests count and compare requests. */
const AUDIT_EVENT = z.object({
  stage: z.enum(['ResponseStarted', 'ResponseComplete', 'Panic']),
  requestURI: z.string(),
  verb: z.string(),
  user: z.object({ username: z.string() }),
  userAgent: z.string().optional(),
  responseStatus: z.object({ code: z.number().optional() }).optional(),
});

export type AuditEvent = z.infer<typeof AUDIT_EVENT>;

/** Logs who asked for what, but not what the API server asks itself. */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*'] },
    { level: 'Metadata' },
  ],
};

/** The events of an audit log; a last line that is still being written is left out. */
export function parseAuditLog(text: string): readonly AuditEvent[] {
  const wholeLines = text.slice(0, text.lastIndexOf('\n') + 1).trim();
  if (wholeLines === '') return [];
  return wholeLines.split('\n').map((line) => AUDIT_EVENT.parse(JSON.parse(line)));
}
