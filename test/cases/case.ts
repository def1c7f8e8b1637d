// What test/product/cases.test.ts and the modules beside this file share: a case of ../shared/cases, and how one is checked. An adapter gets
// an example, which has no id: it has to build the rule.
import assert from 'node:assert/strict'

/** One executable example. `expect` is what the system does and what we do; where the two differ there are two keys. */
export interface Example {
  readonly kind: string
  readonly profile?: string
  readonly platform?: string
  readonly manifestDir?: string
  readonly input?: unknown
  readonly inputText?: string
  readonly expect?: unknown
  /** What the system's own code or page does; null where there is nothing. */
  readonly reference?: unknown
  /** What our product does where it should differ, or where the system is silent. */
  readonly recommended?: unknown
  readonly compare?: string
}

export interface Case extends Example {
  readonly id: string
  readonly source?: string
  readonly note?: string
}

/** What an adapter is given: nothing that only says which case it is. */
export function exampleOf({ id: _id, source: _source, note: _note, ...example }: Case): Example {
  return example
}

export type Run = (entry: Example, expected: unknown) => void | Promise<void>

/** How the cases of one kind are checked, and why some of them are not. */
export interface Check {
  /** Undefined when the whole kind is left out. */
  readonly run: Run | undefined
  /** The reason why an example is not checked. */
  readonly leftOut?: (entry: Example) => string | undefined
}

/** Kind → its check. */
export type Checks = Readonly<Record<string, Check>>

/** A check of cases whose input and expectation have these types. */
export function check<I, E>(
  run: (input: I, expected: E, entry: Example) => void | Promise<void>,
  leftOut?: (input: I) => string | undefined,
): Check {
  return {
    run: (entry, expected) => run(entry.input as I, expected as E, entry),
    ...(leftOut !== undefined && { leftOut: ({ input }) => leftOut(input as I) }),
  }
}

/** A kind that is left out, and why. */
export function skip(reason: string): Check {
  return { run: undefined, leftOut: () => reason }
}

/** What our product does: the recommendation where there is one. */
export function expectedOf(entry: Example): unknown {
  const keys = ['recommended', 'expect', 'reference'] as const
  const key = keys.find(key => Object.hasOwn(entry, key))
  assert.ok(key, 'the case expects nothing')
  return entry[key]
}
