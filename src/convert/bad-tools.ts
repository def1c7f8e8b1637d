// The tools of a file that cannot be imported: all of them in one error, or left out where the caller says so.
import type { ConversionChange } from '../model/conversion.ts'
import type { RlpError } from '../model/error.ts'
import type { BadTool, ImportSource } from './importers/importer.ts'
import { notConvertible } from './importers/refuse.ts'

/** The most tools that one message names. */
const MOST_NAMED = 20

/** @param good how many of the others can be imported */
export function badTools(bad: readonly BadTool[], good: number, source: ImportSource): RlpError {
  const [first, second] = bad
  if (first === undefined) throw new TypeError('no tool is bad')
  const others = good === 0 ? '' : `${good === 1 ? 'the other one' : `the ${good} others`}`
  if (second === undefined) {
    const hint = good === 0 ? first.hint : `${first.hint ?? 'Correct it'}; --only-good imports ${others}`
    return notConvertible(source, first.why, hint)
  }
  const more = bad.length - MOST_NAMED
  const named = bad.slice(0, MOST_NAMED).map(({ why }) => why)
  const seen = `${bad.length} of its ${bad.length + good} tools cannot be imported: ${named.join('; ')}`
  const isShared = bad.every(({ hint }) => hint === first.hint)
  const fix = (isShared ? first.hint : undefined) ?? 'Correct them'
  const hint = good === 0 ? fix : `${fix}; --only-good imports ${others}`
  return notConvertible(source, more > 0 ? `${seen}; and ${more} more` : seen, hint)
}

export function leftOut({ name, why }: BadTool): ConversionChange {
  return { tool: name, field: 'other', what: 'lost', message: `left out: ${why}` }
}
