// The result of tool import, real or in a dry run, and the steps left to the user → text for people.
import type { Io } from '../cli/command.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { toolLine } from '../cli/wizard/ask.ts'
import type { NewTool } from '../scaffold/add-tool.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import { plural } from '../text/words.ts'
import type { ImportPlace } from './import-place.ts'

export interface ImportedResult {
  readonly into: ImportPlace
  readonly isWritten: boolean
  readonly files: readonly string[]
  readonly granted: readonly string[]
  readonly missing: readonly string[]
}

/** The most tools that are listed; `--json` has all of them. */
const MOST = 40

/** With `quiet` only the ids. */
export function renderImported(
  { into, isWritten, files, granted, missing }: ImportedResult,
  tools: readonly NewTool[],
  quiet: boolean,
  io: Io,
): string {
  if (quiet) return tools.map(({ tool }) => `${printable(tool.id)}\n`).join('')
  const style = createStyle(io.color)
  const done = isWritten ? style.green(SYMBOLS.ok) : '+'
  const more = tools.length - MOST
  const others = files.filter(file => file !== 'tools.json' && file !== into.file && file !== 'policy.caps')
  return [
    `${done} ${plural(tools.length, 'tool')} ${isWritten ? 'in' : 'for'} ${style.bold(printable(into.file))}`,
    ...tools.slice(0, MOST).map(({ tool }) => `    ${printable(toolLine(tool))}`),
    ...(more > 0 ? [`    … and ${more} more`] : []),
    ...others.map(file => `${done} ${printable(into.label)}/${file} has the facts that the file states`),
    ...(granted.length > 0 ? [`${done} ${printable(into.label)}/policy.caps grants what they need:`] : []),
    ...granted.map(policyLine),
    ...(missing.length > 0
      ? ['', `${printable(into.label)}/policy.caps has to say:`, '', ...missing.map(policyLine)]
      : []),
    ...(into.is === 'agent' && files.length > 0
      ? [
          '',
          'The digests in manifest.toml are stale now. Next:',
          '',
          `  ${style.cyan(printable(`rlp agent digest ${writePath(into.label)}`))}`,
        ]
      : []),
    '',
  ].join('\n')
}

/** Never cut, because a person will copy it. */
function policyLine(line: string): string {
  return `    ${printable(line.trim(), Number.POSITIVE_INFINITY)}`
}
