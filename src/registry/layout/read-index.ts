// index.json of a layout, read strictly.

import type { OciIndex } from '../../model/oci.ts'
import { MAX_MANIFEST_BYTES } from '../../oci/document.ts'
import { readIndex } from '../../oci/index-document.ts'
import { INDEX_TYPE } from '../../oci/media-types.ts'
import { INDEX_FILE, type LayoutFiles } from './files.ts'
import { tagTwice } from './tags.ts'

/** Undefined if there is no folder yet, or nothing in it. @throws RlpError STORE */
export async function readLayoutIndex(files: LayoutFiles): Promise<OciIndex | undefined> {
  if (!files.isThere()) return undefined
  await files.checkMark()
  const bytes = await files.small(INDEX_FILE, MAX_MANIFEST_BYTES)
  if (bytes === undefined) return undefined
  // Older programs leave the media type out here: the file's name says what it is.
  const read = readIndex(bytes, INDEX_TYPE, 'may be unnamed')
  if ('problem' in read) throw files.refused(`${INDEX_FILE} cannot be used: ${read.problem}`)
  const twice = tagTwice(read.value)
  if (twice !== undefined) throw files.refused(`${INDEX_FILE} names the tag "${twice}" twice`)
  return read.value
}
