// A folder and a bundle → whether the bundle is what the folder packs to, and the first difference.
import { isOciReference } from '../format/oci/scheme.ts'
import type { Target } from '../io/find/find-agents.ts'
import { accessFrom, type Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import { readCandidate } from '../verify/read-source.ts'
import { type Difference, firstDifference } from './compare.ts'
import { readSource } from './source.ts'

/**
 * @returns undefined if there is no difference
 * @throws RlpError NOT_FOUND for a bundle that cannot be read, and as the reading of the folder does
 */
export async function comparePacked(
  target: Target,
  bundle: Pick<Target, 'path' | 'label'>,
  io: Setting,
): Promise<Difference | undefined> {
  const { path, label } = bundle
  const { signal, onProgress } = io
  const { candidate } = await readCandidate(path, { signal, onProgress, access: accessFrom(io) }, 'parsed')
  if (isOciReference(path) && candidate.refusal?.error !== undefined) throw candidate.refusal.error
  if (candidate.refusal?.why === 'io')
    throw new RlpError('NOT_FOUND', `Cannot compare with "${label}": ${candidate.refusal.message}`)
  const { agent } = await readSource(target, 'all', io)
  return firstDifference(agent.files, candidate)
}
