// Refuses members that an object should not have. Types are gone at run time, and a misspelt option that should refuse more would let
// everything pass.
import { UsageError } from '../../model/error.ts'
import { kindName } from '../../model/kind-name.ts'
import { probablyMeant } from '../../text/did-you-mean.ts'
import { quoteText } from '../../text/quote.ts'

/** @param what it is called in a refusal: `the options of lint`. @throws UsageError */
export function refuseUnknownMembers(given: unknown, known: readonly string[], what: string): void {
  if (typeof given !== 'object' || given === null)
    throw new UsageError(`Cannot use ${what}: ${kindName(given)} is no object`, {
      hint: `Give an object with any of ${known.join(', ')}`,
    })
  for (const name of Object.getOwnPropertyNames(given)) {
    if (known.includes(name)) continue
    const meant = probablyMeant(name, known)
    throw new UsageError(`Cannot use ${what}: there is no ${quoteText(name)}`, {
      field: name,
      hint: meant === undefined ? `There are ${known.join(', ')}` : `Did you mean ${meant}?`,
    })
  }
}
