// Finds patterns that can keep a backtracking matcher busy for hours. Our own matcher does not backtrack (match-pattern.ts), but other
// programs get the same schemas.
import type { PatternTree } from './pattern-tree.ts'

/**
 * A repetition that ends in fewer places only multiplies the time by a small number: three times up to three digits, in an address, is
 * no matter.
 */
const MANY = 10

/** Whether a repeated group holds a repetition, as in `(a+)+`. Looks at each part of the tree once. */
export function repeatsRepetition(tree: PatternTree): boolean {
  return look(tree).isNested
}

interface Looked {
  /** Whether it holds a repetition that can end in many places. */
  readonly isOpen: boolean
  /** Whether such a repetition is in a group that is repeated itself. */
  readonly isNested: boolean
}

function look(tree: PatternTree): Looked {
  switch (tree.is) {
    case 'character':
    case 'place':
      return { isOpen: false, isNested: false }
    case 'look':
      return look(tree.part)
    case 'sequence':
    case 'choice': {
      const parts = tree.parts.map(look)
      return { isOpen: parts.some(({ isOpen }) => isOpen), isNested: parts.some(({ isNested }) => isNested) }
    }
    case 'repeat': {
      const { isOpen, isNested } = look(tree.part)
      return {
        isOpen: isOpen || tree.most - tree.least >= MANY,
        isNested: isNested || (isOpen && tree.most >= MANY),
      }
    }
  }
}
