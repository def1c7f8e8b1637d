// What a job knows of its process. The caller passes it in: a job reads neither the environment nor the current folder itself.

export interface Setting {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the current folder. */
  readonly cwd: string
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal
  /** Standard input in chunks, opened by the first call. */
  stdin(): AsyncIterable<Uint8Array>
}
