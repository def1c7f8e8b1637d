// Sigstore bundles that came with a bundle → what each signs or states, and what its certificate says (docs/spec/keyless.md, Y-5). Nothing is proven here, and the
// libraries are not needed for it.
import { hash } from 'node:crypto'
import { MANIFEST_FILE } from '../../model/agent.ts'
import type { AttestationBytes, KeylessFound } from '../../model/attestation.ts'
import type { Candidate } from '../../model/bundle.ts'
import type { KeylessFinding } from '../../model/keyless.ts'
import { readStatement } from '../../signature/envelope.ts'
import { readCertificate } from '../../sigstore/certificate.ts'
import { readSigstoreBundle, type SigstoreBundle } from '../../sigstore/sigstore-bundle.ts'
import { readAttested } from '../../statement/statement.ts'

/** One that was read: what it is, and the bundle itself if an anchor’s identity may be the one of its certificate. */
export interface ReadKeyless {
  readonly finding: KeylessFinding
  readonly bundle?: SigstoreBundle
}

/** Everything but the proofs. The libraries are not needed for it. */
export function readKeyless(
  found: KeylessFound,
  { files }: Pick<Candidate, 'files'>,
): readonly ReadKeyless[] {
  const { digest: blake3 = '', bytes = new Uint8Array() } = files.get(MANIFEST_FILE) ?? {}
  const manifest = { blake3, sha256: hash('sha256', bytes, 'hex') }
  return found.bundles.map(one => readOne(one, manifest))
}

function readOne(
  { where, bytes }: AttestationBytes,
  manifest: { blake3: string; sha256: string },
): ReadKeyless {
  const nothing = {
    where,
    payload: new Uint8Array(),
    facts: {},
    proven: NOTHING,
    signs: undefined,
    states: undefined,
  }
  const bundle = readSigstoreBundle(bytes)
  if (!bundle.ok) return { finding: { ...nothing, problem: bundle.problem } }
  const { payload } = bundle.value
  const certificate = readCertificate(bundle.value.certificate)
  // What it states is known, also if its certificate says nothing.
  const shown = certificate.ok
    ? { facts: certificate.facts, problem: undefined }
    : { facts: {}, problem: certificate.problem }
  const read = { ...nothing, payload, ...shown }
  const wanted = certificate.ok ? { bundle: bundle.value } : {}
  const signed = readStatement(payload)
  if (signed.ok) {
    const { blake3, sha256, notAfter } = signed.value
    if (blake3 === manifest.blake3 && sha256 === manifest.sha256)
      return { finding: { ...read, signs: { notAfter } }, ...wanted }
    return { finding: { ...read, problem: 'it signs another manifest.toml' } }
  }
  const stated = readAttested(payload)
  if (!stated.ok) return { finding: { ...read, problem: `it holds no statement: ${stated.problem}` } }
  return { finding: { ...read, states: stated.value }, ...wanted }
}

const NOTHING: KeylessFinding['proven'] = new Map()
