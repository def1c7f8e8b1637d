// What a fuzz target is: chance → input, input → answer. A finding, a verdict or an RlpError is an answer; all else is a defect.
import type { Random } from '../random.ts'

export interface Target {
  /** As case ids have it: `tar:123`. */
  readonly name: string
  /** How many of ten thousand inputs. */
  readonly share: number
  /** Made from chance alone, so that the case's number is enough to see it again. */
  make(random: Random): Uint8Array
  /**
   * A word for the answer, for the tally.
   *
   * @param folder the only place where anything may be written; empty
   * @throws Wrong for an answer that must not be; RlpError is an answer, everything else our bug
   */
  answer(input: Uint8Array, folder: string): string | Promise<string>
}

/** An answer that must not be: two readers differ, or something does not hold that should. */
export class Wrong extends Error {
  override readonly name = 'Wrong'
}

export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Wrong(otherwise)
}
