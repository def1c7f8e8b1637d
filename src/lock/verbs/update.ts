// rlp lock update: what is there now, into rlp.lock; what may do more is refused without a flag.
import { resolve } from 'node:path'
import { readReference } from '../../agent/agent-name.ts'
import { findBundles } from '../../io/find/find-bundles.ts'
import { kindAt, type Target } from '../../io/find/search-folders.ts'
import { EXIT } from '../../model/exit-code.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb, givenTexts, type Input, type World, whether } from '../../verb/index.ts'
import { givenBundles, searching } from '../../verb/kinds/bundles.ts'
import { dryRun, expect, lock, READING, readingBy, refuseMany } from '../inputs.ts'
import { type LockPlace, usableLock } from '../lock-file.ts'
import { renderUpdate } from '../render-lock.ts'
import { notTrusted } from '../render-refused.ts'
import { LockRefusedError, type LockUpdated, notLocked, updateLock } from '../update.ts'

/** What is typed may be an agent of the lock or a bundle. A program says which. */
type AgentsAsked = { readonly typed: readonly string[] } | { readonly named: readonly string[] }

const agents: Input<readonly string[], AgentsAsked> = {
  type: 'readonly string[]',
  typed: {
    type: 'strings',
    describe: 'an agent of the lock, or a bundle that takes the place of one; every agent if left out',
    flag: 'agent',
    lists: ['locked'],
  },
  absent: () => ({ named: [] }),
  fromTyped: (typed: readonly string[]) => ({ typed }),
  fromGiven: (given, at) => ({ named: givenTexts(given, at) }),
}

/**
 * Takes what is there now into a lock, unless it may do more than what is locked.
 *
 * @example
 * const { updates } = await lockUpdate({ bundles: ['dist/mailer-0.2.0.agent.bundle'] })
 * for (const { after, tools } of updates) console.log(after.agent, after.version, tools)
 *
 * @throws {@link LockRefusedError} for what may do more, lacks a signer, is older, or has other content under the same version
 * @throws {@link NotVerifiedError} for a bundle that is not `trusted`
 * @throws {@link RlpError} `NOT_FOUND` for an agent that the lock has not, `LOCK_UNUSABLE`, `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'lock update',
  summary: 'take what changed into rlp.lock, unless it may do more',
  arguments: ['agents'],
  inputs: {
    lock,
    /** Agents of the lock, each from its own source. All of them where this and `bundles` are left out. */
    agents,
    /** Bundles that take the place of agents in the lock. */
    bundles: givenBundles('lock'),
    expect,
    /** Take what may do more. */
    allowCapsChange: whether('accept that it may do more than what is locked'),
    /** Take what lacks a signer that the lock lists. */
    allowSignerChange: whether('accept that a listed signer is missing'),
    /** Take what is older. */
    allowDowngrade: whether('accept an older version than is locked'),
    /** Look and compare, and write nothing. */
    dryRun: dryRun('show what would be taken'),
    ...READING,
  },
  isLong: true,
  async run({ agents: asked, bundles: given, expect, lock, dryRun, ...rest }, world): Promise<LockUpdated> {
    const { judging, roots } = await readingBy(rest, world)
    const { agents, bundles } =
      'named' in asked
        ? { agents: asked.named, bundles: given }
        : await agentsAndBundles(asked.typed, lock, world)
    refuseMany(expect, bundles.length + agents.length, world)
    return updateLock({ lock, agents, bundles, expect, roots, judging, dryRun, flags: rest })
  },
})

async function agentsAndBundles(typed: readonly string[], lock: LockPlace, world: World) {
  const { agents: known } = (await usableLock(lock)).lock
  const paths = typed.filter(one => !known.has(one))
  for (const one of paths) {
    const isThere = isOciReference(one) || kindAt(resolve(world.cwd, one)) !== undefined
    if (!isThere && readReference(one) !== undefined) throw notLocked(one, lock.label)
  }
  const bundles: readonly Target[] = await findBundles(paths, searching(world))
  return { agents: typed.filter(one => known.has(one)), bundles }
}

export const command = commandOf(verb, {
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
  quiet: ({ updates }, { asked }) => (asked.dryRun ? undefined : updates.map(({ after }) => after.agent)),
  text: ({ changed, updates, unchanged }, { asked: { lock, dryRun }, style }) =>
    [
      ...updates.map(one => renderUpdate(one, style)),
      ...unchanged.map(one => `${style.dim(`${printable(one)}: unchanged`)}\n`),
      ...(changed
        ? [`${style.dim(printable(`${dryRun ? 'would be ' : ''}locked in ${lock.label}`))}\n`]
        : []),
    ].join(''),
  refused(error, showing) {
    if (!(error instanceof LockRefusedError)) return notTrusted(error, showing)
    const { concerns, updates } = error
    return {
      exit: concerns.every(({ flag }) => flag === 'caps-change') ? EXIT.denied : EXIT.bundle,
      extra: { concerns, updates },
      body: style => [
        ...updates.map(one => renderUpdate(one, style).trimEnd()),
        ...concerns.slice(1).map(({ message }) => `${style.yellow('also:')} ${printable(message)}`),
      ],
    }
  },
})
