// Compares a bundle with what a folder packs to, up to the first difference.

import type { Target } from '../io/find/find-agents.ts'
import { accessFrom, type Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { readCandidate } from '../verify/read-source.ts'
import { type Difference, firstDifference } from './compare.ts'
import { readSource } from './source.ts'

export interface PackCheck {
  /** As the caller called it. */
  readonly agent: string
  readonly bundle: string
  /** The first in the order of the archive, signatures aside; undefined if there is none. */
  readonly difference: Difference | undefined
  /** Whether packing would make another bundle. */
  readonly changed: boolean
}

/**
 * @param called what the caller called the bundle
 * @throws RlpError NOT_FOUND for a bundle that cannot be read, and as the reading of the folder does
 */
export async function comparePacked(
  target: Target,
  bundle: Pick<Target, 'path' | 'label'>,
  io: Setting,
  called = bundle.label,
): Promise<PackCheck> {
  const { path, label } = bundle
  const { signal, onProgress } = io
  const { candidate } = await readCandidate(path, { signal, onProgress, access: accessFrom(io) }, 'parsed')
  if (isOciReference(path) && candidate.refusal?.error !== undefined) throw candidate.refusal.error
  if (candidate.refusal?.why === 'io')
    throw new RlpError('NOT_FOUND', `Cannot compare with "${label}": ${candidate.refusal.message}`)
  const { agent } = await readSource(target, 'all', io)
  const difference = firstDifference(agent.files, candidate)
  return { agent: target.label, bundle: called, difference, changed: difference !== undefined }
}
