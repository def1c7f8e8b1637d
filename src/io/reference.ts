// Reads references to bundles as people write them. A wrong one is refused with the reference that may be meant.

import { promises as fs } from 'node:fs'
import { basename, resolve } from 'node:path'
import { MANIFEST_FILE } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { OciReference } from '../model/oci.ts'
import { isOciPrefix, meantHint, meantTag, readOciReference } from '../oci/reference.ts'
import { isOciReference } from '../oci/scheme.ts'
import { io } from './fail.ts'
import { pathOfUrl } from './file-url.ts'
import type { Target } from './find/find-agents.ts'
import { absolute, nearReference } from './layout-folder.ts'

/** @param doing for the message: `pull`. @throws UsageError */
export function referenceIn(text: string, doing: string): OciReference {
  const read = readOciReference(text)
  if ('value' in read) return read.value
  const meant = meantTag(text)
  const otherwise = isOciPrefix(text)
    ? 'Leave the "/" out for one repository. rlp agent verify takes all repositories below a prefix'
    : 'Write oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:HEX] or oci-layout:FOLDER[:TAG][@sha256:HEX]'
  throw new UsageError(`Cannot ${doing} "${text}": ${read.problem}`, {
    hint: meant === undefined ? otherwise : `Did you mean ${nearReference(meant)}?`,
  })
}

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

/**
 * @param arg a path, or a `file://` url
 * @throws RlpError USAGE for any other url, NOT_FOUND, WRONG_FILE_TYPE for a manifest by itself
 */
export async function bundleSource(arg: string, cwd: string): Promise<Target> {
  if (isOciReference(arg)) return { path: absolute(arg, cwd), label: arg }
  const path = resolve(cwd, hasScheme(arg) ? pathOfUrl(arg, 'install') : arg)
  const found = await io(`install "${arg}"`, () => fs.stat(path))
  if (found.isFile() && basename(path) === MANIFEST_FILE)
    throw new RlpError('WRONG_FILE_TYPE', `Cannot install "${arg}": it is a manifest by itself`, {
      hint: 'Name the bundle that rlp agent pack made of it, or the folder that holds it',
    })
  return { path, label: arg }
}

/** A text with a scheme; `file:` alone may go without the slashes. */
function hasScheme(arg: string): boolean {
  return /^file:|^[A-Za-z][A-Za-z0-9+.-]*:\/\//i.test(arg)
}
