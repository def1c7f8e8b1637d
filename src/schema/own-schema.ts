// The type of our own schemas: the published ones in schemas/, and JSON Schema's meta-schema.

/**
 * A schema of ours; a test checks that `schemas/` and the flattened meta-schema use only these keywords. `$ref` leads to `#` or
 * `#/$defs/<name>`.
 */
export type OwnSchema = {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, OwnSchema>>
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  /** Of arrays of strings. */
  readonly uniqueItems?: boolean
  readonly items?: OwnSchema | true
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, OwnSchema | true>>
  readonly patternProperties?: Readonly<Record<string, true>>
  readonly additionalProperties?: OwnSchema | boolean
  readonly allOf?: readonly OwnSchema[]
  readonly if?: OwnSchema
  readonly then?: OwnSchema
  readonly else?: OwnSchema
}
