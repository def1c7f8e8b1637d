// Arguments → the bundles that they name, by one rule for every command: a file, an unpacked bundle, a reference, the name of an installed
// agent, or a folder with everything below it.
import { resolve } from 'node:path'
import { type Reference, readReference } from '../../agent/agent-name.ts'
import { RlpError } from '../../model/error.ts'
import { nothingPassed, type PassedOver, type Reason } from '../../model/report.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { besideBundle } from '../../statement/beside-bundle.ts'
import { absolute } from '../layout-folder.ts'
import { isUnpacked } from './bundle-name.ts'
import type { BundleSearch, FoundBundle } from './search-bundles.ts'
import { kindAt, type Target, trimmed } from './search-folders.ts'

interface FindBundles {
  readonly cwd: string
  /** Finds a bundle by its reference, if the argument is not a path. */
  readonly byName?: (reference: Reference) => Promise<Target | undefined>
  readonly passed?: PassedOver
  /** Is told the name of a file of statements that is left out, because the bundle beside it is named, too: a shell makes both of `dist/*`. */
  readonly onStatements?: (label: string) => void
  readonly signal?: AbortSignal
}

/** Says which files of statements are left out. @param tell is told a line about each */
export function tellingStatements(tell: (line: string) => void): (label: string) => void {
  return label => tell(`${label} was left out: it holds statements about a bundle that is named, too`)
}

/**
 * All of them, for commands that do something with each. A missing path stays in the list, so that the command reports it.
 * @throws RlpError NOT_FOUND for a folder without bundles, NO_PERMISSION and others for a place in it that could not be looked at
 */
export async function findBundles(args: readonly string[], options: FindBundles): Promise<Target[]> {
  const found: Target[] = []
  for await (const { problem, listed: _, ...target } of bundlesOf(args, options)) {
    if (problem !== undefined) throw problemOf(problem)
    found.push(target)
  }
  return found
}

/** A bundle, and its name in the work of several machines. */
export interface ListedBundle extends FoundBundle {
  /** The label below the folder that was named; otherwise the whole label. */
  readonly listed: string
}

/** The same one by one. What could not be looked at is a bundle with a problem. Each is given once. */
export async function* bundlesOf(
  args: readonly string[],
  { cwd, byName, passed = nothingPassed(), onStatements, signal }: FindBundles,
): AsyncGenerator<ListedBundle> {
  const named = new Map<string, Target>()
  for (const arg of args) {
    const target = await targetOf(arg, cwd, byName)
    if (!named.has(target.path)) named.set(target.path, target)
  }
  for (const path of [...named.keys()].map(besideBundle)) {
    const statements = named.get(path)
    if (statements === undefined) continue
    named.delete(path)
    onStatements?.(statements.label)
  }
  const except = (path: string) => (named.has(path) ? 'elsewhere' : undefined)
  const search = { except, met: { entries: 0 }, signal }
  // A folder without a bundle is a wrong argument: it is said before anything is done with the others.
  if (named.size > 1)
    for (const target of named.values()) {
      const found = bundlesAt(target, { ...search, met: { entries: 0 }, passed: nothingPassed() })
      await found.next()
      // Otherwise its folders would stay open.
      await found.return(undefined)
    }
  for (const target of named.values())
    for await (const bundle of bundlesAt(target, { ...search, passed }))
      yield { ...bundle, listed: labelBelow(target.label, bundle.label) }
}

function labelBelow(folder: string, label: string): string {
  const around = `${folder}/`
  return label.startsWith(around) ? label.slice(around.length) : label
}

/**
 * The bundles of one place: itself, or all that are in a folder and below it.
 * @throws RlpError as {@link findBundles}
 */
export async function bundlesIn(place: Target, signal?: AbortSignal): Promise<Target[]> {
  const found: Target[] = []
  for await (const { problem, ...target } of bundlesAt(place, {
    passed: nothingPassed(),
    met: { entries: 0 },
    signal,
  })) {
    if (problem !== undefined) throw problemOf(problem)
    found.push(target)
  }
  return found
}

function problemOf({ message, hint }: Pick<Reason, 'message' | 'hint'>): RlpError {
  return new RlpError('IO', message, hint === undefined ? {} : { hint })
}

async function targetOf(arg: string, cwd: string, byName: FindBundles['byName']): Promise<Target> {
  if (isOciReference(arg)) return { path: absolute(arg, cwd), label: arg }
  const target = { path: resolve(cwd, arg), label: trimmed(arg) }
  const reference = readReference(arg)
  // The disk is asked about names alone: most arguments of a long list are paths.
  const isName = reference !== undefined && kindAt(target.path) === undefined
  const installed = isName ? await byName?.(reference) : undefined
  return installed === undefined ? target : { ...installed, reference: arg }
}

async function* bundlesAt(target: Target, search: BundleSearch): AsyncGenerator<FoundBundle> {
  const isFolder = !isOciReference(target.path) && kindAt(target.path) === 'folder'
  if (!isFolder || isUnpacked(target.path)) {
    yield target
    return
  }
  // Most calls name one file, and need none of this.
  const { bundlesBelow } = await import('./search-bundles.ts')
  const own = isInstallRoot(target.path)
    ? await (await import('../root/find-installed.ts')).installedBundles(target)
    : undefined
  let isEmpty = true
  for (const bundle of own?.files ?? []) {
    isEmpty = false
    yield bundle
  }
  const except = (path: string) => {
    const why = own?.except(path) ?? search.except?.(path)
    if (why === 'elsewhere') isEmpty = false
    return why
  }
  for await (const bundle of bundlesBelow(target, { ...search, except })) {
    isEmpty = false
    yield bundle
  }
  if (isEmpty) throw nothingIn(target)
}

function nothingIn({ label }: Target): RlpError {
  return new RlpError(
    'NOT_FOUND',
    `Cannot find a bundle in "${label}": no *.agent.bundle and no unpacked bundle there or below`,
    { hint: 'Name a bundle, or make one with rlp agent pack' },
  )
}

/** A folder that `rlp agent install` keeps: the folders beside its files are made of them, for other runtimes. */
function isInstallRoot(path: string): boolean {
  return kindAt(resolve(path, '.rlp')) === 'folder'
}
