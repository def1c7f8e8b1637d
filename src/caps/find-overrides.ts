// Finds the operator's overrides of an agent's policy.caps on this host. An override that exists and cannot be used is never treated as
// "no override". The owner of a file that the user names is not checked: it need not be in use yet.
import { resolve, sep } from 'node:path'
import { pathBelow, runloopHome, userHome } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import type { Ways } from '../io/owner/ways.ts'
import { readFile } from '../io/read/read-file.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import type { OverrideFile } from '../model/override.ts'
import { ownMembers } from '../model/own.ts'
import { MAX_TEXT_BYTES } from '../text/decode.ts'

/** The folders that hold overrides. */
interface OverridePlaces {
  /** The system's folder: `/etc/runloop`. */
  readonly system?: string | undefined
  /** `~/.runloop` or `$RUNLOOP_HOME`; false for none. */
  readonly home?: string | false | undefined
}

/** An override's agent, and the path of its file. */
interface OverridePath {
  readonly for: string
  readonly path: string
}

/** Every existing override of an agent, the system's first. An override for a name also tightens every variant of it. */
export async function findOverrides(
  agent: { readonly name: string; readonly variant?: string | undefined },
  ways: Ways,
  places: OverridePlaces = {},
): Promise<OverrideFile[]> {
  const found: OverrideFile[] = []
  const { system, home = runloopHome() } = ownMembers(places)
  for (const place of overridePaths(agent, { system, home })) {
    const file = await readOverridePath(place, ways, home)
    if (file !== undefined) found.push(file)
  }
  return found
}

/** Undefined if there is no file. One that others may write, or that cannot be read, is a file with a problem. */
export async function readOverridePath(
  { for: target, path }: OverridePath,
  ways: Ways,
  home: string | false,
): Promise<OverrideFile | undefined> {
  try {
    const isOfHome = home !== false && path.startsWith(home + sep)
    const bytes = await readOwn(path, ways, { home: isOfHome ? home : undefined })
    return bytes && { label: labelOf(path), for: target, bytes }
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return {
      label: labelOf(path),
      for: target,
      problem: error.message,
      ...(error.hint !== undefined && { hint: error.hint }),
    }
  }
}

/** All paths that are checked, in order (runloop cases `overridePaths`). */
export function overridePaths(
  { name, variant }: { readonly name: string; readonly variant?: string | undefined },
  places: OverridePlaces = {},
): OverridePath[] {
  const { system = '/etc/runloop', home = runloopHome() } = ownMembers(places)
  const agents = [
    { for: name, key: keyOf(name) },
    ...(variant === undefined ? [] : [{ for: `${name}@${variant}`, key: keyOf(`${name}_${variant}`) }]),
  ]
  const paths: OverridePath[] = []
  const inSystem = pathBelow(system, 'policy-overrides')
  for (const { for: target, key } of agents)
    paths.push({ for: target, path: pathBelow(inSystem, `${key}.caps`) })
  if (home === false) return paths
  const inHome = pathBelow(home, 'policy-overrides')
  for (const { for: target, key } of agents)
    paths.push({ for: target, path: pathBelow(pathBelow(inHome, key), 'policy.caps') })
  const named = pathBelow(pathBelow(home, 'caps'), 'overrides')
  for (const { for: target } of agents)
    if (isPlain(target)) paths.push({ for: target, path: pathBelow(named, `${target}.toml`) })
  return paths
}

/** Two agents can have one key (`a@b` and `a_b`): an override for either then tightens both. */
function keyOf(reference: string): string {
  return reference.replace(/[^A-Za-z0-9]/g, '_')
}

/** Names of agents are plain. An invalid name must never become a path. */
function isPlain(reference: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/.test(reference)
}

function labelOf(path: string): string {
  const home = userHome()
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}

/** @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE, LIMIT_EXCEEDED */
export async function readOverrideAt(path: string, cwd: string): Promise<OverrideFile> {
  const larger = (size: number) => {
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot read "${path}": it has ${size} bytes; an override has at most ${byteLimit(MAX_TEXT_BYTES)}`,
      { hint: 'Name an override of policy.caps' },
    )
  }
  const bytes = await readFile(resolve(cwd, path), {
    follow: true,
    label: path,
    most: MAX_TEXT_BYTES,
    larger,
  })
  return { label: path, for: '', bytes }
}
