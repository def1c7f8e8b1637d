// A folder → the folders below it that match. Shared by the searches for agents and for bundles.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ownMembers } from '../../model/own.ts'
import type { BundleInput } from '../bundle/bundle-bytes.ts'
import { ioNow } from '../fail.ts'
import { targetAt } from '../read/entry.ts'
import { breathe } from '../wait/breathe.ts'

/** A folder or file to work on. */
export interface Target {
  /** Absolute. */
  readonly path: string
  /** As the user wrote it, or joined from what the user wrote. */
  readonly label: string
  /** The reference by which it was found. */
  readonly reference?: string
  /** The bundle itself, from the caller’s hands. There is nothing at the path then, which is empty. */
  readonly input?: BundleInput
}

/** What is read: the bundle, or where it is. */
export function inputOf(target: Target): BundleInput {
  const { path, input = path } = ownMembers(target)
  return input
}

/** Folders below a folder of agents are searched this deep: name/variants/variant. */
const MAX_DEPTH = 3

/** Breadth first, sorted by name, not below a match. Skips links and dot folders. */
export async function search(
  root: Target,
  fits: (path: string) => boolean | Promise<boolean>,
  skips: (path: string) => boolean = () => false,
): Promise<Target[]> {
  const found: Target[] = []
  let level = [root]
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: Target[] = []
    for (const folder of level) {
      const entries = ioNow(`read the folder "${folder.label}"`, () =>
        readdirSync(folder.path, { withFileTypes: true }),
      )
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (!entry.isDirectory() || entry.name.startsWith('.') || entry.name === 'node_modules') continue
        const below = child(folder, entry.name)
        if (skips(below.path)) continue
        await breathe()
        if (await fits(below.path)) found.push(below)
        else next.push(below)
      }
    }
    level = next
  }
  return found
}

export function kindAt(path: string): 'file' | 'folder' | undefined {
  const found = targetAt(path)
  if (found === undefined) return undefined
  return found.isDirectory() ? 'folder' : 'file'
}

export function isFile(path: string): boolean {
  return kindAt(path) === 'file'
}

export function child(folder: Target, name: string): Target {
  return { path: join(folder.path, name), label: folder.label === '.' ? name : `${folder.label}/${name}` }
}

/** For messages: without a slash at the end. */
export function trimmed(label: string): string {
  let end = label.length
  while (end > 1 && label[end - 1] === '/') end--
  return label.slice(0, end)
}
