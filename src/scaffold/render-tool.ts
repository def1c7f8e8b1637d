// What tool add wrote, and the steps left to the user, for people.
import type { Io } from '../cli/command.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../format/text/printable.ts'
import { writePath } from '../format/text/shell-words.ts'

export interface WrittenTool {
  readonly agent: string
  readonly tool: string
  readonly granted: readonly string[]
}

/** With `quiet` only the tool's id. */
export function renderAddedTool({ agent, tool, granted }: WrittenTool, quiet: boolean, io: Io): string {
  if (quiet) return `${printable(tool)}\n`
  const style = createStyle(io.color)
  const done = style.green(SYMBOLS.ok)
  return [
    `${done} ${style.bold(printable(tool))} is in ${printable(agent)}/tools.json`,
    ...(granted.length > 0 ? [`${done} ${printable(agent)}/policy.caps grants what it needs:`] : []),
    ...granted.map(line => `    ${printable(line.trim())}`),
    '',
    'The digests in manifest.toml are stale now. Next:',
    '',
    `  ${style.cyan(printable(`rlp agent digest ${writePath(agent)}`))}`,
    '',
  ].join('\n')
}
