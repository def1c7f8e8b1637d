// A pattern's tree → steps, each with its possible successors.
import { type PatternPlace, PatternProblem, type PatternTree, readPattern } from './pattern-tree.ts'

export type PatternStep =
  | { readonly is: 'character'; readonly fits: (character: number) => boolean; readonly next: number }
  /** All of them, at the same place. */
  | { readonly is: 'fork'; readonly next: readonly number[] }
  | { readonly is: 'place'; readonly place: PatternPlace; readonly next: number }
  | {
      readonly is: 'look'
      readonly program: PatternProgram
      readonly negated: boolean
      readonly next: number
    }
  | { readonly is: 'found' }

export interface PatternProgram {
  readonly steps: readonly PatternStep[]
  readonly start: number
  /** Whether characters are read forwards from a place, or backwards. */
  readonly ahead: boolean
}

/** Counted repetitions are unrolled: a pattern with more steps was made to be slow. */
const MOST_STEPS = 20_000

/**
 * @param pattern one that `checkPattern` has accepted
 * @param flags `iu` also takes a letter for its capital
 * @throws PatternProblem for patterns that `readPattern` cannot read, and for too many steps
 */
export function compilePattern(pattern: string, flags: 'u' | 'iu' = 'u'): PatternProgram {
  return assemble(readWithin(pattern), true, flags)
}

/** The same check without building the steps. @throws PatternProblem as `compilePattern` does */
export function readWithin(pattern: string): PatternTree {
  const tree = readPattern(pattern)
  // One for the end.
  if (1 + stepsOf(tree) > MOST_STEPS) throw new PatternProblem(`it unfolds to more than ${MOST_STEPS} steps`)
  return tree
}

/** The number of steps that `assemble` makes of a tree. */
function stepsOf(tree: PatternTree): number {
  switch (tree.is) {
    case 'character':
    case 'place':
      return 1
    case 'look':
      return 2 + stepsOf(tree.part)
    case 'sequence':
    case 'choice': {
      const sum = tree.parts.reduce((steps, part) => steps + stepsOf(part), 0)
      return tree.is === 'choice' && tree.parts.length > 1 ? sum + 1 : sum
    }
    case 'repeat': {
      const part = stepsOf(tree.part)
      // Infinity times zero is not a number.
      const least = part === 0 ? 0 : part * tree.least
      const more = tree.most === Infinity ? 1 : tree.most - tree.least
      return least + (more === 0 ? 0 : more * (1 + part))
    }
  }
}

function assemble(tree: PatternTree, ahead: boolean, flags: string): PatternProgram {
  const steps: PatternStep[] = []
  const tests = new Map<string, (character: number) => boolean>()
  const testOf = (source: string): ((character: number) => boolean) => {
    const test = tests.get(source) ?? characterTest(source, flags)
    tests.set(source, test)
    return test
  }
  const add = (step: PatternStep): number => steps.push(step) - 1
  const fork = (next: readonly number[]): number => {
    const [only, more] = next
    return only !== undefined && more === undefined ? only : add({ is: 'fork', next })
  }
  /** Adds the steps of a tree before `next`, and returns the first of them. */
  const emit = (tree: PatternTree, next: number): number => {
    switch (tree.is) {
      case 'character':
        return add({ is: 'character', fits: testOf(tree.source), next })
      case 'sequence': {
        let first = next
        for (const part of ahead ? tree.parts.toReversed() : tree.parts) first = emit(part, first)
        return first
      }
      case 'choice':
        return fork(tree.parts.map(part => emit(part, next)))
      case 'place':
        return add({ is: 'place', place: tree.place, next })
      case 'look':
        return add({
          is: 'look',
          program: assemble(tree.part, tree.ahead, flags),
          negated: tree.negated,
          next,
        })
      case 'repeat':
        return emitRepeat(tree, next)
    }
  }
  const emitRepeat = (tree: PatternTree & { is: 'repeat' }, next: number): number => {
    let first = next
    if (tree.most === Infinity) {
      const following: number[] = [next]
      first = add({ is: 'fork', next: following })
      following.push(emit(tree.part, first))
    } else {
      for (let count = tree.least; count < tree.most; count++)
        first = add({ is: 'fork', next: [next, emit(tree.part, first)] })
    }
    for (let count = 0; count < tree.least; count++) {
      const before = first
      first = emit(tree.part, first)
      // Repeating an empty part adds nothing.
      if (first === before) break
    }
    return first
  }
  const found = add({ is: 'found' })
  const start = emit(tree, found)
  return { steps, start, ahead }
}

/** The engine's own answer for one character, cached for the common ones. */
function characterTest(source: string, flags: string): (character: number) => boolean {
  const plain = flags === 'u' && /^[^\\[.]$/u.test(source) ? source.codePointAt(0) : undefined
  if (plain !== undefined) return character => character === plain
  const expression = new RegExp(source, flags)
  const known: (boolean | undefined)[] = []
  return character => {
    const found = known[character] ?? expression.test(String.fromCodePoint(character))
    if (character < 256) known[character] = found
    return found
  }
}
