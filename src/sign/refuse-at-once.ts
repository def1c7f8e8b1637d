// Bundles that are never signed, told by their first bytes: before a person types a passphrase, and before a gigabyte is read.
import { isOciReference } from '../format/oci/scheme.ts'
import { entryAt } from '../io/entry.ts'
import { isGzip } from '../io/is-gzip.ts'
import { openFile, readAt } from '../io/read-file.ts'
import { realPath } from '../io/real-path.ts'
import type { Target } from '../io/search-folders.ts'
import { RlpError } from '../model/error.ts'

/** @throws RlpError NOT_FOUND, WRONG_FILE_TYPE for a bundle in gzip */
export async function refuseAtOnce({ path: named, label }: Target): Promise<void> {
  if (isOciReference(named)) return
  const path = await realPath(named, label)
  // A folder has no first bytes; what is missing is refused by opening it.
  if (entryAt(path)?.isDirectory() === true) return
  const file = await openFile(path, { follow: true, label })
  try {
    const head = new Uint8Array(Math.min(2, file.size))
    await readAt(file, label, head, 0)
    if (!isGzip(head)) return
  } finally {
    file.handle.close()
  }
  throw new RlpError('WRONG_FILE_TYPE', `Cannot sign "${label}": it is wrapped in gzip`, {
    hint: 'Sign the archive inside: gunzip it, sign it, and wrap it again with gzip -n',
  })
}
