// A bundle that is locked ↔ how the lock names it: as it stays true in another checkout, so paths count from the folder of the lock.
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readReference } from '../format/agent/agent-name.ts'
import { ociReferenceText, readOciReference } from '../format/oci/reference.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { findInstalled } from '../io/find/find-installed.ts'
import type { Target } from '../io/find/search-folders.ts'
import { absolute } from '../io/layout-folder.ts'
import type { Root } from '../io/root/root-places.ts'

/** An installed agent by its name, a reference as it is, a path from the folder. */
export function sourceOf({ path, reference }: Target, folder: string): string {
  if (reference !== undefined) return reference
  if (!isOciReference(path)) return from(folder, path)
  const read = readOciReference(path)
  if ('problem' in read || read.value.place.in === 'registry') return path
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

function from(folder: string, path: string): string {
  const way = relative(folder, path).split(sep).join('/')
  // Another drive has no relative path.
  if (isAbsolute(way) || /^[A-Za-z]:/.test(way)) return path
  return way.startsWith('../') || way === '..' ? way : `./${way}`
}
