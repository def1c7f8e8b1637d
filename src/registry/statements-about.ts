// Finds the statements about one bundle in a file of attestations, in the form in which they are attached to it.

import { attestationsOf } from '../io/bundle/read-attestations.ts'
import type { Attestations } from '../model/attestation.ts'
import { RlpError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { type AttachedDocument, attestationDocument, sigstoreDocument } from '../oci/manifest.ts'
import { readStatement } from '../signature/envelope.ts'
import { readSigstoreBundle } from '../sigstore/sigstore-bundle.ts'
import { readAttestation } from '../statement/lines.ts'
import { readAttested } from '../statement/statement.ts'

/** What goes beside a bundle. */
export interface StatementToAttach {
  readonly document: AttachedDocument
  /** Whether it is a keyless signature of the bundle. */
  readonly signs: boolean
}

/** The bundle that a statement has to be about. */
interface AboutBundle {
  /** BLAKE3 of its manifest.toml. */
  readonly identity: string
  /** Of its archive, as it is and without signatures: what other programs state something about. */
  readonly sha256: readonly (string | undefined)[]
}

/**
 * A file that was named has to hold a statement about the bundle; the one beside it may be of an earlier one.
 * @param path of the bundle
 * @throws RlpError as {@link statementsAbout}
 */
export async function statementsFor(
  path: string,
  attach: Attestations | false | undefined,
  about: AboutBundle,
): Promise<readonly StatementToAttach[]> {
  if (attach === false) return []
  if (attach !== undefined) return statementsAbout(attach, about)
  const beside = await attestationsOf(path, undefined)
  return beside === undefined ? [] : aboutIn(beside, about)
}

/**
 * What states something about one bundle, or signs it.
 * @throws RlpError IO or LIMIT_EXCEEDED for a file that was not read, NOT_FOUND for one without a statement about the bundle
 */
function statementsAbout(attestations: Attestations, about: AboutBundle): readonly StatementToAttach[] {
  const found = aboutIn(attestations, about)
  if (found.length > 0) return found
  throw new RlpError(
    'NOT_FOUND',
    `Cannot attach "${attestations.label}": no statement in it is about this bundle`,
    {
      hint: 'Make one with rlp agent sbom BUNDLE --key KEY, or with rlp agent provenance',
    },
  )
}

/** The same, and none where none is about it. @throws RlpError IO or LIMIT_EXCEEDED for a file that was not read */
export function aboutIn(
  { label, envelopes, problem, keyless }: Attestations,
  about: AboutBundle,
): readonly StatementToAttach[] {
  const wrong = problem ?? keyless?.problem
  if (wrong === undefined)
    return [
      ...envelopes.flatMap(({ bytes }) => statedIn(bytes, about)),
      ...(keyless?.bundles ?? []).flatMap(({ bytes }) => keylessIn(bytes, about)),
    ]
  const code = wrong.why === 'io' ? 'IO' : 'LIMIT_EXCEEDED'
  throw new RlpError(code, `Cannot attach "${label}": ${wrong.message}`, {
    hint: 'Name a file that rlp can read, with what is about this bundle, or none',
  })
}

function statedIn(bytes: Uint8Array, about: AboutBundle): StatementToAttach[] {
  const envelope = readAttestation(bytes)
  if (!envelope.ok || !isAbout(envelope.value.payload, { ...about, sha256: [] })) return []
  return [{ document: attestationDocument(bytes), signs: false }]
}

/** The person who attaches it has written it, or taken it from there: what it is about may be read. */
function keylessIn(bytes: Uint8Array, about: AboutBundle): StatementToAttach[] {
  const bundle = readSigstoreBundle(bytes)
  if (!bundle.ok || !isAbout(bundle.value.payload, about)) return []
  return [{ document: sigstoreDocument(bytes), signs: readStatement(bundle.value.payload).ok }]
}

function isAbout(payload: Uint8Array, { identity, sha256 }: AboutBundle): boolean {
  const read = readAttested(payload)
  return (
    read.ok &&
    read.value.subjects.some(({ digest }) => {
      const stated = own(digest, 'sha256')
      return own(digest, 'blake3') === identity || (stated !== undefined && sha256.includes(stated))
    })
  )
}
