// A file that overrides policy.caps, as it was found: read, or why it cannot be relied upon.

export type OverrideFile = OverrideBytes | OverrideUnusable

interface About {
  /** As people call the file. */
  readonly label: string
  /** `name` or `name@variant`. */
  readonly for: string
}

export interface OverrideBytes extends About {
  readonly bytes: Uint8Array
}

/** It is there, and others may write it, or it could not be read. */
export interface OverrideUnusable extends About {
  readonly problem: string
  readonly hint?: string
}
