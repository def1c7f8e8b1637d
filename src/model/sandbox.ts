// What holds the programs of tools to their grants (docs/sandbox.md).

/** `require`: a program that cannot be held is not started; `auto`: what works here is used; `off`: nothing is. */
export type SandboxMode = 'auto' | 'require' | 'off'

export type SandboxName = 'bubblewrap' | 'none'

/** What held one call. */
export interface Enforced {
  /** `rlp`: the call is a request of this process, and no program. */
  readonly by: SandboxName | 'rlp'
  /** `grants`: nothing else of the user’s files can be reached. */
  readonly files: 'grants' | 'no program' | 'none'
  /** `denied`: there is none; `hosts`: those that are granted, by https. */
  readonly network: 'denied' | 'hosts' | 'none'
  /** What a program starts from /usr is under the same files, network and limits. It is not held to the list of `exec`. */
  readonly exec: 'no program' | 'none'
  /** `each process × 128`, a bound for each of so many; `time and bytes` of a request. */
  readonly limits: string
}

/** A call that is not held. */
export const NOT_ENFORCED: Enforced = {
  by: 'none',
  files: 'none',
  network: 'none',
  exec: 'none',
  limits: 'none',
}

/** A request that this process makes: it opens no file of the user, goes to the granted host alone, and is bounded in time and bytes. */
export const REQUEST_ENFORCED: Enforced = {
  by: 'rlp',
  files: 'no program',
  network: 'hosts',
  exec: 'no program',
  limits: 'time and bytes',
}

/** What a program may reach, computed from what its tool needs and is granted. */
export interface SandboxProfile {
  /** Absolute folders and files, each once, sorted. */
  readonly reads: readonly string[]
  /** Also read. */
  readonly writes: readonly string[]
  /** As granted: `api.mail.example`, `api.mail.example:8443`. */
  readonly hosts: readonly string[]
  readonly limits: SandboxLimits
}

/** Of each process. */
export interface SandboxLimits {
  readonly memoryMb: number
  readonly processes: number
  readonly fileMb: number
  readonly openFiles: number
}
