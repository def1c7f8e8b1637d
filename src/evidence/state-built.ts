// A bundle that is being packed → its provenance, signed beside it before the bundle takes its place.
import { besideBundle } from '../format/evidence/beside-bundle.ts'
import { PREDICATES } from '../format/evidence/predicates/index.ts'
import { writeAttested } from '../format/evidence/statement.ts'
import type { Target } from '../io/find/search-folders.ts'
import { refuseUnknownMembers } from '../io/library/known-options.ts'
import type { Setting } from '../io/setting.ts'
import type { Signer } from '../model/signer.ts'
import { UsageError } from '../model/usage-error.ts'
import type { AttestationFile } from '../sign/lines-beside.ts'
import { type KeyGiven, signerGiven } from '../sign/sign-bundle.ts'
import { type Attested, attest } from './attest.ts'
import { type BuildStated, buildFacts } from './build-facts.ts'
import { type AttestOptions, namedFile, refuseTime } from './given.ts'
import { type BuildFacts, type Provenance, provenanceOf } from './provenance.ts'
import { soundBundle } from './sound-bundle.ts'

/** What is known before anything is packed: who builds, who signs, and where the statement goes. */
export interface Stating {
  readonly facts: BuildFacts
  readonly signer: Signer
  /** In place of the file beside each bundle. */
  readonly file: AttestationFile | undefined
}

/** Who builds, and who signs that, as a caller of the library names them. */
export interface StatingGiven extends BuildStated, KeyGiven, Pick<AttestOptions, 'attest' | 'time'> {}

export interface StatedBuild {
  /** SLSA provenance, version 1. */
  readonly provenance: Provenance
  /** Where it was signed. */
  readonly attested: Attested
}

const MEMBERS = ['builder', 'source', 'revision', 'key', 'passphrase', 'attest', 'time']

/** @throws UsageError without a builder or a key; RlpError as the key's place does */
export async function statingGiven(given: StatingGiven, io: Setting): Promise<Stating> {
  refuseUnknownMembers(given, MEMBERS, 'provenance')
  const { key, passphrase, attest: named, time } = given
  refuseTime(time)
  if (key === undefined)
    throw new UsageError('Cannot attest: key is missing', { field: 'key', hint: 'Name a key' })
  const facts = await buildFacts(given, io.env, time)
  const signer = await signerGiven({ key, passphrase }, io)
  return { facts, signer, file: named === undefined ? undefined : namedFile(named, io) }
}

/**
 * @param temporary where the bundle is until it takes its place
 * @throws RlpError as reading, signing and writing do; then the bundle must not take its place
 */
export async function stateBuilt(
  temporary: string,
  bundle: Target,
  { facts, signer, file }: Stating,
  io: Setting,
): Promise<StatedBuild> {
  const { agent, about } = await soundBundle({ path: temporary, label: bundle.label }, io, {
    named: bundle.path,
  })
  const provenance = provenanceOf(agent, facts)
  const beside = { path: besideBundle(bundle.path), label: besideBundle(bundle.label) }
  const payload = writeAttested(about, PREDICATES.provenance.type, provenance)
  return { provenance, attested: await attest(payload, signer, file ?? beside, io) }
}
