// The rules that hold a document against its JSON Schema differ only in words: one factory makes them.
import type { Rule } from './rule.ts'

/** A rule that reports where the document at `file` differs from its schema in `schemas/`. */
export function shapeRule(file: string, words: Pick<Rule, 'id' | 'summary' | 'why' | 'fix'>): Rule {
  return {
    ...words,
    severity: 'error',
    scope: 'bundle',
    *check(agent) {
      for (const { pointer, part, message, fix } of agent.shapes.get(file) ?? []) {
        yield { file, place: { pointer, part }, message, fix }
      }
    },
  }
}
