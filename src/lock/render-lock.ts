// Shows people the agents of a lock, and what changed about them.
import type { Style } from '../cli/render/style.ts'
import { SYMBOLS } from '../cli/render/style.ts'
import { digestStart } from '../text/digest-text.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { manifestDigestOf } from '../version/reference.ts'
import type { LockAdded } from './add.ts'
import type { CheckedAgent } from './check.ts'
import type { LockListed, PinnedAgent } from './locked-entry.ts'
import type { LockUpdate } from './update.ts'

export function renderAdded(
  { lock, name, changed, agents }: LockAdded,
  isDryRun: boolean,
  style: Style,
): string {
  const lines = agents.map(one => `${style.green(SYMBOLS.ok)} ${headOf(one)}`)
  const would = isDryRun ? 'would be ' : ''
  const isNamedAlone = name !== undefined && agents.length === 0
  const done = isNamedAlone ? `${lock} is called ${name}` : `locked in ${lock}`
  const where = changed ? `${would}${done}` : `${done} already; nothing was written`
  return `${[...lines, style.dim(printable(where))].join('\n')}\n`
}

export function renderList({ name, agents }: LockListed, style: Style): string {
  const tables = agents.map(one => `${[style.bold(headOf(one)), ...factsOf(one)].join('\n')}\n`)
  return [...(name === null ? [] : [`lock ${name}\n`]), ...tables].join('\n')
}

function headOf({ agent, version, identity }: PinnedAgent): string {
  return printable(`${agent} ${version}, ${digestStart(manifestDigestOf(identity))}`)
}

function factsOf({ source, expect, signers, caps, tools }: PinnedAgent): string[] {
  const ids = Object.keys(tools)
  return [
    `  from ${source}${expect === null ? '' : `, the newest of ${expect}`}`,
    ...signers.map(key => `  signed by ${key}`),
    ...caps.map(one => `  ${one}`),
    `  ${plural(ids.length, 'tool')}${ids.length === 0 ? '' : `: ${ids.join(', ')}`}`,
  ].map(line => printable(line))
}

const MARKS = { same: SYMBOLS.ok, changed: SYMBOLS.bad, 'cannot tell': '?' } as const

export function renderChecked(row: CheckedAgent, style: Style): string {
  const { agent, is, details, locked, version, verdict } = row
  const paint = { same: style.green, changed: style.red, 'cannot tell': style.yellow }[is]
  const moved =
    is === 'changed' && version !== null && version !== locked.version ? ` ${SYMBOLS.arrow} ${version}` : ''
  const today = is === 'same' && verdict !== 'trusted' ? ` (${verdict} today; rlp agent verify says why)` : ''
  const head = `${paint(MARKS[is])} ${printable(`${agent} ${locked.version}${moved}`)}: ${is}${style.yellow(today)}`
  return `${[head, ...details.map(detail => `    ${printable(detail)}`)].join('\n')}\n`
}

/** Wider first, as `diff` and `install` show it. */
export function renderUpdate({ before, after, ...changes }: LockUpdate, style: Style): string {
  const { widened, narrowed, described, tools, signatures, isExact } = changes
  const moved =
    before.version === after.version ? after.version : `${before.version} ${SYMBOLS.arrow} ${after.version}`
  const lines = [
    style.bold(printable(`${after.agent} ${moved}`)),
    ...widened.map(line => style.yellow(`  + ${printable(line)}`)),
    ...narrowed.map(line => style.dim(`  - ${printable(line)}`)),
    ...described.map(line => `  ~ ${printable(line)}`),
    ...tools.map(id => `  ~ the tool ${printable(id)} has another definition`),
    ...signatures.map(line => `  ~ ${printable(line)}`),
    ...(isExact || before.identity === after.identity
      ? []
      : [
          style.dim(
            '  the locked bundle was not found: each new capability and each other tool counts as wider',
          ),
        ]),
  ]
  return `${lines.join('\n')}\n`
}
