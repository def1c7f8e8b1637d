// transport.kind "exec": a program on the host, started without a shell (tool-attachments document, §2). What the kind does is in
// src/tools/transports/exec.ts.

export interface ExecTransport {
  readonly kind: 'exec'
  /** Absolute path of the program. */
  readonly command: string
  /** Extra arguments, after the path of the JSON file; order is kept. */
  readonly args: readonly string[]
}

/** What a call does, as far as an upgrade is compared by it. */
export interface ExecAct {
  readonly kind: 'exec'
  readonly command: string
  readonly args: readonly string[]
  readonly stdin: boolean
  /** Names of environment variables that it gets from the host. */
  readonly env: readonly string[]
}
