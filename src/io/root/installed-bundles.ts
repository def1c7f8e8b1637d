// An install root → the bundles that rlp put there, and what else in it is rlp's own: the folders that it unpacked are not judged.
import { resolve } from 'node:path'
import type { Target } from '../find/search-folders.ts'
import { entryAt } from '../read/entry.ts'
import { agentsIn } from './install-root.ts'
import { bundlePath, folderPath } from './root-places.ts'

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
