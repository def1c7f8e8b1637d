// Entries of a lock, and what changed of them → text for people, and values for --json.
import type { Style } from '../cli/render/style.ts'
import { SYMBOLS } from '../cli/render/style.ts'
import { plural } from '../format/text/counts.ts'
import { digestStart } from '../format/text/digest-text.ts'
import { printable } from '../format/text/printable.ts'
import { type LockEntry, pinnedAgent } from './lock-agent.ts'
import type { CheckedAgent } from './lock-check.ts'
import type { UpdatedAgent } from './lock-look.ts'

export function renderEntries(
  entries: readonly LockEntry[],
  how: {
    readonly isChanged: boolean
    readonly isDryRun: boolean
    readonly label: string
    readonly name: string | undefined
  },
  style: Style,
): string {
  const lines = entries.map(one => `${style.green(SYMBOLS.ok)} ${headOf(one)}`)
  const { isChanged, isDryRun, label, name } = how
  const would = isDryRun ? 'would be ' : ''
  const isNamedAlone = name !== undefined && entries.length === 0
  const done = isNamedAlone ? `${label} is called ${name}` : `locked in ${label}`
  const where = isChanged ? `${would}${done}` : `${done} already; nothing was written`
  return `${[...lines, style.dim(printable(where))].join('\n')}\n`
}

/** @param name of the lock */
export function renderList(entries: readonly LockEntry[], name: string | undefined, style: Style): string {
  const tables = entries.map(one => `${[style.bold(headOf(one)), ...factsOf(one)].join('\n')}\n`)
  return [...(name === undefined ? [] : [`lock ${name}\n`]), ...tables].join('\n')
}

function headOf({ agent, entry: { version, identity } }: LockEntry): string {
  return printable(`${agent} ${version}, ${digestStart(identity)}`)
}

function factsOf({ entry: { source, expect, signers, caps, tools } }: LockEntry): string[] {
  return [
    `  from ${source}${expect === undefined ? '' : `, the newest of ${expect}`}`,
    ...signers.map(key => `  signed by ${key}`),
    ...caps.map(one => `  ${one}`),
    `  ${plural(tools.size, 'tool')}${tools.size === 0 ? '' : `: ${[...tools.keys()].join(', ')}`}`,
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
export function renderUpdate({ agent, before, after, changes }: UpdatedAgent, style: Style): string {
  const { widened, narrowed, described, tools, signatures, isExact } = changes
  const moved =
    before.version === after.version ? after.version : `${before.version} ${SYMBOLS.arrow} ${after.version}`
  const lines = [
    style.bold(printable(`${agent} ${moved}`)),
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

export function updateJson({ agent, before, after, changes }: UpdatedAgent) {
  return {
    before: pinnedAgent({ agent, entry: before }),
    after: pinnedAgent({ agent, entry: after }),
    ...changes,
  }
}
