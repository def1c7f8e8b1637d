// Opens a loaded bundle again, by the files that were verified and what came with them.
import { archiveOf } from '../bundle/writer.ts'
import { joinAttestations } from '../statement/join-lines.ts'
import { referenceText } from '../version/reference.ts'
import type { BundleTarget } from './bundle-input.ts'
import { type LoadedBundle, loadedFrom } from './load.ts'

/** Undefined for what was not loaded here. */
export function loadedTarget(loaded: LoadedBundle): BundleTarget | undefined {
  const origin = loadedFrom(loaded)
  if (origin === undefined) return undefined
  const { agent, report } = origin.bundle
  const reference = report.agent === null ? {} : { reference: referenceText(report.agent) }
  const input = archiveOf(agent.files, report.target)
  return {
    target: { path: '', label: report.target, ...reference, input },
    attestations: origin.attestations && joinAttestations(origin.attestations),
  }
}
