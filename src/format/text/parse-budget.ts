// What the texts of one bundle may still hold, counted down over all of them while they are scanned and before anything is built.
import type { TextProblem } from '../../model/document.ts'
import { PARSE_LIMITS } from '../../model/limits.ts'

/** One for each reading of a bundle or folder; a text that is read by itself has one of its own. */
export class ParseBudget {
  #values: number = PARSE_LIMITS.allJsonValues
  #tokens: number = PARSE_LIMITS.allTomlTokens

  /** False for the first JSON value that is too much. */
  takesValue(): boolean {
    return this.#values-- > 0
  }

  /** False for the first TOML token that is too much. */
  takesToken(): boolean {
    return this.#tokens-- > 0
  }
}

/** The answer for the first value or token that is too much. */
export function tooMany(most: number, what: string, offset: number): TextProblem {
  const message = `More than ${most} ${what} in this file and those read before it`
  return { code: 'too-large', message, offset }
}
