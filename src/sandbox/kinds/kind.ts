// A kind of sandbox: how programs of tools are held on some system. One file and one line in index.ts each.

import type { RunsAs } from '../../io/owner/mounted.ts'
import type { SandboxProblem } from '../../io/owner/programs.ts'
import type { ExtraStream } from '../../io/process/descriptors.ts'
import type { Enforced, SandboxName, SandboxProfile } from '../../model/sandbox.ts'
import type { Internet } from '../../net/internet.ts'
import type { InSandbox, Started } from '../bubblewrap-arguments.ts'
import type { NotMounted } from '../mounts.ts'
import type { DecidingHost } from '../never-granted.ts'

/** What a kind needs to know of this process. */
export interface SandboxHost extends DecidingHost {
  readonly signal: AbortSignal
  /** Where programs of the system are looked for; for tests. */
  readonly folders?: readonly string[] | undefined
  /** `[security] sandbox_user`. */
  readonly user: RunsAs | undefined
}

/** One program, and what it may reach. */
export interface ToHold {
  readonly profile: SandboxProfile
  readonly program: InSandbox
  /** The folder of the call that it may write, and the file with its arguments. */
  readonly own: readonly { readonly path: string; readonly isWritable: boolean }[]
  /** A folder of this call, for what is made for the sandbox. */
  readonly scratch: string
  /** Milliseconds; infinite for none. */
  readonly timeoutMs: number
  /** By which it reaches its hosts; undefined if it reaches none. */
  readonly internet?: Internet | undefined
  /** Programs of the bundle's tools. */
  readonly programs: readonly string[]
  readonly as: RunsAs | undefined
}

/** A program that is held once it is started so. */
export interface Held {
  readonly line: Started
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Descriptors from 3 on. */
  readonly streams: readonly ExtraStream[]
  /** The group of the program itself, for signals that it may handle; undefined while there is none. */
  innerGroup(): number | undefined
  /** Whether the program itself was started: what was written before is not its own. */
  begun(): boolean
  /** After the end: why the program itself was never started; undefined if it was. */
  failure(stderr: string): string | undefined
  /** How the program itself ended, from how the line did. */
  ended<E extends LineEnd>(end: E): E
  /** After the end: what it was refused, for people. */
  notices(): readonly string[]
  readonly enforced: Enforced
}

export interface LineEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

/** A sandbox that works in this process. */
export interface WorkingSandbox {
  readonly name: SandboxName
  /** What would hold a program of this profile, as far as that is known before its folders are looked at. */
  expected(profile: SandboxProfile): Enforced
  /** As whom one program runs; undefined for this user. */
  takeUser(signal: AbortSignal): Promise<(RunsAs & { release(): void }) | undefined>
  hold(what: ToHold): Held | NotMounted
}

export interface SandboxKind {
  readonly name: SandboxName
  /** Whether it works here. Nothing of a bundle is read before. */
  probe(host: SandboxHost): Promise<WorkingSandbox | SandboxProblem>
}
