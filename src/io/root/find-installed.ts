// Finds installed bundles in roots, by the name of the agent or all of them: the file that rlp put there, or a folder from another
// source. Folders that rlp unpacked are not judged.
import { promises as fs } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Reference, referenceText } from '../../agent/agent-name.ts'
import { MANIFEST_FILE } from '../../model/agent.ts'
import { io } from '../fail.ts'
import { search, type Target } from '../find/search-folders.ts'
import { refuseForeignWay } from '../owner/owner.ts'
import { Ways } from '../owner/ways.ts'
import { entryAt } from '../read/entry.ts'
import { agentsIn } from './install-root.ts'
import { bundlePath, folderPath, type Root } from './root-places.ts'

export interface Installed extends Target {
  readonly root: Root
  /** The reference in the file's name. A folder’s name is not checked. */
  readonly agent: string | undefined
}

/** The first match, in the order of the roots. Within a root a folder counts only if there is no file. */
export async function findInstalled(
  reference: Reference,
  roots: readonly Root[],
): Promise<Installed | undefined> {
  const agent = referenceText(reference)
  const { name, variant } = reference
  const folders =
    variant === undefined ? [name] : [agent, `${name}/${variant}`, `${name}/variants/${variant}`]
  const ways = new Ways()
  for (const root of roots) {
    if (root.home !== undefined) refuseForeignWay(root.home, ways)
    const file = bundlePath(root, agent)
    if (entryAt(file) !== undefined)
      return { path: file, label: `${root.label}/${agent}.agent.bundle`, root, agent }
    for (const folder of folders) {
      const path = join(root.path, folder)
      if (entryAt(join(path, MANIFEST_FILE)) !== undefined)
        return { path, label: `${root.label}/${folder}`, root, agent }
    }
  }
  return undefined
}

/** Everything in a root, files first. Folders that rlp unpacked are left out: their file counts. */
export async function installedIn(root: Root): Promise<Installed[]> {
  const agents = await agentsIn(root)
  const files = agents.map(agent => ({
    path: bundlePath(root, agent),
    label: `${root.label}/${agent}.agent.bundle`,
    root,
    agent,
  }))
  const derived = new Set(agents.map(agent => folderPath(root, agent)))
  const folders = (await isFolder(root)) ? await search(root, hasManifest, path => derived.has(path)) : []
  return [...files, ...folders.map(target => ({ ...target, root, agent: undefined }))]
}

function hasManifest(path: string): boolean {
  return entryAt(join(path, MANIFEST_FILE))?.isFile() === true
}

async function isFolder({ path, label }: Root): Promise<boolean> {
  const names = await io(`read the folder "${label}"`, () =>
    fs.readdir(path).catch(error => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw error
    }),
  )
  return names !== undefined
}

export async function installedBundles({ path, label }: Target) {
  const root = { path, label }
  // A link or a device under an agent's name is met again by the search below.
  const agents = (await agentsIn(root)).filter(agent => entryAt(bundlePath(root, agent))?.isFile())
  const files = agents.map(agent => ({
    path: bundlePath(root, agent),
    label: `${label}/${agent}.agent.bundle`,
    reference: agent,
    isBelow: true as const,
  }))
  const judged = new Set(files.map(file => file.path))
  const folders = [...agents.map(agent => folderPath(root, agent)), resolve(path, '.rlp')]
  const own = new Set(folders.filter(folder => entryAt(folder)?.isDirectory()))
  return {
    files,
    except: (at: string) =>
      judged.has(at) ? ('elsewhere' as const) : own.has(at) ? ('own' as const) : undefined,
  }
}
