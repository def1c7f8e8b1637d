// Which names and folders are taken for bundles where a folder is searched.
import { basename, join } from 'node:path'
import { unwrappedName } from '../../bundle/wrappers/index.ts'
import { MANIFEST_FILE, SIGNATURE_FOLDER } from '../../model/agent.ts'
import { besideBundle } from '../../statement/beside-bundle.ts'
import { isFile, kindAt } from './search-folders.ts'

/** Whether a file with this name is taken for a bundle. */
export function isBundleName(name: string): boolean {
  return unwrappedName(name).endsWith('.agent.bundle')
}

/** Whether a file has the name of what others state about a bundle beside it. */
export function isStatements(name: string): boolean {
  return name.endsWith(besideBundle('')) && isBundleName(name.slice(0, -besideBundle('').length))
}

/** A folder that is meant as a bundle (docs/format.md), or at least has a manifest, so that verify can say what is wrong with it. */
export function isUnpacked(path: string): boolean {
  return (
    isFile(join(path, MANIFEST_FILE)) ||
    kindAt(join(path, SIGNATURE_FOLDER)) !== undefined ||
    basename(path) === 'agent.bundle'
  )
}

/** A folder that an author works in: one with a manifest that is not meant as an unpacked bundle. */
export function isAuthors(path: string): boolean {
  if (basename(path) === 'agent.bundle' || kindAt(path) !== 'folder') return false
  return kindAt(join(path, SIGNATURE_FOLDER)) === undefined && isFile(join(path, MANIFEST_FILE))
}
