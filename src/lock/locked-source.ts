// Writes the source of a bundle into a lock, and finds the bundle of an entry again. A path counts from the folder of the lock, so that it
// stays true in another checkout.
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readReference } from '../agent/agent-name.ts'
import type { Target } from '../io/find/search-folders.ts'
import { absolute } from '../io/layout-folder.ts'
import { findInstalled } from '../io/root/find-installed.ts'
import type { Root } from '../io/root/root-places.ts'
import type { LockedAgent } from '../model/lock.ts'
import { isWholeRepository, ociReferenceText, readOciReference } from '../oci/reference.ts'
import { isOciReference } from '../oci/scheme.ts'

/** Where a locked agent comes from. */
export type LockedFrom = Pick<LockedAgent, 'source' | 'expect'>

/** @param expect of a repository without a tag, which of its versions is taken */
export function sourceOf(target: Target, folder: string, expect: string | undefined): LockedFrom {
  return lockedFrom(placeOf(target, folder), expect)
}

export function lockedFrom(source: string, expect: string | undefined): LockedFrom {
  return expect !== undefined && isWholeRepository(source) ? { source, expect } : { source }
}

/** An installed agent by its name, a reference as it is, a path from the folder. */
function placeOf({ path, reference }: Target, folder: string): string {
  if (reference !== undefined) return reference
  if (!isOciReference(path)) return from(folder, path)
  const read = readOciReference(path)
  if ('problem' in read) return path
  if (read.value.place.in === 'registry') return ociReferenceText(read.value)
  const { value } = read
  return ociReferenceText({
    ...value,
    place: { in: 'layout', folder: from(folder, read.value.place.folder) },
  })
}

/** Where a locked agent is now. @param label of the file that names the source, for messages */
export async function targetOf(source: string, folder: string, roots: readonly Root[]): Promise<Target> {
  if (isOciReference(source)) return { path: absolute(source, folder), label: source }
  const reference = readReference(source)
  if (reference === undefined) return { path: resolve(folder, source), label: source }
  const found = await findInstalled(reference, roots)
  // Not installed: a path at which nothing is, so that reading it says so.
  return found === undefined ? { path: join(folder, source), label: source } : { ...found, reference: source }
}

/** The manifest that the lock pins, whatever the tag leads to now. */
export function pinnedTarget(target: Target, oci: string | undefined): Target {
  if (oci === undefined) return target
  const read = readOciReference(target.path)
  return 'problem' in read ? target : { ...target, path: ociReferenceText({ ...read.value, digest: oci }) }
}

function from(folder: string, path: string): string {
  const way = relative(folder, path).split(sep).join('/')
  // Another drive has no relative path.
  if (isAbsolute(way) || /^[A-Za-z]:/.test(way)) return path
  return way.startsWith('../') || way === '..' ? way : `./${way}`
}
