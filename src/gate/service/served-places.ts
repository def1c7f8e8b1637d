// `--serve`, `--serve-lock` and `--serve-attestations` → what questions over HTTP may name.
import { namedPath } from '../../io/home.ts'
import { realPathNow } from '../../io/read/real-path.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { placeText, readOciReference } from '../../oci/reference.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { quoted } from '../../text/printable.ts'
import type { ServedPlaces } from './may-be-asked.ts'

/** Links are followed once, here: below a prefix there may be none. */
/** @throws RlpError NOT_FOUND; UsageError for a reference to one bundle */
export function servedPrefixes(
  prefixes: readonly string[],
  cwd: string,
): Pick<ServedPlaces, 'folders' | 'references'> {
  const folders: string[] = []
  const references: string[] = []
  for (const prefix of prefixes) {
    if (isOciReference(prefix) && !prefix.startsWith('oci-layout:')) references.push(referencePrefix(prefix))
    else {
      const path = namedPath(prefix.replace(/^oci-layout:/, ''), cwd)
      const real = realPathNow(path)
      if (real === undefined)
        throw new RlpError('NOT_FOUND', `Cannot serve ${quoted(prefix)}: there is no such folder`, {
          hint: 'Make it, or name another one',
        })
      folders.push(real)
    }
  }
  return { folders, references }
}

/** `oci://host` is no reference, and a fine prefix. */
function referencePrefix(prefix: string): string {
  const isHost = /^oci:\/\/[^/]+\/?$/.test(prefix)
  const read = readOciReference(isHost ? `${prefix.replace(/\/$/, '')}/x` : prefix)
  if ('value' in read && read.value.tag === undefined && read.value.digest === undefined) {
    const text = placeText(read.value.place)
    return isHost ? text.slice(0, -'/x'.length) : text
  }
  throw new UsageError(
    `Cannot serve ${quoted(prefix)}: ${'problem' in read ? read.problem : 'it has a tag or a digest'}`,
    {
      field: 'serve',
      hint: 'Write oci://HOST or oci://HOST/FIRST/PARTS',
    },
  )
}

/** @throws UsageError */
export function namedFiles(
  field: 'serve-lock' | 'serve-attestations',
  pairs: readonly string[],
  cwd: string,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const pair of pairs) {
    const [, name, file] = /^([a-z0-9][a-z0-9._-]{0,63})=(.+)$/s.exec(pair) ?? []
    if (name === undefined || file === undefined || files.has(name))
      throw new UsageError(
        `Cannot use --${field} ${quoted(pair)}: ${name !== undefined && files.has(name) ? 'the name is there twice' : 'it is not NAME=FILE'}`,
        {
          field,
          hint: 'Write for example production=rlp.lock',
        },
      )
    files.set(name, namedPath(file, cwd))
  }
  return files
}
