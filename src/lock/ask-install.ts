// Who agrees to an install: a lock that was named, a function of the program, or --yes or an answer of a person. A lock that is only found
// in the current folder is no consent: a stranger's checkout has one, too.
import { askForYes, mayAsk, saysYes } from '../cli/interactive.ts'
import { permissionLines } from '../inspect/permission-lines.ts'
import { operatorConfig } from '../io/config.ts'
import { namedPath } from '../io/home.ts'
import type { PathGiven } from '../io/library/caller.ts'
import { realPath } from '../io/read/real-path.ts'
import type { Root } from '../io/root/root-places.ts'
import { RlpError } from '../model/error.ts'
import type { Offer } from '../model/install.ts'
import type { OneOrMore } from '../model/one-or-more.ts'
import { plural } from '../text/words.ts'
import { type At, givenFunction, type Input } from '../verb/index.ts'
import type { AskPerson } from '../verb/kinds/questions.ts'
import { LOCK_OPTIONS, locksOf } from '../verify/judging-options.ts'
import { pins } from '../verify/pin-inputs.ts'
import type { HeldLocks } from './install-all.ts'
import type { PrunePlan } from './prune.ts'

type Agrees = (offer: Offer) => boolean | Promise<boolean>

export interface Agreement {
  /** Before any question: with --yes. */
  readonly isGiven: boolean
  /** Undefined where no person is asked. */
  readonly ask?: AskPerson
  /** Whether an agent may be installed that this user never had. */
  toInstall(offer: Offer): Promise<boolean>
}

/**
 * Whether an agent that this user never had may be installed: it is shown what the agent may do. Without it a first install is refused.
 */
export const mayBegin: Input<Agrees, Agreement> = {
  type: '(offer: Offer) => boolean | Promise<boolean>',
  typed: {
    type: 'boolean',
    flag: 'yes',
    alias: 'y',
    describe: 'install for the first time, and prune, without being asked',
  },
  absent: () => ({ isGiven: false, toInstall: async () => false }),
  fromTyped(yes: boolean, { world: { terminal } }: At) {
    if (terminal === undefined || !mayAsk(terminal.io, { ...terminal.args, nonInteractive: yes }))
      return { isGiven: yes, toInstall: async () => yes }
    const ask: AskPerson = doing => terminal.open(doing, terminal.io)
    return { isGiven: false, ask, toInstall: offer => askToInstall(offer, ask) }
  },
  fromGiven(given, at) {
    const agrees = givenFunction(given, at)
    return { isGiven: false, toInstall: async offer => (await agrees(offer)) === true }
  },
}

async function askToInstall(
  { agent, version, verdict, permissions }: Offer,
  ask: AskPerson,
): Promise<boolean> {
  const prompter = await ask(`install ${agent}`)
  prompter.note(permissionLines(permissions).join('\n'), `${agent} ${version}, ${verdict}: it`)
  return saysYes(prompter, 'Install it?')
}

/** @throws RlpError NEEDS_ANSWER if no person can be asked, CANCELLED for a no */
export async function askToPrune(
  { unnamed }: PrunePlan,
  root: Root,
  { isGiven, ask }: Agreement,
): Promise<void> {
  if (isGiven) return
  const doing = `prune "${root.label}"`
  const agents = plural(unnamed.length, 'agent')
  if (ask === undefined)
    throw new RlpError(
      'NEEDS_ANSWER',
      `Cannot ${doing}: ${agents} would be removed, and no person can be asked`,
      { hint: 'See with --dry-run which they are, and add --yes' },
    )
  const prompter = await ask(doing)
  const lines = unnamed.map(
    ({ agent, version, lock }) => `${agent} ${version}, which the lock ${lock} has installed`,
  )
  prompter.note(lines.join('\n'), 'No lock names any more')
  await askForYes(prompter, `Remove ${agents} from ${root.label}?`, {
    doing,
    otherwise: 'nothing was removed',
  })
}

/**
 * Locks that the bundle has to be as pinned in (docs/lock.md). They are the consent to what they pin: `mayBegin` is not asked then, and no
 * `allowCapsChange` is needed.
 */
export const heldLocks: Input<OneOrMore<PathGiven>, HeldLocks> = {
  type: 'OneOrMore<PathGiven>',
  flags: LOCK_OPTIONS,
  absent: () => ({ paths: [], labels: [], consents: false }),
  async fromTyped(args: Parameters<typeof locksOf>[0], { world }: At) {
    const paths = await locksOf(args, world)
    return { paths, labels: args.lock, consents: await isConsent(paths[0], args.lock.length > 0) }
  },
  async fromGiven(given, at) {
    const paths = (await pins.fromGiven?.(given, at)) ?? []
    return { paths, labels: paths, consents: true }
  },
}

/**
 * @param path absolute, of the only lock that is not named; undefined where no lock is used
 * @param isNamed whether `--lock` names it
 * @throws RlpError as {@link operatorConfig}
 */
export async function isConsent(path: string | undefined, isNamed: boolean): Promise<boolean> {
  if (path === undefined || isNamed) return isNamed
  const { lockConsent } = await operatorConfig()
  const real = await realPath(path)
  for (const one of lockConsent?.value ?? [])
    if ((await realPath(namedPath(one, process.cwd()))) === real) return true
  return false
}
