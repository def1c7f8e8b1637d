// rlp lock outdated: which agents of rlp.lock have a newer version where they come from, and whose signatures end soon.
import { defineCommand } from '../cli/command.ts'
import { reachIn } from '../cli/options.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { countsOf } from '../text/words.ts'
import { AHEAD_DAYS, leftUntil } from '../verify/ends-soon.ts'
import { usableLock } from './lock-file.ts'
import { LOCK_OPTION, lockPlace } from './options.ts'
import { lookAhead, OUTDATED_ANSWERS, type OutdatedAgent } from './outdated.ts'

export const command = defineCommand({
  name: 'lock outdated',
  summary: 'say which agents have a newer version or end soon',
  options: { lock: LOCK_OPTION },
  examples: [
    ['rlp lock outdated', 'every agent, with the newest version that is stored'],
    ['rlp lock outdated --json', 'for a program that proposes upgrades and renewals'],
  ],
  notes:
    'Newer versions are found by tags alone. Of each bundle that is locked, the manifest and the signatures are read, for an end within 30 days (docs/calendar.md). Nothing is judged or written. A pre-release counts only for an agent that is locked at one. rlp lock update BUNDLE verifies a newer version and takes it.\n\nExit code 0: all are the newest. 1: one is outdated. 3: none is, and one cannot be told. An end changes no exit code.',
  async run(args, io) {
    const lock = await usableLock(lockPlace(args, io))
    const roots = await rootsFor(undefined, io.cwd)
    const now = new Date()
    const result = await lookAhead({ ...reachIn(io, args), lock, roots, now })
    const { agents } = result
    report(io, args, {
      tool: 'lock.outdated',
      result,
      text: () => agents.map(row => rendered(row, now, createStyle(io.color))).join(''),
    })
    const counts = countsOf(OUTDATED_ANSWERS, agents).filter(([, count]) => count > 0)
    const soon = agents.filter(({ endsSoon }) => endsSoon).length
    const ending = soon === 0 ? [] : [`${soon} within ${AHEAD_DAYS} days of an end, or past it`]
    note(io, args, [...counts.map(([word, count]) => `${count} ${word}`), ...ending].join(', '))
    return exitOf(agents)
  },
})

function exitOf(rows: readonly OutdatedAgent[]): ExitCode {
  if (rows.some(({ is }) => is === 'outdated')) return EXIT.bundle
  return rows.some(({ is }) => is === 'cannot tell') ? EXIT.machine : EXIT.ok
}

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
