// Finds an agent or a bundle by what the user typed. Names are looked up only in the places that the help of the commands lists.

import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { meantName, readReference } from '../../agent/agent-name.ts'
import { MANIFEST_FILE } from '../../model/agent.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { ownMembers } from '../../model/own.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { probablyMeant } from '../../text/did-you-mean.ts'
import { writePath } from '../../text/shell-words.ts'
import { ioNow } from '../fail.ts'
import { bundlePath, folderPath, type Root } from '../root/root-places.ts'
import { isBundleName } from './bundle-name.ts'
import { child, isFile, kindAt, search, type Target, trimmed } from './search-folders.ts'

export type { Target } from './search-folders.ts'

interface FindOptions {
  /** The folder in which references are looked up; relative to `cwd`. */
  readonly agentsDir: string
  readonly cwd: string
  /** Files are taken too, as archives that are read like a folder. */
  readonly files?: boolean
}

/**
 * Agent folders for the authoring commands. An existing path is taken as a path, whatever its name; any other reference `name[@variant]`
 * is looked up in `agentsDir`. Without arguments: the current folder if it is an agent, else `agentsDir`.
 * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION
 */
export async function findAgents(args: readonly string[], options: FindOptions): Promise<Target[]> {
  const { agentsDir, cwd, files = false } = ownMembers(options)
  if (args.length === 0) {
    const isHere = isFile(join(cwd, MANIFEST_FILE))
    if (isHere) return [{ path: cwd, label: '.' }]
    const all = { path: resolve(cwd, agentsDir), label: trimmed(agentsDir) }
    if (kindAt(all.path) !== undefined) return agentsAt(all)
    throw new RlpError(
      'NOT_FOUND',
      `Cannot find an agent: no ${MANIFEST_FILE} here, and no folder "${all.label}"`,
      {
        hint: 'Name an agent’s folder, say where agents are with --agents-dir, or make one with rlp agent scaffold NAME',
      },
    )
  }
  const found: Target[] = []
  for (const arg of args) {
    if (isOciReference(arg))
      throw new UsageError(`Cannot use "${arg}": a folder is needed, and this is a stored bundle`, {
        hint: `Name an agent’s folder. rlp agent inspect ${writePath(arg)} shows what is stored`,
      })
    const target = { path: resolve(cwd, arg), label: trimmed(arg) }
    const reference = readReference(arg)
    if (files && kindAt(target.path) === 'file' && basename(target.path) !== MANIFEST_FILE) found.push(target)
    else if (reference === undefined || kindAt(target.path) !== undefined)
      found.push(...(await agentsAt(target)))
    else {
      const { lookUpAgent } = await import('./look-up-agent.ts')
      found.push(
        await lookUpAgent(arg, reference, { path: resolve(cwd, agentsDir), label: trimmed(agentsDir) }),
      )
    }
  }
  return unique(found)
}

async function agentsAt(target: Target): Promise<Target[]> {
  const kind = kindAt(target.path)
  if (kind === undefined)
    throw new RlpError('NOT_FOUND', `Cannot find an agent at "${target.label}": no such folder`, {
      hint:
        besideOf(target) ??
        `Check the path, or make a new agent with rlp agent scaffold ${nameFor(target.label)}`,
    })
  if (kind === 'file') {
    const isManifest = basename(target.path) === MANIFEST_FILE
    throw new RlpError('WRONG_FILE_TYPE', `Cannot use "${target.label}" as an agent: it is a file`, {
      hint: isManifest
        ? 'Name the folder that holds it'
        : `Name an agent’s folder; rlp agent verify takes bundle files`,
    })
  }
  if (isFile(join(target.path, MANIFEST_FILE))) return [target]
  const found = await search(target, path => isFile(join(path, MANIFEST_FILE)))
  if (found.length > 0) return found
  throw new RlpError(
    'NOT_FOUND',
    `Cannot find an agent in "${target.label}": no ${MANIFEST_FILE} there or in the folders below`,
    {
      hint: 'Name an agent’s folder. rlp agent init makes an agent of a folder that exists, rlp agent scaffold a new one',
    },
  )
}

/** A folder of an agent beside the one that is missing, with a name like it. */
function besideOf({ path, label }: Target): string | undefined {
  const meant = probablyMeant(basename(path), namesIn(dirname(path)))
  if (meant === undefined) return undefined
  const folder = dirname(label)
  return `Did you mean ${folder === '.' ? meant : join(folder, meant)}?`
}

/** A folder that cannot be looked at suggests nothing, and hides no answer. */
function namesIn(folder: string): string[] {
  try {
    return sourcesHere('.', folder)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return []
  }
}

function nameFor(label: string): string {
  const name = basename(label)
  return readReference(name)?.name ?? meantName(name) ?? '<name>'
}

function unique(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map(target => [target.path, target])).values()]
}

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
