// Options that commands of several rooms have, each with its meaning: --audit, --table, and how registries are reached.
import type { Audit } from '../io/audit.ts'
import { namedPath } from '../io/home.ts'
import { accessFrom } from '../io/setting.ts'
import { type Reach, reachOf } from '../io/wait/reach.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { UsageError } from '../model/error.ts'
import type { GlobalArgs, Io } from './command.ts'
import { type Listening, note } from './render/report.ts'

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

export const TABLE_OPTION = {
  type: 'boolean',
  describe: 'print a table (the default, also without a terminal)',
} as const

type Listed = Pick<GlobalArgs, 'json'> & { readonly table: boolean }

/** @throws UsageError for both at once */
export function refuseTableAsJson({ json, table }: Listed): void {
  if (json && table)
    throw new UsageError('Cannot use --table with --json', {
      field: 'table',
      hint: 'Leave one of them out',
    })
}

export function accessIn(io: Io, args: Partial<Listening>): RegistryAccess {
  return { ...accessFrom(io), onWarning: text => note(io, { quiet: false, json: false, ...args }, text) }
}

export function reachIn(io: Io, args: Partial<Listening>): Reach {
  return reachOf({ ...io, registries: accessIn(io, args) })
}
