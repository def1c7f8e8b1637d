// What is never signed, told by its first bytes or by its folder: before a person types a passphrase, and before a gigabyte is read.

import { HEAD_BYTES, unwrappedName, WRAPPERS, wrapperAt } from '../bundle/wrappers/index.ts'
import { isAuthors } from '../io/find/bundle-name.ts'
import type { Target } from '../io/find/search-folders.ts'
import { entryAt } from '../io/read/entry.ts'
import { openFile, readAt, withFile } from '../io/read/read-file.ts'
import { realPath } from '../io/read/real-path.ts'
import type { WrapperName } from '../model/bundle-form.ts'
import { RlpError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { writePath } from '../text/shell-words.ts'

/** @throws RlpError NOT_FOUND, WRONG_FILE_TYPE for a bundle in a wrapper, and for a folder that an author works in */
export async function refuseUnsignable(target: Target): Promise<void> {
  // Signatures would make it an unpacked bundle, which neither lint nor pack takes.
  if (!isOciReference(target.path) && isAuthors(target.path))
    throw new RlpError('WRONG_FILE_TYPE', `Cannot sign "${target.label}": this is a source, not a bundle`, {
      hint: `Pack it with rlp agent pack ${writePath(target.label)}, and sign the bundle. An unpacked bundle is signed if its folder is called agent.bundle`,
    })
  const wrapper = await wrapperOf(target)
  if (wrapper === undefined) return
  const { word, signInside } = WRAPPERS[wrapper]
  throw new RlpError('WRONG_FILE_TYPE', `Cannot sign "${target.label}": it is wrapped in ${word}`, {
    hint: `Sign the archive inside: ${signInside}`,
  })
}

/**
 * Of a folder, what is called as wrapped is left out: it is made for transport, beside what is signed. Where nothing else is there, it stays.
 * @param isNamed whether a person has named the very file
 */
export function withoutWrapped(
  targets: readonly Target[],
  isNamed: (target: Target) => boolean,
): { readonly targets: readonly Target[]; readonly left: readonly Target[] } {
  const isWrapped = (target: Target) => !isNamed(target) && unwrappedName(target.path) !== target.path
  const rest = targets.filter(target => !isWrapped(target))
  return rest.length === 0 ? { targets, left: [] } : { targets: rest, left: targets.filter(isWrapped) }
}

async function wrapperOf({ path: named, label }: Target): Promise<WrapperName | undefined> {
  if (isOciReference(named)) return undefined
  const path = await realPath(named, label)
  // A folder has no first bytes; what is missing is refused by opening it.
  if (entryAt(path)?.isDirectory() === true) return undefined
  return withFile(openFile(path, { follow: true, label }), async file => {
    const head = new Uint8Array(Math.min(HEAD_BYTES, file.size))
    await readAt(file, head, 0)
    return wrapperAt(head)
  })
}
