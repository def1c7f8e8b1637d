// Statements about a bundle that was just stored → each beside it, as a document of its own.
import { readAttestation } from '../format/evidence/lines.ts'
import { readAttested } from '../format/evidence/statement.ts'
import { attestationDocument } from '../format/oci/manifest.ts'
import type { Deadline } from '../io/wait/deadline.ts'
import type { Attestations } from '../model/attestation.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import type { OciReference, StoredManifest } from '../model/oci.ts'
import { attachDocument } from './attach.ts'
import { openStore } from './open-store.ts'

/**
 * The envelopes that state something about one bundle.
 * @param identity BLAKE3 of its manifest.toml
 * @throws RlpError IO or LIMIT_EXCEEDED for a file that was not read, NOT_FOUND for one without a statement about the bundle
 */
export function statementsAbout(
  { label, envelopes, problem }: Attestations,
  identity: string,
): readonly Uint8Array[] {
  if (problem !== undefined) {
    const code = problem.why === 'io' ? 'IO' : 'LIMIT_EXCEEDED'
    throw new RlpError(code, `Cannot attach "${label}": ${problem.message}`, {
      hint: 'Name a file that rlp can read, with what is about this bundle',
    })
  }
  const found = envelopes.flatMap(({ bytes }) => (isAbout(bytes, identity) ? [bytes] : []))
  if (found.length > 0) return found
  throw new RlpError('NOT_FOUND', `Cannot attach "${label}": no statement in it is about this bundle`, {
    hint: 'Make one with rlp agent sbom or rlp agent provenance, and --key',
  })
}

function isAbout(bytes: Uint8Array, identity: string): boolean {
  const envelope = readAttestation(bytes)
  const read = envelope.ok ? readAttested(envelope.value.payload) : envelope
  return read.ok && read.value.subjects.some(({ digest }) => digest['blake3'] === identity)
}

/** @returns `sha256:…` of each manifest that holds one. @throws RlpError as a store says */
export async function attachStatements(
  reference: OciReference,
  subject: StoredManifest,
  envelopes: readonly Uint8Array[],
  { access, deadline }: { readonly access: RegistryAccess; readonly deadline: Deadline },
): Promise<readonly string[]> {
  const store = await openStore(reference, access, { writes: true, deadline })
  try {
    const attached: string[] = []
    for (const envelope of envelopes)
      attached.push(await attachDocument(store, subject, attestationDocument(envelope)))
    return attached
  } finally {
    await store.close()
  }
}
