// Statements about a bundle that was just stored → each beside it, as a document of its own.
import { readAttestation } from '../format/evidence/lines.ts'
import { readAttested } from '../format/evidence/statement.ts'
import { readSigstoreBundle } from '../format/keyless/sigstore-bundle.ts'
import {
  type AttachedDocument,
  attestationDocument,
  sigstoreDocument,
} from '../format/oci/attached-document.ts'
import { readStatement } from '../format/signature/envelope.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import type { Deadline } from '../io/wait/deadline.ts'
import type { Attestations } from '../model/attestation.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import type { OciReference, StoredManifest } from '../model/oci.ts'
import { own } from '../model/own.ts'
import { attachDocuments, attachedDigests, keepsNothing } from './attach.ts'
import { openStore } from './open-store.ts'
import { MOST_ATTACHED } from './read-added.ts'

/** What goes beside a bundle. */
export interface StatementToAttach {
  readonly document: AttachedDocument
  /** Whether it is a keyless signature of the bundle. */
  readonly signs: boolean
}

/** The bundle that a statement has to be about. */
export interface AboutBundle {
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
export function statementsAbout(
  attestations: Attestations,
  about: AboutBundle,
): readonly StatementToAttach[] {
  const found = aboutIn(attestations, about)
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

interface Attaching {
  readonly access: RegistryAccess
  readonly deadline: Deadline
  /** The bundle, as the caller called it. */
  readonly label: string
}

const PUSH_ALONE =
  'Push to a registry or layout folder that keeps them. rlp agent push --no-attach stores the bundle alone'

/** What is beside a bundle now. */
export interface AttachedStatements {
  /** `sha256:…` of the manifest of each statement. */
  readonly attached: readonly string[]
  /** Those of them that were not there before. */
  readonly added: readonly string[]
  /** How much was there before. */
  readonly before: number
}

/**
 * Puts statements beside a bundle.
 * @param attaching `dryRun`: look what is there, and store nothing
 * @throws RlpError as a store says
 */
export async function attachStatements(
  reference: OciReference,
  subject: StoredManifest,
  statements: readonly StatementToAttach[],
  { access, deadline, label, dryRun }: Attaching & { readonly dryRun: boolean },
): Promise<AttachedStatements> {
  const store = await openStore(reference, access, { writes: true, deadline })
  try {
    const { manifests, keepsMore } = await store.attachedTo(subject.digest, MOST_ATTACHED)
    // In a dry run the bundle may not be there yet, and then it is not known.
    if (!keepsMore && !dryRun) throw keepsNothing(`push "${label}" and what is beside it`, PUSH_ALONE)
    const documents = statements.map(({ document }) => document)
    const attached = dryRun
      ? attachedDigests(subject, documents)
      : await attachDocuments(store, subject, documents)
    const known = new Set(manifests.map(({ digest }) => digest))
    return { attached, added: attached.filter(digest => !known.has(digest)), before: known.size }
  } finally {
    await store.close()
  }
}
