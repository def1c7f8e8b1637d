// rlp lock outdated: which agents of rlp.lock have a newer version where they come from.
import { defineCommand } from '../cli/command.ts'
import { accessIn, REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { countsOf } from '../format/text/counts.ts'
import { printable } from '../format/text/printable.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { usableLock } from './lock-file.ts'
import { LOCK_OPTION, lockPlace } from './lock-options.ts'
import { lookForNewer, OUTDATED_ANSWERS, type OutdatedAgent } from './lock-outdated.ts'

export const command = defineCommand({
  name: 'lock outdated',
  summary: 'say which agents of rlp.lock have a newer version',
  options: { lock: LOCK_OPTION, ...REGISTRY_OPTIONS },
  examples: [
    ['rlp lock outdated', 'every agent, with the newest version that is stored'],
    ['rlp lock outdated --json', 'for a program that proposes upgrades'],
  ],
  notes:
    'Looks at tags alone: nothing is fetched, judged or written. A pre-release counts only for an agent that is locked at one. rlp lock update BUNDLE verifies a newer version and takes it.\n\nExit code 0: all are the newest. 1: one is outdated. 3: none is, and one cannot be told.',
  async run(args, io) {
    const lock = await usableLock(lockPlace(args, io))
    const rows = await lookForNewer(lock, accessIn(io, args), io.signal)
    const exit = exitOf(rows)
    report(io, args, {
      tool: 'lock.outdated',
      result: { lock: lock.label, passed: exit === EXIT.ok, agents: rows },
      text: () => rows.map(row => rendered(row, createStyle(io.color))).join(''),
    })
    const counts = countsOf(OUTDATED_ANSWERS, rows)
    note(io, args, counts.flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : [])).join(', '))
    return exit
  },
})

function exitOf(rows: readonly OutdatedAgent[]): ExitCode {
  if (rows.some(({ is }) => is === 'outdated')) return EXIT.bundle
  return rows.some(({ is }) => is === 'cannot tell') ? EXIT.machine : EXIT.ok
}

function rendered({ agent, version, is, newest, fits, detail }: OutdatedAgent, style: Style): string {
  if (is === 'newest') return `${style.green(SYMBOLS.ok)} ${printable(`${agent} ${version}`)}\n`
  if (is === 'outdated')
    return `${style.yellow(SYMBOLS.arrow)} ${printable(`${agent} ${version} ${SYMBOLS.arrow} ${newest}${rangeOf(fits, newest)}`)}\n`
  return `${style.yellow('?')} ${printable(`${agent} ${version}: cannot tell: ${detail}`)}\n`
}

/** Where the range of the lock ends before the newest version. */
function rangeOf(fits: string | null, newest: string | null): string {
  return fits === null || fits === newest ? '' : ` (${fits} in its range)`
}
