// A file to import → its format, by its content unless the caller names it.

import { mayBeAgentcli, toolsKindOf } from '../lint/lint-file.ts'
import { RlpError } from '../model/error.ts'
import { otherWords, type ToolsKind } from '../tools/detect-tools.ts'
import type { Importer, ImportSource } from './importers/importer.ts'
import { IMPORTERS } from './importers/index.ts'
import { strictJson } from './importers/refuse.ts'

const FORMATS: Readonly<Partial<Record<ToolsKind | 'not-json', string>>> = {
  runloop: 'it is a tools.json of the kind that agents have',
  'not-json': 'it is no JSON',
  mixture: 'it shows marks of more than one system',
  unknown: 'its content shows no system’s marks',
}

/** @throws RlpError WRONG_FILE_TYPE for a file of another or an unknown kind; NOT_CONVERTIBLE for a file that is not JSON */
export function importerFor(source: ImportSource, from: Importer['format'] | undefined): Importer {
  const kind = from ?? importKind(source.bytes)
  const importer = IMPORTERS.find(({ format }) => format === kind)
  if (importer !== undefined) return importer
  const formats = IMPORTERS.map(({ format }) => format).join(', ')
  // It is not JSON; the strict reader says where.
  if (kind === 'not-json') strictJson(source)
  const isOurs = kind === 'runloop'
  const other = otherWords(kind)
  if (other !== undefined)
    throw new RlpError('WRONG_FILE_TYPE', `Cannot import "${source.label}": ${other.state}`, {
      hint: other.hint,
    })
  throw new RlpError('WRONG_FILE_TYPE', `Cannot import "${source.label}": ${FORMATS[kind]}`, {
    hint: isOurs
      ? 'Name it with --transport-from, or copy its entries'
      : `Say what it is with --from ${formats}, or split it`,
  })
}

/** Which system’s file it is; an empty list is agentcli’s, which has no other mark, as lint has it. */
export function importKind(bytes: Uint8Array): ToolsKind | 'not-json' {
  const kind = toolsKindOf(bytes)
  return kind === 'unknown' && mayBeAgentcli(bytes) ? 'agentcli' : kind
}
