// States who built a sound bundle, for the command and for the library.
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { type BuildFacts, type Provenance, provenanceOf } from './provenance.ts'
import type { SignStated, StatedAbout } from './state-signed.ts'
import { readSoundHere, type SoundHow } from './verified.ts'

export interface StatedProvenance extends StatedAbout {
  /** SLSA provenance, version 1. */
  readonly provenance: Provenance
}

/** @throws RlpError NOT_VERIFIED for a bundle that is not sound, or not as the lock pins it; as reading and signing do */
export async function stateProvenance(
  target: Target,
  facts: BuildFacts,
  how: Pick<SoundHow, 'locks' | 'unsigned'>,
  sign: SignStated,
  io: Setting,
): Promise<StatedProvenance> {
  const { agent, about } = await readSoundHere(target, io, how)
  const provenance = provenanceOf(agent, facts)
  return { provenance, ...(await sign({ name: 'provenance', about, predicate: provenance, target })) }
}
