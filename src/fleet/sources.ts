// What the caller named → bundles to verify, one by one: files, folders, install roots, repositories, and lists of all of these.
import type { Reference } from '../agent/agent-name.ts'
import { bundlesOf, type ListedBundle } from '../io/find/find-bundles.ts'
import { trimmed } from '../io/find/search-folders.ts'
import { rootsFor } from '../io/root/roots.ts'
import type { Setting } from '../io/setting.ts'
import { reachOf } from '../io/wait/reach.ts'
import { isObstacle, type RlpError, UsageError } from '../model/error.ts'
import type { PassedOver, Reason } from '../model/report.ts'
import {
  isOciPrefix,
  isWholeRepository,
  ociReferenceText,
  readOciPrefix,
  readOciReference,
} from '../oci/reference.ts'
import { isOciReference } from '../oci/scheme.ts'
import { asFlags } from '../text/flag-name.ts'
import { readExpectation } from '../version/reference.ts'
import { farServer } from './lanes.ts'
import type { FleetTask } from './task.ts'

export interface Sources {
  /** Arguments: paths, references, names of installed agents. */
  readonly bundles: readonly string[]
  /** Where names are looked up. */
  readonly root: string | undefined
  /** One with versions makes a repository one bundle: the newest version that it accepts. */
  readonly expect: string | undefined
}

/** A bundle to judge, or why a place that may hold some could not be reached. */
export type NamedBundle = Omit<ListedBundle, 'listed'> &
  Pick<FleetTask, 'problem' | 'isRepository' | 'isPrefix' | 'listed'>

/**
 * One by one, as they are found.
 * @param passed counts what a folder holds beside them
 * @throws RlpError NOT_FOUND for a folder without bundles, USAGE. A repository of a registry is one of them, and so is a prefix:
 * {@link storedIn} has the bundles of one, and {@link repositoriesIn} the repositories of the other
 */
export async function* namedBundles(
  { bundles, root, expect }: Sources,
  passed: PassedOver,
  setting: Setting,
): AsyncGenerator<NamedBundle> {
  const { cwd, signal } = setting
  const byName = async (reference: Reference) => {
    const { findInstalled } = await import('../io/root/find-installed.ts')
    return findInstalled(reference, await rootsFor(root, cwd))
  }
  for await (const target of bundlesOf(bundles, { cwd, byName, passed, signal })) {
    if (isOciPrefix(target.label)) yield prefixOf(target)
    else if (!isWholeRepository(target.label) || isOneBundle(expect)) yield target
    else if (farServer(target.path) === undefined) yield* await storedIn(target, setting)
    else yield { ...target, isRepository: true }
  }
}

/** Whether an expectation makes a repository one bundle: the newest version that it accepts. */
function isOneBundle(expect: string | undefined): boolean {
  return expect !== undefined && readExpectation(expect)?.versions !== undefined
}

/** @throws UsageError for what is no prefix */
function prefixOf(target: ListedBundle): NamedBundle {
  const read = readOciPrefix(target.path)
  if ('value' in read) return { ...target, isPrefix: true }
  throw new UsageError(`Cannot read "${target.label}": ${read.problem}`, {
    hint: 'Write oci://HOST/ or oci://HOST/PARTS/ for every repository below it',
  })
}

interface ListOptions {
  readonly root: string | undefined
  readonly expect: string | undefined
  /** Names end with NUL, and not with a newline. */
  readonly nul: boolean
}

/** The bundles of a list. What is wrong with a line is the problem of its bundle, and the next line is read. */
export async function* listedIn(
  file: string,
  { root, expect, nul }: ListOptions,
  passed: PassedOver,
  setting: Setting,
): AsyncGenerator<FleetTask> {
  const { listedNames } = await import('./bundle-list.ts')
  for await (const line of listedNames(file, nul, setting)) {
    if ('problem' in line) {
      yield { path: '', label: '<list>', problem: { code: 'unreachable', message: line.problem } }
      continue
    }
    const { name } = line
    try {
      for await (const target of namedBundles({ bundles: [name], root, expect }, passed, setting))
        yield { ...taskOf(target, expect), listed: target.label }
    } catch (error) {
      if (!isObstacle(error)) throw error
      const label = isOciReference(name) ? name : trimmed(name)
      yield { path: name, label, problem: unreachable(error) }
    }
  }
}

export function taskOf(
  { path, label, listed, reference, problem, isBelow, isRepository, isPrefix }: NamedBundle,
  expect: string | undefined,
): FleetTask {
  return { path, label, listed, expect: expect ?? reference, problem, isBelow, isRepository, isPrefix }
}

/** How many repositories a host lists below a prefix. */
export interface ListedRepositories {
  /** Undefined if none was asked. */
  readonly host: string | undefined
  readonly repositories: number
  /** Whether these are all that it lists, and at least one. */
  readonly isWhole: boolean
}

/**
 * The repositories below a prefix, as its registry lists them; at last the prefix itself, if there may be more, or there is none.
 * @param onListed told whose word the list is
 * @throws RlpError USAGE, CANCELLED
 */
export async function* repositoriesIn(
  { path, label: named, expect }: FleetTask,
  setting: Pick<Setting, 'env' | 'registries' | 'signal'>,
  onListed: (listed: ListedRepositories) => void,
): AsyncGenerator<FleetTask> {
  const { repositoriesBelow } = await import('../registry/stored-repositories.ts')
  let repositories = 0
  let why: string | undefined
  const groups = repositoriesBelow(path, reachOf(setting), ({ host, incomplete }) => {
    why = incomplete ?? (repositories > 0 ? undefined : `${host} lists no repository below it`)
    onListed({ host, repositories, isWhole: why === undefined })
  })
  const isRepository = isOneBundle(expect) ? undefined : true
  for await (const group of groups) {
    repositories += group.length
    for (const one of group) yield { path: one, label: one, expect, isRepository }
  }
  if (why !== undefined) yield { path, label: named, problem: unlisted(named, why) }
}

function unlisted(label: string, why: string): Reason {
  return {
    code: 'listing_incomplete',
    message: `Cannot list every repository of "${label}": ${why}`,
    hint: 'Name the repositories one by one, in a list (--bundles-from), or as locks (--lock)',
  }
}

/** The bundles of a repository; or the repository, and why it cannot be reached. @throws RlpError USAGE, CANCELLED */
export async function storedIn(
  { path, label: named }: Pick<NamedBundle, 'path' | 'label'>,
  setting: Pick<Setting, 'env' | 'registries' | 'signal'>,
): Promise<NamedBundle[]> {
  try {
    const { storedVersions } = await import('../registry/stored-versions.ts')
    const { versions, others } = await storedVersions(path, reachOf(setting))
    return [...versions.map(({ tag }) => tag), ...others].map(tag => ({
      path: taggedReference(path, tag),
      label: taggedReference(named, tag),
    }))
  } catch (error) {
    if (!isObstacle(error) || error.code === 'USAGE') throw error
    return [{ path, label: named, problem: unreachable(error) }]
  }
}

function taggedReference(repository: string, tag: string): string {
  const read = readOciReference(repository)
  return 'value' in read ? ociReferenceText({ ...read.value, tag }) : repository
}

function unreachable({ code, message, hint }: RlpError): Reason {
  return {
    code: code === 'TIMED_OUT' ? 'timed_out' : 'unreachable',
    message,
    ...(hint !== undefined && { hint: asFlags(hint) }),
  }
}
