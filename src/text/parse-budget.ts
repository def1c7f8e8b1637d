// The remaining values and tokens of one bundle's texts, counted down over all of them while they are scanned and before objects are
// created.
import type { TextProblem } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'

/** One for each reading of a bundle or folder; a single text gets its own. */
export class ParseBudget {
  #values: number = PARSE_LIMITS.allJsonValues
  /** False after a text that looked plain, and was not: the texts after it are not tried so again, because it costs what reading them does. */
  mayBePlain = true
  /** TOML tokens that are read at most. */
  readonly mostTokens: number
  #tokens: number

  constructor(mostTokens: number = PARSE_LIMITS.allTomlTokens) {
    this.mostTokens = mostTokens
    this.#tokens = mostTokens
  }

  /** False for the first JSON value beyond the limit. */
  takesValue(): boolean {
    return this.#values-- > 0
  }

  /** How many JSON values may still be read. */
  get valuesLeft(): number {
    return this.#values
  }

  /** Takes as many values as there are left at most. */
  takeValues(count: number): void {
    this.#values -= count
  }

  /** False for the first TOML token beyond the limit. */
  takesToken(): boolean {
    return this.#tokens-- > 0
  }
}

/** The problem for the first value or token beyond the limit. */
export function tooMany(most: number, what: string, offset: number): TextProblem {
  const message = `More than ${most} ${what} in this file and those read before it`
  return { code: 'too-large', message, offset }
}
