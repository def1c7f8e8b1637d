// One error in ajv's form. Our own checker reports in the same form, so that sentences are made in one place.

export interface RawError {
  /** A JSON pointer. */
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly parentSchema: Readonly<Record<string, unknown>>
  readonly data: unknown
}
