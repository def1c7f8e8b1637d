// rlp lock update: what is there now, into rlp.lock; what may do more is refused without a flag.
import { resolve } from 'node:path'
import { readReference } from '../agent/agent-name.ts'
import { defineCommand, type GlobalArgs, type Io } from '../cli/command.ts'
import { leavingOut } from '../cli/render/passed-over.ts'
import { printRefusal } from '../cli/render/refusal.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { rootsFor } from '../io/root/roots.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { judgingOf, LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { refuseManyGiven } from './library-input.ts'
import { usableLock } from './lock-file.ts'
import { EXPECT_OPTION, LOCK_OPTION, lockPlace, notTrusted } from './options.ts'
import { renderUpdate } from './render-lock.ts'
import { notLocked, type UpdateOutcome, updateLock } from './update.ts'

const TOOL = 'lock.update'

export const command = defineCommand({
  name: 'lock update',
  summary: 'take what changed into rlp.lock, unless it may do more',
  positionals: [
    {
      name: 'agent',
      many: true,
      lists: ['locked'],
      describe: 'an agent of the lock, or a bundle that takes the place of one; every agent if left out',
    },
  ],
  options: {
    lock: LOCK_OPTION,
    expect: EXPECT_OPTION,
    'allow-caps-change': { type: 'boolean', describe: 'accept that it may do more than what is locked' },
    'allow-signer-change': { type: 'boolean', describe: 'accept that a listed signer is missing' },
    'allow-downgrade': { type: 'boolean', describe: 'accept an older version than is locked' },
    'dry-run': { type: 'boolean', describe: 'write nothing: show what would be taken' },
    ...TRUST_OPTIONS,
    root: LOOK_UP_OPTION,
  },
  examples: [
    ['rlp lock update', 'every agent, from where the lock says it comes from'],
    ['rlp lock update mailer', 'one agent: what its tag leads to now'],
    ['rlp lock update dist/mailer-0.2.0.agent.bundle', 'a new version in another file'],
    ['rlp lock update oci://registry.example/agents/mailer --expect mailer@^2', 'from another range on'],
    ['rlp lock update --dry-run', 'what there is, before it is taken'],
    ['rlp lock update mailer --allow-caps-change', 'after a person has read what is new'],
  ],
  notes:
    'Only bundles with the verdict trusted are taken, and an agent that did not change changes no byte of the lock. All of it is written, or nothing.\n\nExit code 4: an agent may do more than the locked one. 1: it is older, has other content under the same version, or lacks a signer that the lock lists; or it is not trusted. If the locked bundle cannot be found any more, each new capability and each tool with another definition counts as wider.',
  async run(args, io) {
    const roots = await rootsFor(args.root, io.cwd)
    const lock = lockPlace(args, io)
    const { agents: known } = (await usableLock(lock)).lock
    const agents = args.agent.filter(one => known.has(one))
    const paths = args.agent.filter(one => !known.has(one))
    for (const one of paths) {
      const isThere = isOciReference(one) || kindAt(resolve(io.cwd, one)) !== undefined
      if (!isThere && readReference(one) !== undefined) throw notLocked(one, lock.label)
    }
    const bundles = await findBundles(paths, leavingOut(io, args))
    refuseManyGiven('--expect', args.expect, bundles.length + agents.length)
    const outcome = await updateLock({
      lock,
      agents,
      bundles,
      expect: args.expect,
      flags: args,
      dryRun: args.dryRun,
      judging: judgingOf(args, io),
      roots,
    })
    if (outcome.is === 'not-trusted') return notTrusted(outcome.reports, TOOL, args, io)
    if (outcome.is === 'refused') return refused(outcome, args, io)
    const { updated } = outcome
    const { changed, updates, unchanged } = updated
    const style = createStyle(io.color)
    report(io, args, {
      tool: TOOL,
      result: updated,
      quiet: args.dryRun ? undefined : updates.map(({ after }) => after.agent),
      text: () =>
        [
          ...updates.map(one => renderUpdate(one, style)),
          ...unchanged.map(one => `${style.dim(`${printable(one)}: unchanged`)}\n`),
          ...(changed
            ? [`${style.dim(printable(`${args.dryRun ? 'would be ' : ''}locked in ${lock.label}`))}\n`]
            : []),
        ].join(''),
    })
    return EXIT.ok
  },
})

function refused(
  { updates, concerns }: Extract<UpdateOutcome, { is: 'refused' }>,
  args: GlobalArgs,
  io: Io,
): ExitCode {
  const [first, ...more] = concerns
  if (first === undefined) throw new TypeError('an update was refused')
  printRefusal(io, args, {
    tool: TOOL,
    error: new RlpError('NOT_VERIFIED', `Cannot update the lock: ${first.message}`, { hint: first.hint }),
    extra: { concerns, updates },
    body: style => [
      ...updates.map(one => renderUpdate(one, style).trimEnd()),
      ...more.map(({ message }) => `${style.yellow('also:')} ${printable(message)}`),
    ],
  })
  return concerns.every(({ flag }) => flag === 'caps-change') ? EXIT.denied : EXIT.bundle
}
