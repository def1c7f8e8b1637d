// An entry of a lock → the bundle that it pins, for a comparison: where it was locked from, by its digest, or installed.
import { ociReferenceText, readOciReference } from '../format/oci/reference.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { readReference } from '../format/version/reference.ts'
import { findInstalled } from '../io/find/find-installed.ts'
import type { Target } from '../io/find/search-folders.ts'
import type { Root } from '../io/root/root-places.ts'
import type { Agent } from '../model/agent.ts'
import type { LockedAgent } from '../model/lock.ts'
import { type ExamineOptions, examine } from '../verify/verify-file.ts'
import { targetOf } from './lock-source.ts'

export interface Places {
  readonly options: ExamineOptions
  readonly roots: readonly Root[]
  readonly signal: AbortSignal
}

/** Undefined if it is gone. */
export async function lockedBundle(
  agent: string,
  { source, oci, identity }: LockedAgent,
  folder: string,
  { options, roots, signal }: Places,
): Promise<Agent | undefined> {
  const places = [pinned(await targetOf(source, folder, roots), oci)]
  const reference = readReference(agent)
  const installed = reference && (await findInstalled(reference, roots))
  if (installed !== undefined) places.push(installed)
  for (const { path, label } of places) {
    const { verification } = await examine(
      path,
      { ...options, label, expect: `blake3:${identity}`, look: true, signal },
      'parsed',
    )
    const { report, agent: found } = verification
    // It was trusted when it was locked: today's verdict on it does not matter, its identity and its soundness do.
    const isLocked = report.manifestDigest === identity && report.verdict !== 'invalid'
    if (isLocked && found?.policy !== undefined && found.tools !== undefined) return found
  }
  return undefined
}

function pinned(target: Target, oci: string | undefined): Target {
  if (oci === undefined || !isOciReference(target.path)) return target
  const read = readOciReference(target.path)
  return 'problem' in read ? target : { ...target, path: ociReferenceText({ ...read.value, digest: oci }) }
}
