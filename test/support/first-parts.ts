// Holds a first part to its strict part: what it accepts, the strict part gives in the same way, over texts, and over texts a few changes away.
import assert from 'node:assert/strict'
import { mutateJson } from '../../scripts/torture/mutate/json.ts'
import { Random } from '../../scripts/torture/random.ts'
import { useFirstParts } from '../../src/model/first-parts.ts'

export interface FirstPart {
  readonly name: string
  /** Texts that it takes, and texts near to them. */
  readonly corpus: readonly string[]
  /** What may be in a text, to be put in elsewhere. */
  readonly words: readonly string[]
  /** What it gives for a text; undefined where it says nothing. */
  first(text: string): unknown
  /** The same without first parts; undefined where it refuses. */
  strict(text: string): unknown
}

/** Does something with all first parts switched off. */
export function withoutFirstParts<T>(work: () => T): T {
  useFirstParts(false)
  try {
    return work()
  } finally {
    useFirstParts(true)
  }
}

/** The same for work that takes turns, in a test that runs alone in its process. */
export async function laterWithoutFirstParts<T>(work: () => Promise<T>): Promise<T> {
  useFirstParts(false)
  try {
    return await work()
  } finally {
    useFirstParts(true)
  }
}

/** Asserts it of one text. @returns whether the first part has accepted it */
export function holds(part: FirstPart, text: string): boolean {
  const first = part.first(text)
  if (first === undefined) return false
  const strict = withoutFirstParts(() => part.strict(text))
  const shown = text.length > 2000 ? `${text.slice(0, 2000)}…` : text
  assert.deepStrictEqual(first, strict, `${part.name} accepts ${shown}`)
  // Keys in the same order.
  assert.equal(JSON.stringify(first), JSON.stringify(strict), shown)
  return true
}

/** Asserts it of the corpus, and of so many changed texts. @returns how many of each were accepted */
export function holdsAround(part: FirstPart, changed: number): { plain: number; near: number } {
  const plain = part.corpus.filter(text => holds(part, text)).length
  let near = 0
  for (let index = 0; index < changed; index++) {
    const random = new Random(part.name, String(index))
    const text = mutateJson(random, JSON.parse(random.pick(part.corpus)), part.words).toString()
    if (holds(part, text)) near++
  }
  return { plain, near }
}
