// A reference, and what the caller expects → the agent that it has to be.

import { referenceIn } from '../io/reference.ts'
import { UsageError } from '../model/error.ts'
import { impliedBy, withImplied } from '../oci/reference.ts'
import type { Expectation } from '../version/reference.ts'
import { expectationIn } from './expectation.ts'
import type { ReadSourceOptions } from './source.ts'

/** What a reference implies, or what was asked for with the version that its tag names. @throws RlpError USAGE */
export function expectationOfReference(
  source: string,
  { label = source, expect: asked, mustExpect = false }: ReadSourceOptions,
): Expectation | 'any' {
  const implied = impliedBy(referenceIn(source, 'read'))
  if (asked !== undefined) {
    const expect = expectationIn(asked)
    return expect === 'any' ? expect : withImplied(expect, implied)
  }
  if (mustExpect && implied?.name === undefined)
    throw new UsageError(`Cannot use "${label}": it does not say which agent it has to be`, {
      field: 'expect',
      hint: 'Add `expect` with the name of the agent',
    })
  return implied ?? 'any'
}
