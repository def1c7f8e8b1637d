// The argument of install → the path of an existing bundle, or the reference to one in a registry.
import { promises as fs } from 'node:fs'
import { basename, resolve } from 'node:path'
import { MANIFEST_FILE } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { io } from '../fail.ts'
import { pathOfUrl } from '../file-url.ts'
import { absolute } from '../layout-folder.ts'
import type { Target } from './find-agents.ts'

/**
 * @param arg a path, or a `file://` url
 * @throws RlpError USAGE for any other url, NOT_FOUND, WRONG_FILE_TYPE for a manifest by itself
 */
export async function bundleSource(arg: string, cwd: string): Promise<Target> {
  if (isOciReference(arg)) return { path: absolute(arg, cwd), label: arg }
  const path = resolve(cwd, isUrl(arg) ? pathOfUrl(arg, 'install') : arg)
  const found = await io(`install "${arg}"`, () => fs.stat(path))
  if (found.isFile() && basename(path) === MANIFEST_FILE)
    throw new RlpError('WRONG_FILE_TYPE', `Cannot install "${arg}": it is a manifest by itself`, {
      hint: 'Name the bundle that rlp agent pack made of it, or the folder that holds it',
    })
  return { path, label: arg }
}

/** A text with a scheme; `file:` alone may go without the slashes. */
function isUrl(arg: string): boolean {
  return /^file:|^[A-Za-z][A-Za-z0-9+.-]*:\/\//i.test(arg)
}
