// Tools that are not listed, and why; and what records say of the safety of those that are.

import { INTERFACES_FILE } from '../agent-tool/records.ts'
import type { SafetyFacts } from '../caps/safety.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import type { DeniedTool } from '../verify/load.ts'
import { safetyOf } from './callable.ts'
import type { CallableAgent } from './context.ts'

/** Hidden tools that a line names; `--json` has all of them. */
const MOST_NAMED = 6

/** Why tools are not listed: a line for each reason, however many tools it is true of. */
export function hiddenLines(label: string, denied: readonly DeniedTool[]): string[] {
  const kept = (reason: DeniedTool['reason'], is: string) => {
    const ids = denied.filter(one => one.by === INTERFACES_FILE && one.reason === reason).map(({ id }) => id)
    return ids.length === 0 ? [] : [`${named(ids)} of ${label} ${ids.length === 1 ? 'is' : 'are'} ${is}`]
  }
  const poor = denied.filter(({ by }) => by !== INTERFACES_FILE).length
  return [
    ...(poor === 0
      ? []
      : [
          `${plural(poor, 'tool')} of ${label} ${poor === 1 ? 'is' : 'are'} not granted what ${poor === 1 ? 'it needs' : 'they need'}`,
        ]),
    ...kept('disabled', `hidden: disabled by ${INTERFACES_FILE}`),
    ...kept('setup_required', `hidden: setup_required, says ${INTERFACES_FILE}`),
  ]
}

function named(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED
  return `${ids.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** A line for each tool of which records say anything. */
export function safetyLines(agent: CallableAgent): string[] {
  return safetyOf(agent).map(([id, facts]) => `${printable(id, 100)}: ${factsText(facts)}`)
}

function factsText(facts: SafetyFacts): string {
  return Object.entries(facts)
    .map(([key, value]) => printable(`${key} ${JSON.stringify(value)}`, 100))
    .join(', ')
}
