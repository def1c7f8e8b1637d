// A link below a folder of bundles → why it may lead to a bundle that is not judged; undefined if it does not.
import { realpathSync, statSync } from 'node:fs'
import { basename, sep } from 'node:path'
import { isSystemError } from '../../model/system-error.ts'
import { isBundleName } from './bundle-name.ts'

/** @param root the folder that is searched, which may be a link itself */
export function linkProblem(path: string, root: string): string | undefined {
  const isNamed = isBundleName(path)
  try {
    const target = realpathSync.native(path)
    const inside = realpathSync.native(root)
    const isBelow = target.startsWith(`${inside}${sep}`)
    // Everything below is judged in its own place.
    if (statSync(target).isDirectory())
      return isBelow || target === inside ? undefined : 'it is a link to a folder elsewhere'
    const leadsToBundle = isBundleName(basename(target))
    if (!isBelow) return isNamed || leadsToBundle ? 'it is a link to a file elsewhere' : undefined
    return isNamed && !leadsToBundle
      ? 'it is a link to a file that does not have the name of a bundle'
      : undefined
  } catch (error) {
    if (!isSystemError(error)) throw error
    const isNowhere = ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code)
    if (isNowhere) return isNamed ? 'it is a link that leads nowhere' : undefined
    return 'it is a link, and where it leads cannot be told'
  }
}
