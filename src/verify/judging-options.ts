// The options of every command that judges bundles: trust policies, evidence, the lock, and where names are looked up.
import type { Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { accessIn } from '../cli/options.ts'
import type { Listening } from '../cli/render/report.ts'
import { namedPath } from '../io/home.ts'
import { UsageError } from '../model/error.ts'
import { LOCK_FILE } from '../model/lock.ts'
import type { Judging } from './examine.ts'
import { agreeingLocks } from './open-locks.ts'

/** For every command about installed agents. */
export const ROOT_OPTION = {
  type: 'string',
  placeholder: 'DIR',
  describe: 'where agents are installed, in place of ~/.runloop/agents',
} as const

/** For every command that takes the name of an installed agent. */
export const LOOK_UP_OPTION = {
  ...ROOT_OPTION,
  describe: 'where names are looked up, in place of ~/.runloop/agents and the system’s',
} as const

/** For every command that judges by trust policies: which they are, and what came with a bundle that they may require. */
export const TRUST_OPTIONS = {
  'trust-policy': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'in place of ~/.runloop/trust-policy.toml; the system’s still applies',
  },
  'allow-dev': { type: 'boolean', describe: 'let the keys of development anchors count' },
  attestations: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'what others state about a bundle, in place of <bundle>.intoto.jsonl',
  },
} as const satisfies OptionTable

/** For every command that may hold a bundle against rlp.lock. */
export const LOCK_OPTIONS = {
  lock: {
    type: 'strings',
    commas: false,
    placeholder: 'FILE',
    describe: 'refuse what is not as this lock pins it, and fetch what it pins',
  },
  locked: { type: 'boolean', describe: 'the same with rlp.lock in the current folder' },
} as const satisfies OptionTable

/** What a command that judges bundles was told about it, the expectation and the lock apart. */
export function judgingOf(
  args: Parameters<typeof trustOf>[0] & { readonly allowUnsigned?: boolean },
  io: Io,
) {
  const { signal, onProgress } = io
  return { allowUnsigned: args.allowUnsigned, signal, onProgress, ...trustOf(args, io) }
}

/** The trust options as circumstances of verification. */
export function trustOf(
  args: Partial<Listening> & {
    readonly trustPolicy: string | undefined
    readonly allowDev: boolean
    readonly attestations: string | undefined
    readonly root?: string | undefined
  },
  io: Io,
): Pick<Judging, 'trustPolicy' | 'allowDev' | 'access' | 'elsewhere' | 'isForPerson' | 'root'> & {
  readonly attestations?: string | undefined
} {
  return {
    allowDev: args.allowDev,
    isForPerson: true,
    access: accessIn(io, args),
    elsewhere: io.elsewhere,
    trustPolicy: namedPath(args.trustPolicy, io.cwd),
    attestations: namedPath(args.attestations, io.cwd),
    root: namedPath(args.root, io.cwd),
  }
}

/** The locks that were asked for, absolute. @throws UsageError, also for locks that cannot be used together */
export async function locksOf(
  { lock, locked }: { readonly lock: readonly string[]; readonly locked: boolean },
  io: Pick<Io, 'cwd'>,
): Promise<readonly string[]> {
  if (lock.length > 0 && locked)
    throw new UsageError('Cannot use --locked with --lock: both name a lock', {
      field: 'locked',
      hint: `Leave --locked out, which means --lock ${LOCK_FILE}`,
    })
  return agreeingLocks((locked ? [LOCK_FILE] : lock).map(path => namedPath(path, io.cwd)))
}
