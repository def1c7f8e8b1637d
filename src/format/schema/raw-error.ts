// One mistake as ajv reports it. What judges by our own schemas reports in the same words, so that there is one place for sentences.

export interface RawError {
  /** A JSON pointer. */
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly parentSchema: Readonly<Record<string, unknown>>
  readonly data: unknown
}
