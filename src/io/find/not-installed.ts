// The name of an agent → its source and its packed bundle, if they lie where scaffold and pack put them.
import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { MANIFEST_FILE } from '../../model/agent.ts'
import { ioNow } from '../fail.ts'
import { bundlePath, folderPath, type Root } from '../root/root-places.ts'
import { isBundleName } from './bundle-name.ts'
import { child, isFile, kindAt, trimmed } from './search-folders.ts'

/** In the folder where agents are looked up by name. */
export function sourceHere(agent: string, agentsDir: string, cwd: string): string | undefined {
  const source = child({ path: resolve(cwd, agentsDir), label: trimmed(agentsDir) }, agent)
  return isFile(resolve(source.path, MANIFEST_FILE)) ? source.label : undefined
}

/** The names of all agents in the folder where they are looked up. */
export function sourcesHere(agentsDir: string, cwd: string): string[] {
  const folder = resolve(cwd, agentsDir)
  if (kindAt(folder) !== 'folder') return []
  const names = ioNow(`read the folder "${agentsDir}"`, () => readdirSync(folder))
  return names.filter(name => isFile(resolve(folder, name, MANIFEST_FILE)))
}

/** The first in the order of the roots; the file that rlp put there, or a folder from another source. */
export function installedAs(agent: string, roots: readonly Root[]): string | undefined {
  for (const root of roots) {
    if (isFile(bundlePath(root, agent))) return `${root.label}/${basename(bundlePath(root, agent))}`
    if (isFile(resolve(folderPath(root, agent), MANIFEST_FILE))) return `${root.label}/${agent}`
  }
  return undefined
}

/** The newest by name of the files that pack has written. */
export function packedHere(agent: string, cwd: string): string | undefined {
  for (const folder of ['dist', '.']) {
    if (kindAt(resolve(cwd, folder)) !== 'folder') continue
    const names = ioNow(`read the folder "${folder}"`, () => readdirSync(resolve(cwd, folder)))
    const found = names
      .filter(
        name =>
          name.startsWith(`${agent}-`) && isBundleName(name) && /^\d.*$/.test(name.slice(agent.length + 1)),
      )
      .sort()
      .at(-1)
    if (found !== undefined) return folder === '.' ? found : `${folder}/${found}`
  }
  return undefined
}
