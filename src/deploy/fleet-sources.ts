// What the caller named → bundles to verify, one by one: files, folders, install roots, repositories, and lists of all of these.
import { resolve } from 'node:path'
import { ociReferenceText, readOciReference } from '../format/oci/reference.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { findBundles, type Target } from '../io/find-agents.ts'
import { absolute } from '../io/layout-folder.ts'
import { rootsFor } from '../io/roots.ts'
import { kindAt } from '../io/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import type { FleetTask } from './fleet-task.ts'

export interface Sources {
  /** Arguments: paths, references, names of installed agents. */
  readonly bundles: readonly string[]
  /** Where names are looked up. */
  readonly root: string | undefined
}

/** @throws RlpError NOT_FOUND for a folder without bundles, USAGE; a repository that cannot be reached is one target with its problem */
export async function namedBundles(
  { bundles, root }: Sources,
  setting: Setting,
): Promise<(Target & Pick<FleetTask, 'problem'>)[]> {
  const found = new Map<string, Target & Pick<FleetTask, 'problem'>>()
  for (const named of bundles) {
    const all = isRepository(named)
      ? await storedIn(named, setting)
      : isInstallRoot(resolve(setting.cwd, named))
        ? await installedAt(named, setting)
        : await findBundles([named], setting.cwd, async reference => {
            const { findInstalled } = await import('../io/find-installed.ts')
            return findInstalled(reference, await rootsFor(root, setting.cwd))
          })
    for (const target of all) found.set(target.path, target)
  }
  return [...found.values()]
}

/** The bundles of a list. What is wrong with a line is the problem of its bundle, and the next line is read. */
export async function* listedIn(
  file: string,
  { root, expect }: { readonly root: string | undefined; readonly expect: string | undefined },
  setting: Setting,
): AsyncGenerator<FleetTask> {
  const { listedNames } = await import('./fleet-list.ts')
  for await (const line of listedNames(file, setting)) {
    if ('problem' in line) {
      yield { path: '', label: '<list>', problem: { code: 'unreachable', message: line.problem } }
      continue
    }
    const { name } = line
    try {
      for (const target of await namedBundles({ bundles: [name], root }, setting))
        yield taskOf(target, expect)
    } catch (error) {
      if (!(error instanceof RlpError) || error.code === 'CANCELLED') throw error
      yield { path: name, label: name, problem: unreachable(error) }
    }
  }
}

export function taskOf(
  { path, label, reference, problem }: Target & Pick<FleetTask, 'problem'>,
  expect: string | undefined,
): FleetTask {
  const expected = expect ?? reference
  return { path, label, ...(expected !== undefined && { expect: expected }), ...(problem && { problem }) }
}

function isRepository(named: string): boolean {
  if (!isOciReference(named)) return false
  const read = readOciReference(named)
  return 'value' in read && read.value.tag === undefined && read.value.digest === undefined
}

async function storedIn(
  named: string,
  { cwd, env, signal }: Setting,
): Promise<(Target & Pick<FleetTask, 'problem'>)[]> {
  const path = absolute(named, cwd)
  try {
    const { storedVersions } = await import('../registry/stored-versions.ts')
    const { versions, others } = await storedVersions(path, { env }, signal)
    return [...versions.map(({ tag }) => tag), ...others].map(tag => ({
      path: taggedReference(path, tag),
      label: taggedReference(named, tag),
    }))
  } catch (error) {
    if (!(error instanceof RlpError) || ['CANCELLED', 'USAGE'].includes(error.code)) throw error
    return [{ path, label: named, problem: unreachable(error) }]
  }
}

function taggedReference(repository: string, tag: string): string {
  const read = readOciReference(repository)
  return 'value' in read ? ociReferenceText({ ...read.value, tag }) : repository
}

/** A folder that `rlp agent install` keeps: the folders beside its files are made of them, for other runtimes. */
function isInstallRoot(path: string): boolean {
  return kindAt(resolve(path, '.rlp')) === 'folder'
}

async function installedAt(named: string, { cwd }: Setting): Promise<Target[]> {
  const [root] = await rootsFor(named, cwd)
  if (root === undefined) return []
  const { installedIn } = await import('../io/find-installed.ts')
  const installed = await installedIn(root)
  if (installed.length === 0)
    throw new RlpError('NOT_FOUND', `Cannot find a bundle in "${named}": nothing is installed there`)
  return installed.map(({ path, label, agent }) => ({
    path,
    label,
    ...(agent !== undefined && { reference: agent }),
  }))
}

function unreachable({ message, hint }: RlpError) {
  return { code: 'unreachable', message, ...(hint !== undefined && { hint }) }
}
