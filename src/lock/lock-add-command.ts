// rlp lock add: what trusted bundles are and may do, into rlp.lock.
import { defineCommand } from '../cli/command.ts'
import { leavingOut } from '../cli/render/passed-over.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { findInstalled } from '../io/root/find-installed.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT } from '../model/exit-code.ts'
import { judgingOf, LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { addToLock } from './add.ts'
import { refuseManyGiven } from './library-input.ts'
import { EXPECT_OPTION, LOCK_OPTION, lockPlace, notTrusted } from './options.ts'
import { renderAdded } from './render-lock.ts'

export const command = defineCommand({
  name: 'lock add',
  summary: 'pin what agents are and may do, in rlp.lock',
  positionals: [
    {
      name: 'bundle',
      names: 'installed',
      many: true,
      describe:
        'a bundle, a folder of bundles, a reference to a registry, or the name of an installed agent; with --name it may be left out',
    },
  ],
  options: {
    lock: LOCK_OPTION,
    expect: EXPECT_OPTION,
    name: {
      type: 'string',
      placeholder: 'NAME',
      describe: 'what this lock is called, which rlp agent install keeps beside what it installs',
    },
    'dry-run': { type: 'boolean', describe: 'write nothing: show what would be pinned' },
    ...TRUST_OPTIONS,
    root: LOOK_UP_OPTION,
  },
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
  async run(args, io) {
    const roots = await rootsFor(args.root, io.cwd)
    const targets = await findBundles(args.bundle, {
      ...leavingOut(io, args),
      byName: reference => findInstalled(reference, roots),
    })
    const { expect, name } = args
    if (targets.length > 0) refuseManyGiven('--expect', expect, targets.length)
    const lock = lockPlace(args, io)
    const judging = { ...judgingOf(args, io), expect }
    const outcome = await addToLock(targets, { lock, judging, dryRun: args.dryRun, name })
    if (outcome.is === 'refused') return notTrusted(outcome.reports, 'lock.add', args, io)
    const { added } = outcome
    report(io, args, {
      tool: 'lock.add',
      result: added,
      quiet: args.dryRun ? undefined : added.agents.map(({ agent }) => agent),
      text: () => renderAdded(added, args.dryRun, createStyle(io.color)),
    })
    return EXIT.ok
  },
})
