// One agent's folder → its policy.caps with the operator's overrides of it on this host.

import { runloopHome } from '../io/home.ts'
import type { Setting } from '../io/setting.ts'
import type { Agent } from '../model/agent.ts'
import { readReference } from '../version/reference.ts'
import { findOverrides } from './find-overrides.ts'
import { type Override, readOverrideFile } from './overrides.ts'

/** Undefined if the manifest does not say which agent this is: then no override can be looked up. */
export async function overridesFor(
  { manifest }: Agent,
  io: Setting,
): Promise<readonly Override[] | undefined> {
  const { name, variant } = manifest ?? {}
  if (name === undefined) return undefined
  const reference = readReference(variant === undefined ? name : `${name}@${variant}`)
  if (reference === undefined) return undefined
  const files = await findOverrides(reference, { home: runloopHome(io.env) })
  return files.map(readOverrideFile)
}

/** The agent's name for people and programs. */
export function referenceOf({ manifest }: Agent): string | null {
  if (manifest?.name === undefined) return null
  return manifest.variant === undefined ? manifest.name : `${manifest.name}@${manifest.variant}`
}
