// An agent → the operator's overrides of its policy.caps, as they are on this host (DESIGN §3.4). One that is there and cannot be relied
// upon is never "no override".
import { homedir } from 'node:os'
import { join, sep } from 'node:path'
import { runloopHome } from '../io/home.ts'
import { RlpError } from '../model/error.ts'
import type { OverrideFile } from '../model/override.ts'
import { readOwn } from '../trust/read-trust.ts'

/** Where overrides stand. */
export interface OverridePlaces {
  /** The system's folder: `/etc/runloop`. */
  readonly system?: string
  /** `~/.runloop` or `$RUNLOOP_HOME`; false for none. */
  readonly home?: string | false
}

/** Whom an override is for, and where it would stand. */
export interface OverridePath {
  readonly for: string
  readonly path: string
}

/** Every override of an agent that is there, the system's first. Those for a name also tighten every variant of it. */
export async function findOverrides(
  agent: { readonly name: string; readonly variant?: string | undefined },
  places: OverridePlaces = {},
): Promise<OverrideFile[]> {
  const found: OverrideFile[] = []
  for (const { for: target, path } of overridePaths(agent, places)) {
    const about = { label: labelOf(path), for: target }
    try {
      const bytes = await readOwn(path)
      if (bytes !== undefined) found.push({ ...about, bytes })
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
      found.push({ ...about, problem: error.message, ...(error.hint !== undefined && { hint: error.hint }) })
    }
  }
  return found
}

/** All places that are looked at, in order (runloop cases `overridePaths`; systems reference §3c no. 8). */
export function overridePaths(
  { name, variant }: { readonly name: string; readonly variant?: string | undefined },
  { system = '/etc/runloop', home = runloopHome() }: OverridePlaces = {},
): OverridePath[] {
  const agents = [
    { for: name, key: keyOf(name) },
    ...(variant === undefined ? [] : [{ for: `${name}@${variant}`, key: keyOf(`${name}_${variant}`) }]),
  ]
  const ofSystem = agents.map(({ for: target, key }) => ({
    for: target,
    path: join(system, 'policy-overrides', `${key}.caps`),
  }))
  if (home === false) return ofSystem
  return [
    ...ofSystem,
    ...agents.map(({ for: target, key }) => ({
      for: target,
      path: join(home, 'policy-overrides', key, 'policy.caps'),
    })),
    ...agents
      .filter(({ for: target }) => isPlain(target))
      .map(({ for: target }) => ({ for: target, path: join(home, 'caps', 'overrides', `${target}.toml`) })),
  ]
}

/** Two agents can have one key (`a@b` and `a_b`): an override for either then tightens both. */
function keyOf(reference: string): string {
  return reference.replace(/[^A-Za-z0-9]/g, '_')
}

/** Names of agents are plain; one that is not must not lead out of the folder. */
function isPlain(reference: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/.test(reference)
}

function labelOf(path: string): string {
  const home = homedir()
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}
