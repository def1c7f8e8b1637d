// Reads a reference that a person or a program wrote, and says what may be meant if it is wrong.

import { UsageError } from '../model/error.ts'
import type { OciReference } from '../model/oci.ts'
import { meantTag } from '../oci/meant-reference.ts'
import { readOciReference } from '../oci/reference.ts'
import { nearReference } from './layout-folder.ts'

/** @param doing for the message: `pull`. @throws UsageError */
export function referenceIn(text: string, doing: string): OciReference {
  const read = readOciReference(text)
  if ('value' in read) return read.value
  const meant = meantTag(text)
  throw new UsageError(`Cannot ${doing} "${text}": ${read.problem}`, {
    hint:
      meant === undefined
        ? 'Write oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:HEX] or oci-layout:FOLDER[:TAG][@sha256:HEX]'
        : `Did you mean ${nearReference(meant)}?`,
  })
}
