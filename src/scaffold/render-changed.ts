// What tool add, tool edit and tool remove wrote, and the steps left to the user, for people.
import type { Io } from '../cli/command.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { writePath, writeWords } from '../text/shell-words.ts'

interface ShownChange {
  readonly agent: string
  /** One line for each tool: `mail.send changed: transport`. */
  readonly done: readonly string[]
  readonly granted: readonly string[]
  /** Ids alone, for --quiet. */
  readonly ids: readonly string[]
}

interface WrittenTool {
  readonly agent: string
  readonly tool: string
  readonly granted: readonly string[]
}

export function renderChanged({ agent, done, granted, ids }: ShownChange, quiet: boolean, io: Io): string {
  if (quiet) return ids.map(id => `${printable(id)}\n`).join('')
  return changedLines(
    agent,
    done.map(line => printable(line)),
    granted,
    io,
  )
}

/** With `quiet` only the tool's id. */
export function renderAddedTool({ agent, tool, granted }: WrittenTool, quiet: boolean, io: Io): string {
  if (quiet) return `${printable(tool)}\n`
  const { bold } = createStyle(io.color)
  return changedLines(agent, [`${bold(printable(tool))} is in ${printable(agent)}/tools.json`], granted, io)
}

/** @param done printable */
function changedLines(agent: string, done: readonly string[], granted: readonly string[], io: Io): string {
  const style = createStyle(io.color)
  const tick = style.green(SYMBOLS.ok)
  return [
    ...done.map(line => `${tick} ${line}`),
    ...(granted.length > 0 ? [`${tick} ${printable(agent)}/policy.caps grants what it needs:`] : []),
    ...granted.map(line => `    ${printable(line.trim())}`),
    '',
    'The digests in manifest.toml are stale now. Next:',
    '',
    `  ${style.cyan(printable(`rlp agent digest ${writePath(agent)}`))}`,
    '',
  ].join('\n')
}

/** @param lines of policy.caps that are missing */
export function notGrantedWarning(agent: string, tool: string, lines: readonly string[]): string {
  const grant = `rlp tool edit ${writePath(agent)} ${writeWords([tool])} --grant`
  return `${agent}/policy.caps does not grant what ${tool} needs; write there: ${lines.join('; ')}, or run ${grant}`
}

/** What policy.caps still grants: the agent's own code may use it, so that only its author can tell. */
export function unusedWarning(agent: string, unused: readonly string[]): string[] {
  if (unused.length === 0) return []
  return [
    `${agent}/policy.caps still grants ${unused.join(', ')}, and no tool needs it now: remove it there unless the agent’s own code does`,
  ]
}
