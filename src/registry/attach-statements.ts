// Statements about a bundle that was just stored → each beside it, as a document of its own.
import { readAttestation } from '../format/evidence/lines.ts'
import { readAttested } from '../format/evidence/statement.ts'
import { attestationDocument } from '../format/oci/manifest.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import type { Deadline } from '../io/wait/deadline.ts'
import type { Attestations } from '../model/attestation.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import type { OciReference, StoredManifest } from '../model/oci.ts'
import { attachDocument } from './attach.ts'
import { openStore } from './open-store.ts'

/**
 * What goes beside a bundle. A file that was named has to hold a statement about it; the one beside it may be of an earlier bundle.
 * @param path of the bundle
 * @throws RlpError as {@link statementsAbout}
 */
export async function statementsFor(
  path: string,
  attach: Attestations | false | undefined,
  identity: string,
): Promise<readonly Uint8Array[]> {
  if (attach === false) return []
  if (attach !== undefined) return statementsAbout(attach, identity)
  const beside = await attestationsOf(path, undefined)
  return beside === undefined ? [] : aboutIn(beside, identity)
}

/**
 * The envelopes that state something about one bundle.
 * @param identity BLAKE3 of its manifest.toml
 * @throws RlpError IO or LIMIT_EXCEEDED for a file that was not read, NOT_FOUND for one without a statement about the bundle
 */
export function statementsAbout(attestations: Attestations, identity: string): readonly Uint8Array[] {
  const found = aboutIn(attestations, identity)
  if (found.length > 0) return found
  throw new RlpError(
    'NOT_FOUND',
    `Cannot attach "${attestations.label}": no statement in it is about this bundle`,
    {
      hint: 'Make one with rlp agent sbom or rlp agent provenance, and --key',
    },
  )
}

/** The same, and none where none is about it. @throws RlpError IO or LIMIT_EXCEEDED for a file that was not read */
export function aboutIn(
  { label, envelopes, problem }: Attestations,
  identity: string,
): readonly Uint8Array[] {
  if (problem === undefined)
    return envelopes.flatMap(({ bytes }) => (isAbout(bytes, identity) ? [bytes] : []))
  const code = problem.why === 'io' ? 'IO' : 'LIMIT_EXCEEDED'
  throw new RlpError(code, `Cannot attach "${label}": ${problem.message}`, {
    hint: 'Name a file that rlp can read, with what is about this bundle, or none',
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
