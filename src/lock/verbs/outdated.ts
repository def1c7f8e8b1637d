// rlp lock outdated: which agents of rlp.lock have a newer version where they come from, and whose signatures end soon.
import { type Style, SYMBOLS } from '../../cli/render/style.ts'
import { EXIT } from '../../model/exit-code.ts'
import { printable } from '../../text/printable.ts'
import { countsOf } from '../../text/words.ts'
import { commandOf, defineVerb } from '../../verb/index.ts'
import { reachBy } from '../../verb/kinds/registry.ts'
import { AHEAD_DAYS, leftUntil } from '../../verify/ends-soon.ts'
import { folderOrNone } from '../../verify/judging-inputs.ts'
import { lock, rootsBy } from '../inputs.ts'
import { usableLock } from '../lock-file.ts'
import { type LockOutdated, lookAhead, OUTDATED_ANSWERS, type OutdatedAgent } from '../outdated.ts'

/**
 * Of each agent in a lock: whether a newer version is stored where it comes from, by its tag, and when the signatures of the locked bundle end.
 * Nothing is judged.
 *
 * @example
 * const { agents } = await lockOutdated()
 * for (const { agent, version, newest, is } of agents) if (is === 'outdated') console.log(agent, version, newest)
 *
 * @throws {@link RlpError} as {@link lockCheck}
 */
export const verb = defineVerb({
  name: 'lock outdated',
  summary: 'say which agents have a newer version or end soon',
  inputs: {
    lock,
    /** The folder whose config.toml may name mirrors, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
    home: folderOrNone,
  },
  async run({ lock: place, home }, world): Promise<LockOutdated> {
    const lock = await usableLock(place)
    const roots = await rootsBy({ root: undefined, home }, world)
    return lookAhead({ ...reachBy(world, home), lock, roots, now: new Date() })
  },
})

export const command = commandOf(verb, {
  examples: [
    ['rlp lock outdated', 'every agent, with the newest version that is stored'],
    ['rlp lock outdated --json', 'for a program that proposes upgrades and renewals'],
  ],
  notes:
    'Newer versions are found by tags alone. Of each bundle that is locked, the manifest and the signatures are read, for an end within 30 days (docs/calendar.md). Nothing is judged or written. A pre-release counts only for an agent that is locked at one. rlp lock update BUNDLE verifies a newer version and takes it.\n\nExit code 0: all are the newest. 1: one is outdated. 3: none is, and one cannot be told. An end changes no exit code.',
  text: ({ agents }, { style }) => agents.map(row => rendered(row, new Date(), style)).join(''),
  note({ agents }) {
    const counts = countsOf(OUTDATED_ANSWERS, agents).filter(([, count]) => count > 0)
    const soon = agents.filter(({ endsSoon }) => endsSoon).length
    const ending = soon === 0 ? [] : [`${soon} within ${AHEAD_DAYS} days of an end, or past it`]
    return [...counts.map(([word, count]) => `${count} ${word}`), ...ending].join(', ')
  },
  exit({ agents }) {
    if (agents.some(({ is }) => is === 'outdated')) return EXIT.bundle
    return agents.some(({ is }) => is === 'cannot tell') ? EXIT.machine : EXIT.ok
  },
})

function rendered(row: OutdatedAgent, now: Date, style: Style): string {
  return `${versionLine(row, style)}${endLine(row, now, style)}`
}

function endLine({ ends, endsSoon, untold }: OutdatedAgent, now: Date, style: Style): string {
  if (untold !== null) return style.dim(`    when its signatures end cannot be told: ${printable(untold)}\n`)
  if (ends === null || !endsSoon) return ''
  const left = leftUntil(ends, now, AHEAD_DAYS)
  return style.yellow(
    `    its signatures ${left === undefined ? `ended at ${ends}` : `end at ${ends}, ${left}`}\n`,
  )
}

function versionLine({ agent, version, is, newest, fits, detail }: OutdatedAgent, style: Style): string {
  if (is === 'newest') return `${style.green(SYMBOLS.ok)} ${printable(`${agent} ${version}`)}\n`
  if (is === 'outdated')
    return `${style.yellow(SYMBOLS.arrow)} ${printable(`${agent} ${version} ${SYMBOLS.arrow} ${newest}${rangeOf(fits, newest)}`)}\n`
  return `${style.yellow('?')} ${printable(`${agent} ${version}: cannot tell: ${detail}`)}\n`
}

/** Where the range of the lock ends before the newest version. */
function rangeOf(fits: string | null, newest: string | null): string {
  return fits === null || fits === newest ? '' : ` (${fits} in its range)`
}
