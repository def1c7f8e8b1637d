// The refusal of bytes that are not a canonical archive, or not the one gzip member around it.

/** The bytes are not the one archive of their files. `offset` counts bytes from the start. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical'
  readonly offset: number
  /** What to do, if making it again would not help. */
  readonly hint: string | undefined
  constructor(reason: string, offset: number, hint?: string) {
    super(reason)
    this.offset = offset
    this.hint = hint
  }
}
