// A bundle that is being packed → its provenance, signed beside it before the bundle takes its place.

import type { Target } from '../io/find/search-folders.ts'
import { refuseUnknownMembers } from '../io/library/known-options.ts'
import type { Setting } from '../io/setting.ts'
import type { AttestationFile } from '../sign/attestation-file.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import type { Attested, Attesting } from './attest.ts'
import { toAttest } from './attest.ts'
import {
  type AttestOptions,
  attestingGiven,
  keyNotGiven,
  namedFile,
  refuseHalfGiven,
} from './attesting-given.ts'
import { type BuildStated, buildFacts } from './build-facts.ts'
import { type BuildFacts, type Provenance, provenanceOf } from './provenance.ts'
import { readSoundHere } from './verified.ts'

/** What is known before anything is packed: who builds, who signs, and where the statement goes. */
export interface Stating {
  readonly facts: BuildFacts
  readonly attesting: Attesting
  /** Whether an identity signs. */
  readonly isKeyless: boolean
  /** In place of the file beside each bundle. */
  readonly file: AttestationFile | undefined
}

/** Who builds, and who signs that, as a caller of the library names them. */
export interface StatingGiven extends BuildStated, AttestOptions {}

export interface StatedBuild {
  /** SLSA provenance, version 1. */
  readonly provenance: Provenance
  /** Where it was signed. */
  readonly attested: Attested
}

const MEMBERS = ['builder', 'source', 'revision', 'key', 'passphrase', 'keyless', 'attest', 'time']

/** @throws UsageError without a builder or a key; RlpError as the key's place does */
export async function statingGiven(given: StatingGiven, io: Setting): Promise<Stating> {
  refuseUnknownMembers(given, MEMBERS, 'provenance')
  const { key, keyless, attest: named, time } = given
  refuseHalfGiven(given)
  if (key === undefined && keyless === undefined) throw keyNotGiven()
  const facts = await buildFacts(given, io.env, time)
  const attesting = await attestingGiven(given, io)
  if (attesting === undefined) throw keyNotGiven()
  const file = named === undefined ? undefined : namedFile(named, io)
  return { facts, attesting, isKeyless: keyless !== undefined, file }
}

/**
 * @param temporary where the bundle is until it takes its place
 * @throws RlpError as reading, signing and writing do; then the bundle must not take its place
 */
export async function stateBuilt(
  temporary: string,
  bundle: Target,
  { facts, attesting, isKeyless, file }: Stating,
  io: Setting,
): Promise<StatedBuild> {
  const { agent, about } = await readSoundHere({ path: temporary, label: bundle.label }, io, {
    named: bundle.path,
    unsigned: isKeyless,
  })
  const provenance = provenanceOf(agent, facts)
  const beside = { path: besideBundle(bundle.path), label: besideBundle(bundle.label) }
  const stated = toAttest('provenance', about, provenance, bundle.label)
  return { provenance, attested: await attesting.attest(stated, file ?? beside, io) }
}
