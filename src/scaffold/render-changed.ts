// What tool add, tool edit and tool remove wrote, and the steps left to the user, for people.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import type { AddedToolResult, EditedToolResult } from './write-tools.ts'

/** @param done one printable line for each tool: `mail.send changed: transport` */
export function renderChanged(
  agent: string,
  done: readonly string[],
  granted: readonly string[],
  style: Style,
): string {
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

/** The lines that policy.caps lacks. */
export function notGrantedWarning({ agent, tool, missing }: AddedToolResult): string[] {
  if (missing.length === 0) return []
  const grant = `rlp tool edit ${writePath(agent)} ${writeWords([tool])} --grant`
  return [
    `${agent}/policy.caps does not grant what ${tool} needs; write there: ${missing.join('; ')}, or run ${grant}`,
  ]
}

/** What policy.caps still grants: the agent's own code may use it, so that only its author can tell. */
export function unusedWarning({ agent, unused }: Pick<EditedToolResult, 'agent' | 'unused'>): string[] {
  if (unused.length === 0) return []
  return [
    `${agent}/policy.caps still grants ${unused.join(', ')}, and no tool needs it now: remove it there unless the agent’s own code does`,
  ]
}
