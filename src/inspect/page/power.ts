// One thing of the host that a bundle may use, and who uses it.

/** From the most dangerous to the least. */
export const POWER_KINDS = [
  'unknown',
  'code',
  'every program',
  'program',
  'host',
  'secret',
  'write',
  'read',
  'other',
] as const

export type PowerKind = (typeof POWER_KINDS)[number]

/** One thing of the host, and the tools that use it. */
export interface Power {
  readonly kind: PowerKind
  /** The program, `host:port`, secret or folder; empty for all of the kind, and for plain http that no tool uses. */
  readonly name: string
  /** What policy.caps says of it, as capability strings; empty where only a tool asks. */
  readonly grants: readonly string[]
  readonly uses: readonly PowerUse[]
  /** Of plain http that no tool uses: the hosts for which it is granted. */
  readonly hosts?: readonly string[]
  /** Ids of the tools that do not use all of it, but take a part, such as one folder in it. */
  readonly parts?: readonly string[]
  /** What overrides on this host leave of it, if that is less: no entry for nothing. */
  readonly left?: readonly string[]
}

export interface PowerUse {
  readonly tool: string
  /** `GET`. */
  readonly verb?: string | undefined
  /** The command line, or method and path; for a secret, where it goes. */
  readonly how: string
  /** A person is asked before each call. */
  readonly confirm: boolean
  /** The tool is not granted everything that it needs here, so that no call of it runs. */
  readonly isDenied?: true
}

/** What tells one power from another. */
export type PowerPlace = Pick<Power, 'kind' | 'name'>

/** The same thing in two bundles. */
export function keyOf({ kind, name }: PowerPlace): string {
  return JSON.stringify([kind, name])
}
