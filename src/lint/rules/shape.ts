// A factory for the rules that compare a document with its JSON Schema: they differ only in words.
import type { ShapeProblem } from '../../model/document.ts'
import type { BundleRule } from './rule.ts'

/**
 * A rule that reports where the document at `file` breaks its schema in `schemas/`.
 * @param isElsewhere whether another rule reports the same in better words
 */
export function shapeRule(
  file: string,
  words: Pick<BundleRule, 'id' | 'step' | 'summary' | 'why' | 'fix'>,
  isElsewhere: (problem: ShapeProblem) => boolean = () => false,
): BundleRule {
  return {
    ...words,
    severity: 'error',
    scope: 'bundle',
    looks: 'agent',
    needs: {},
    check({ agent }, report) {
      for (const problem of agent.shapes.get(file) ?? []) {
        if (isElsewhere(problem)) continue
        const { pointer, part, message, fix } = problem
        report({ file, place: { pointer, part }, message, fix })
      }
    },
  }
}
