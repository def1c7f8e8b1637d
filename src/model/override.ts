// An operator's override of policy.caps: the file, or why it cannot be used, and what it says.
import type { Family, Policy } from './policy.ts'

export type OverrideFile = OverrideBytes | OverrideUnusable

interface About {
  /** Name of the file in messages. */
  readonly label: string
  /** `name` or `name@variant`. */
  readonly for: string
}

interface OverrideBytes extends About {
  readonly bytes: Uint8Array
}

/** The file exists, but others may write it, or it could not be read. */
interface OverrideUnusable extends About {
  readonly problem: string
  readonly hint?: string
}

/** What an override says. */
export interface PolicyOverride {
  /** What it leaves at its keys. */
  readonly leaves: Policy
  /** Its keys. The three of the family `fs` count as one: one of them is enough. */
  readonly keys: ReadonlySet<Family>
  /** Whether it has a value for plain http. */
  readonly saysHttp: boolean
}
