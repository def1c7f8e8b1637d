// A file that overrides policy.caps: its content, or why it cannot be used.

export type OverrideFile = OverrideBytes | OverrideUnusable

interface About {
  /** Name of the file in messages. */
  readonly label: string
  /** `name` or `name@variant`. */
  readonly for: string
}

export interface OverrideBytes extends About {
  readonly bytes: Uint8Array
}

/** The file exists, but others may write it, or it could not be read. */
export interface OverrideUnusable extends About {
  readonly problem: string
  readonly hint?: string
}
