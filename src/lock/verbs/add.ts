// rlp lock add: what trusted bundles are and may do, into rlp.lock.
import { findBundles } from '../../io/find/find-bundles.ts'
import { findInstalled } from '../../io/root/find-installed.ts'
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import { bundles, searching, targetsOf } from '../../verb/kinds/bundles.ts'
import { addToLock, type LockAdded } from '../add.ts'
import { dryRun, expect, lock, READING, readingBy, refuseMany } from '../inputs.ts'
import { renderAdded } from '../render-lock.ts'
import { notTrusted } from '../render-refused.ts'

/**
 * Verifies bundles, and pins what they are and may do: all of them, or none. With `name` and no bundle it names the lock.
 *
 * @example
 * const { agents } = await lockAdd(['dist/mailer-0.1.0.agent.bundle'], { lock: 'deploy/rlp.lock' })
 * console.log(agents[0]?.identity, agents[0]?.caps)
 *
 * @throws {@link NotVerifiedError} for a bundle that is not `trusted`
 * @throws {@link RlpError} `EXISTS` for an agent that is locked with other content, `LOCK_UNUSABLE` for a lock that cannot be relied upon,
 * `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'lock add',
  summary: 'pin what agents are and may do, in rlp.lock',
  arguments: ['bundles'],
  inputs: {
    bundles: needed(
      bundles(
        'a bundle, a folder of bundles, a reference to a registry, or the name of an installed agent; with --name it may be left out',
        { flag: 'bundle', names: 'installed', optional: true, doing: 'lock' },
      ),
    ),
    lock,
    expect,
    /** What the lock is called from now on; left out, it keeps the name that it has. */
    name: text('what this lock is called, which rlp agent install keeps beside what it installs', {
      placeholder: 'NAME',
    }),
    /** Verify and compare, and write nothing. */
    dryRun: dryRun('show what would be pinned'),
    ...READING,
  },
  isLong: true,
  async run({ bundles, lock, expect, name, dryRun, ...reading }, world): Promise<LockAdded> {
    const { roots, judging } = await readingBy(reading, world)
    const targets = await targetsOf(bundles, typed =>
      findBundles(typed, {
        ...searching(world),
        byName: reference => findInstalled(reference, roots),
      }),
    )
    if (targets.length > 0) refuseMany(expect, targets.length, world)
    return addToLock(targets, { lock, name, dryRun, judging: { ...judging, expect } })
  },
})

export const command = commandOf(verb, {
  examples: [
    ['rlp lock add dist/mailer-0.1.0.agent.bundle', 'into rlp.lock in the current folder'],
    ['rlp lock add oci://registry.example/agents/mailer:0.1.0', 'with the digest that the tag leads to now'],
    [
      'rlp lock add oci://registry.example/agents/mailer --expect mailer@^0.1',
      'the newest version that fits, and so with each update',
    ],
    ['rlp lock add dist --lock deploy/rlp.lock', 'every bundle of a folder'],
    ['rlp lock add --name mail_house', 'a name for the lock that is there, as --prune of install needs it'],
  ],
  notes:
    'Only bundles with the verdict trusted are locked. If one of them is not, nothing is written, and the exit code is that of rlp agent verify. An agent that is locked already is changed by rlp lock update.\n\nPaths in the lock count from its folder, so the lock can be kept with the deployment. docs/lock.md says what each line means.',
  quiet: ({ agents }, { asked }) => (asked.dryRun ? undefined : agents.map(({ agent }) => agent)),
  text: (added, { asked, style }) => renderAdded(added, asked.dryRun, style),
  refused: notTrusted,
})
