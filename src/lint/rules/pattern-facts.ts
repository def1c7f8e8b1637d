// The patterns in an agent's schemas, and what is known of their speed.
import type { SchemaObject } from '../../format/schema/walk.ts'
import type { PatternFact } from '../../format/text/slow-pattern.ts'
import type { Agent } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { Prepared } from './rule.ts'
import { type AgentSchema, schemasOf } from './schemas.ts'

export interface FoundPattern {
  readonly where: AgentSchema
  /** From the schema's root to the pattern, which is a value or a key. */
  readonly pointer: Pointer
  readonly part: 'key' | 'value'
  readonly pattern: string
  /** The most characters of a text that the pattern checks. */
  readonly longest: number
}

/** The patterns of sound schemas. */
export function* patternsOf(agent: Agent): Generator<FoundPattern> {
  for (const where of schemasOf(agent)) {
    if (!where.isSound) continue
    for (const { pointer, schema } of where.nodes) {
      if (typeof schema === 'boolean') continue
      const { pattern, patternProperties, propertyNames } = schema
      if (typeof pattern === 'string')
        yield { where, pointer: [...pointer, 'pattern'], part: 'value', pattern, longest: longestOf(schema) }
      for (const name of Object.keys(patternProperties ?? {})) {
        const at = [...pointer, 'patternProperties', name]
        yield { where, pointer: at, part: 'key', pattern: name, longest: longestOf(propertyNames) }
      }
    }
  }
}

function longestOf(schema: unknown): number {
  const { maxLength } = (schema ?? {}) as SchemaObject
  return typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY
}

/** The patterns that are not plainly fast; none where the checker was not asked. */
export function* judgedPatterns(
  agent: Agent,
  { patterns }: Prepared,
): Generator<FoundPattern & { readonly fact: PatternFact }> {
  if (patterns.size === 0) return
  for (const found of patternsOf(agent)) {
    const fact = patterns.get(found.pattern)
    if (fact !== undefined) yield { ...found, fact }
  }
}
