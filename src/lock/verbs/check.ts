// rlp lock check: whether each agent is still what rlp.lock pins.
import { formatGiven, formatNamed } from '../../cli/render/report.ts'
import { RlpError } from '../../model/error.ts'
import { EXIT } from '../../model/exit-code.ts'
import { countsOf } from '../../text/words.ts'
import { commandOf, defineVerb, texts } from '../../verb/index.ts'
import { checkLocked, LOCK_ANSWERS, type LockChecked } from '../check.ts'
import { LOCK_FORMATS } from '../formats/index.ts'
import { lock, READING, readingBy } from '../inputs.ts'
import { type UsableLock, usableLock } from '../lock-file.ts'

/**
 * Of each agent in a lock: whether it is still the same. Nothing is written.
 *
 * @example
 * const { agents } = await lockCheck({ lock: 'deploy/rlp.lock' })
 * for (const { agent, is, details } of agents) if (is !== 'same') console.error(agent, is, details[0])
 *
 * @throws {@link RlpError} `NOT_FOUND` if there is no lock, or no such agent in it, `LOCK_UNUSABLE` for one that cannot be relied upon, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'lock check',
  summary: 'say whether agents are still what rlp.lock pins',
  arguments: ['agents'],
  inputs: {
    agents: texts('agents of the lock; all of them if left out', {
      flag: 'agent',
      complete: 'none',
      lists: ['locked'],
    }),
    lock,
    ...READING,
  },
  isLong: true,
  async run({ agents, lock: place, ...reading }, world): Promise<LockChecked> {
    const lock = await usableLock(place)
    refuseUnknown(agents, lock)
    const { judging, roots } = await readingBy(reading, world)
    return checkLocked({ lock, judging, roots, agents: agents.length > 0 ? agents : undefined })
  },
})

function refuseUnknown(agents: readonly string[], { lock, label }: UsableLock): void {
  const unknown = agents.find(agent => !lock.agents.has(agent))
  if (unknown === undefined) return
  throw new RlpError('NOT_FOUND', `Cannot check ${unknown}: ${label} has no such agent`, {
    hint: 'rlp lock list shows the agents of the lock',
  })
}

export const command = commandOf(verb, {
  flags: {
    format: {
      type: 'string',
      choices: LOCK_FORMATS.map(({ name }) => name),
      describe: 'how to report; text by default',
    },
  },
  first: ['lock', 'format'],
  examples: [
    ['rlp lock check', 'every agent of rlp.lock'],
    ['rlp lock check --format github', 'annotations beside the lock, in a pipeline'],
    ['rlp lock check --format markdown', 'a comment for the people who review the lock'],
    ['rlp lock check mailer --json', 'one agent, for a program'],
  ],
  notes:
    'Of each agent: same, changed (with what, capabilities first), or cannot tell. Tags are resolved again, and nothing is written. Capabilities and tools are read only from bundles whose signers are trusted.\n\nExit code 0: all are the same. 1: one has changed. 3: none has, and one could not be read; or the lock itself cannot be relied upon.\n\nThe same bundle may be revoked or expired by now: rlp agent verify --lock judges it.',
  ready: formatGiven,
  // A change is certain: trying again does not take it away, as it may for what could not be read.
  exit: ({ summary: { changed, cannotTell } }) =>
    changed > 0 ? EXIT.bundle : cannotTell > 0 ? EXIT.machine : EXIT.ok,
  print(checked, { asked, args, style, io }, exit) {
    const format = formatNamed(LOCK_FORMATS, formatGiven(args))
    const { cwd, env } = io
    const view = { cwd, env, style, quiet: args.quiet }
    const shown = format.render({ checked, path: asked.lock.path, exit }, view)
    if (shown !== '') io.stdout(shown, format.speaks)
  },
  note: (checked, { args }) => (formatGiven(args) === 'text' ? summaryOf(checked) : undefined),
})

function summaryOf({ agents }: LockChecked): string {
  const shown = countsOf(LOCK_ANSWERS, agents).filter(([word, count]) => count > 0 || word === 'same')
  return shown.map(([word, count]) => `${count} ${word}`).join(', ')
}
