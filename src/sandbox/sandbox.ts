// What the caller and config.toml ask for → what holds the programs of this process, decided once and before anything of a bundle is read.

import { operatorConfig } from '../io/config.ts'
import { runloopHome, userHome } from '../io/home.ts'
import type { RunsAs } from '../io/owner/mounted.ts'
import { accountNamed } from '../io/owner/other-user.ts'
import type { SandboxProblem } from '../io/owner/programs.ts'
import type { Config } from '../model/config.ts'
import { RlpError } from '../model/error.ts'
import type { RunRefusal } from '../model/run.ts'
import type { Enforced, SandboxMode, SandboxProfile } from '../model/sandbox.ts'
import type { Tool } from '../model/tools.ts'
import { SANDBOX_KINDS } from './kinds/index.ts'
import type { Held, SandboxHost, ToHold, WorkingSandbox } from './kinds/kind.ts'
import { NO_SANDBOX } from './kinds/none.ts'
import { type ProgramNeeds, profileOf } from './profile.ts'

export interface Sandbox {
  readonly name: WorkingSandbox['name']
  readonly mode: SandboxMode
  /** With `auto`: why programs are not held here; said once. */
  readonly note: string | undefined
  profile(needs: ProgramNeeds): SandboxProfile
  /** Before the folders of the profile are looked at. */
  expected(tool: Tool): Enforced
  /** A refusal that is known before anything is looked at. */
  refusal(tool: Tool): RunRefusal | undefined
  takeUser: WorkingSandbox['takeUser']
  hold(what: ToHold): Held | RunRefusal
}

/**
 * @param requested `--sandbox`, or the library’s option
 * @param given for tests, in place of the operator's
 * @throws RlpError UNENFORCED where a sandbox is required and none works; as {@link operatorConfig}
 */
export async function openSandbox(
  requested: SandboxMode | undefined,
  host: Omit<SandboxHost, 'user'>,
  given?: Config,
): Promise<Sandbox> {
  const config = given ?? (await operatorConfig({ home: runloopHome(host.env) }))
  const { mode, from } = modeOf(requested, config)
  const memoryMb = config.memoryMb?.value
  if (mode === 'off') return sandboxOf(NO_SANDBOX, { mode, memoryMb, note: undefined })
  const { working, problems } = await trySandboxes({ ...host, user: userNamed(config) })
  const [first] = problems
  if (working !== NO_SANDBOX || first === undefined)
    return sandboxOf(working, { mode, memoryMb, note: undefined })
  const why = problems.map(({ kind, problem }) => `${kind}: ${problem}`).join('; ')
  if (mode === 'require') {
    const asks = from === undefined ? 'a sandbox is required' : `${from} requires a sandbox`
    throw new RlpError('UNENFORCED', `Cannot start programs: ${asks}, and none works here: ${why}`, {
      hint: first.hint,
    })
  }
  const note = `Programs are not held to their grants here (${why}): rlp doctor says what can be done`
  return sandboxOf(working, { mode, memoryMb, note })
}

/** `require` of a config.toml decides; else what the caller says. */
function modeOf(
  requested: SandboxMode | undefined,
  { sandbox }: Config,
): { readonly mode: SandboxMode; readonly from: string | undefined } {
  if (sandbox?.value === 'require') return { mode: 'require', from: sandbox.from }
  return { mode: requested ?? sandbox?.value ?? 'auto', from: undefined }
}

interface TriedSandboxes {
  /** The first that works. */
  readonly working: WorkingSandbox
  /** Of those before it. */
  readonly problems: readonly (SandboxProblem & { readonly kind: string })[]
}

/** @throws RlpError as `takeUser` */
export async function trySandboxes(host: SandboxHost): Promise<TriedSandboxes> {
  const problems: (SandboxProblem & { readonly kind: string })[] = []
  for (const kind of SANDBOX_KINDS) {
    const found = await kind.probe(host)
    if (!('problem' in found)) return { working: found, problems }
    problems.push({ kind: kind.name, ...found })
  }
  throw new TypeError('the last kind of sandbox works everywhere')
}

function sandboxOf(
  working: WorkingSandbox,
  { mode, memoryMb, note }: Pick<Sandbox, 'mode' | 'note'> & { readonly memoryMb: number | undefined },
): Sandbox {
  const profile = (needs: ProgramNeeds) => profileOf(needs, userHome(), memoryMb)
  const expected = (tool: Tool) => working.expected(profile(tool))
  return {
    name: working.name,
    mode,
    note,
    profile,
    expected,
    refusal: tool => (mode === 'require' ? lessThanAll(expected(tool)) : undefined),
    takeUser: signal => working.takeUser(signal),
    hold(what) {
      const held = working.hold(what)
      if (!('problem' in held)) return (mode === 'require' ? lessThanAll(held.enforced) : undefined) ?? held
      const { problem, hint } = held
      return {
        kind: 'rejected',
        message: `Cannot hold the program to its grants: ${problem}. ${hint}${mode === 'auto' ? WITHOUT : ''}`,
        extra: { reason: 'sandbox_refused' },
      }
    },
  }
}

const WITHOUT = ', or add --sandbox off if you trust it with all your files'

/** `require` asks for files, network and limits. What is held in part is not held. */
function lessThanAll(enforced: Enforced): RunRefusal | undefined {
  const missing = (['files', 'network', 'limits'] as const).filter(part => enforced[part] === 'none')
  if (missing.length === 0) return undefined
  return {
    kind: 'rejected',
    message: `Cannot start the program: a sandbox is required, and its ${missing.join(' and ')} cannot be held. ${WHY[missing[0] ?? 'files']}`,
    extra: { reason: 'not_enforced', missing },
  }
}

const WHY = {
  files: 'It may write what is run later, outside of the sandbox',
  network: 'It would have the network of this host',
  limits: 'This kernel is older than 5.14',
} as const

/** A name of /etc/passwd, or a number. @throws RlpError USAGE */
export function userNamed({ sandboxUser }: Config): RunsAs | undefined {
  if (sandboxUser === undefined || process.getuid?.() !== 0) return undefined
  const { value, from } = sandboxUser
  if (/^[1-9][0-9]{0,8}$/.test(value)) return { uid: Number(value), gid: Number(value) }
  const account = accountNamed(value)
  if (account !== undefined && account.uid > 0) return account
  const state = account === undefined ? 'there is no such user' : 'it is root'
  throw new RlpError('USAGE', `Cannot run programs as "${value}", as ${from} says: ${state}`, {
    hint: 'Name a user of this host that is not root, or leave sandbox_user out',
  })
}
