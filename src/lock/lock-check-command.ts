// rlp lock check: whether each agent is still what rlp.lock pins.
import { defineCommand } from '../cli/command.ts'
import { formatGiven, formatNamed, note } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { rootsFor } from '../io/root/roots.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { countsOf } from '../text/words.ts'
import { judgingOf, LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { checkLocked, LOCK_ANSWERS, type LockChecked } from './check.ts'
import { LOCK_FORMATS } from './formats/index.ts'
import { type UsableLock, usableLock } from './lock-file.ts'
import { LOCK_OPTION, lockPlace } from './options.ts'

export const command = defineCommand({
  name: 'lock check',
  summary: 'say whether agents are still what rlp.lock pins',
  positionals: [
    {
      name: 'agent',
      many: true,
      complete: 'none',
      lists: ['locked'],
      describe: 'agents of the lock; all of them if left out',
    },
  ],
  options: {
    lock: LOCK_OPTION,
    format: {
      type: 'string',
      choices: LOCK_FORMATS.map(({ name }) => name),
      describe: 'how to report; text by default',
    },
    ...TRUST_OPTIONS,
    root: LOOK_UP_OPTION,
  },
  examples: [
    ['rlp lock check', 'every agent of rlp.lock'],
    ['rlp lock check --format github', 'annotations beside the lock, in a pipeline'],
    ['rlp lock check --format markdown', 'a comment for the people who review the lock'],
    ['rlp lock check mailer --json', 'one agent, for a program'],
  ],
  notes:
    'Of each agent: same, changed (with what, capabilities first), or cannot tell. Tags are resolved again, and nothing is written. Capabilities and tools are read only from bundles whose signers are trusted.\n\nExit code 0: all are the same. 1: one has changed. 3: none has, and one could not be read; or the lock itself cannot be relied upon.\n\nThe same bundle may be revoked or expired by now: rlp agent verify --lock judges it.',
  async run(args, io) {
    const format = formatNamed(LOCK_FORMATS, formatGiven(args))
    const place = lockPlace(args, io)
    const lock = await usableLock(place)
    refuseUnknown(args.agent, lock)
    const checked = await checkLocked({
      lock,
      agents: args.agent.length > 0 ? args.agent : undefined,
      judging: judgingOf(args, io),
      roots: await rootsFor(args.root, io.cwd),
    })
    const exit = exitOf(checked)
    const { cwd, env } = io
    const view = { cwd, env, style: createStyle(io.color), quiet: args.quiet }
    const shown = format.render({ checked, path: place.path, exit }, view)
    if (shown !== '') io.stdout(shown, format.speaks)
    if (format.name === 'text') note(io, args, summaryOf(checked))
    return exit
  },
})

function refuseUnknown(agents: readonly string[], { lock, label }: UsableLock): void {
  const unknown = agents.find(agent => !lock.agents.has(agent))
  if (unknown === undefined) return
  throw new RlpError('NOT_FOUND', `Cannot check ${unknown}: ${label} has no such agent`, {
    hint: 'rlp lock list shows the agents of the lock',
  })
}

/** A change is certain: trying again does not take it away, as it may for what could not be read. */
function exitOf({ summary: { changed, cannotTell } }: LockChecked): ExitCode {
  if (changed > 0) return EXIT.bundle
  return cannotTell > 0 ? EXIT.machine : EXIT.ok
}

function summaryOf({ agents }: LockChecked): string {
  const shown = countsOf(LOCK_ANSWERS, agents).filter(([word, count]) => count > 0 || word === 'same')
  return shown.map(([word, count]) => `${count} ${word}`).join(', ')
}
