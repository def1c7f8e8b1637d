// Bundles that are never signed, told by their first bytes: before a person types a passphrase, and before a gigabyte is read.
import { isOciReference } from '../format/oci/scheme.ts'
import { HEAD_BYTES, WRAPPERS, wrapperAt } from '../format/wrappers/index.ts'
import type { Target } from '../io/find/search-folders.ts'
import { entryAt } from '../io/read/entry.ts'
import { openFile, readAt } from '../io/read/read-file.ts'
import { realPath } from '../io/read/real-path.ts'
import type { WrapperName } from '../model/bundle-form.ts'
import { RlpError } from '../model/error.ts'

/** @throws RlpError NOT_FOUND, WRONG_FILE_TYPE for a bundle in a wrapper */
export async function refuseAtOnce({ path: named, label }: Target): Promise<void> {
  if (isOciReference(named)) return
  const path = await realPath(named, label)
  // A folder has no first bytes; what is missing is refused by opening it.
  if (entryAt(path)?.isDirectory() === true) return
  const file = await openFile(path, { follow: true, label })
  let wrapper: WrapperName | undefined
  try {
    const head = new Uint8Array(Math.min(HEAD_BYTES, file.size))
    await readAt(file, label, head, 0)
    wrapper = wrapperAt(head)
  } finally {
    file.handle.close()
  }
  if (wrapper === undefined) return
  const { word, signInside } = WRAPPERS[wrapper]
  throw new RlpError('WRONG_FILE_TYPE', `Cannot sign "${label}": it is wrapped in ${word}`, {
    hint: `Sign the archive inside: ${signInside}`,
  })
}
