// What became of each agent of a lock, as Markdown: a comment for people who review the change of a lock.
import { codeSpan } from '../../text/markup.ts'
import { plural } from '../../text/words.ts'
import type { CheckedAgent } from '../check.ts'
import type { LockFormat } from './format.ts'

/** In characters. Forges refuse a longer comment as a whole. */
const LONGEST = 60_000
const MOST_DETAILS = 50

export const lockMarkdown = {
  name: 'markdown',
  render({ checked: { lock, agents } }) {
    const other = agents.filter(({ is }) => is !== 'same')
    const same = plural(agents.length - other.length, 'agent')
    const head = [
      `## ${codeSpan(lock)}: ${other.length === 0 ? 'all are the same' : `${other.length} of ${agents.length} are not the same`}`,
      '',
    ]
    const parts = other.map(one => `${linesOf(one).join('\n')}\n`)
    const shown: string[] = []
    let length = 0
    for (const part of parts) {
      length += part.length
      if (length > LONGEST) break
      shown.push(part)
    }
    const left = parts.length - shown.length
    const rest = left > 0 ? [`And ${left} more: run rlp lock check.`, ''] : []
    return [...head, ...shown, ...rest, `${same} as locked.`, ''].join('\n')
  },
} as const satisfies LockFormat

function linesOf({ agent, is, details, locked, version, verdict }: CheckedAgent): string[] {
  const moved = version !== null && version !== locked.version ? ` → ${codeSpan(version)}` : ''
  const head = `- ${codeSpan(agent)} ${codeSpan(locked.version)}${moved}: **${is}** (${verdict} today)`
  const shown = details.slice(0, MOST_DETAILS).map(detail => `  - ${codeSpan(detail, 1000)}`)
  const left = details.length - shown.length
  return [head, ...shown, ...(left > 0 ? [`  - and ${left} more`] : [])]
}
