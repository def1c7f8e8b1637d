// The option --audit of every command that decides something, and what it means.
import type { Audit } from '../io/audit.ts'
import { namedPath } from '../io/home.ts'
import type { Io } from './command.ts'

export const AUDIT_OPTION = {
  audit: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'append a line of JSON about each decision (docs/audit.md)',
  },
} as const

/** Undefined if nothing is to be recorded: then what writes it is not loaded either. */
export async function auditIn(
  { audit }: { readonly audit: string | undefined },
  io: Pick<Io, 'cwd'>,
): Promise<Audit | undefined> {
  if (audit === undefined) return undefined
  const loaded = await import('../io/audit.ts')
  return new loaded.Audit(namedPath(audit, io.cwd), audit)
}
