// `$schema` → the dialect of JSON Schema that a schema is written in.
import { isSchemaObject } from './walk.ts'

/** `unknown`: any other `$schema`, also one that is not a text. */
export type Dialect = 'draft-04' | 'draft-06' | 'draft-07' | '2019-09' | '2020-12' | 'unknown'

const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft-(0[467])|draft\/(2019-09|2020-12))\/schema#?$/

/** The dialect in `$schema`; without one it is 2020-12, the bundle format's own. */
export function dialectOf(schema: unknown): Dialect {
  if (!isSchemaObject(schema) || !Object.hasOwn(schema, '$schema')) return '2020-12'
  const { $schema } = schema
  const named = typeof $schema === 'string' ? DIALECT.exec($schema) : null
  if (named === null) return 'unknown'
  return (named[1] === undefined ? named[2] : `draft-${named[1]}`) as Dialect
}
