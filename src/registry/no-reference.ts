// A text where a reference is needed → the refusal, with the reference that may be meant.

import { UsageError } from '../model/error.ts'
import { meantHint } from '../oci/meant-reference.ts'

interface Refusal {
  readonly message: string
  /** The argument that holds the text. */
  readonly field: string
  /** Where no place in a registry can be meant. */
  readonly hint: string
}

export function noReference(text: string, { message, field, hint }: Refusal): UsageError {
  return new UsageError(message, { field, hint: meantHint(text, hint) })
}
