// Puts statements beside a bundle that was just stored, each as a document of its own.
import type { TimedReach } from '../io/wait/reach.ts'
import type { OciReference, StoredManifest } from '../model/oci.ts'
import { attachDocuments, attachedDigests, keepsNothing } from './attach.ts'
import { openStore } from './open-store.ts'
import { MOST_ATTACHED } from './read-added.ts'
import type { StatementToAttach } from './statements-about.ts'

interface Attaching extends TimedReach {
  /** The bundle, as the caller called it. */
  readonly label: string
  /** Look what is there, and store nothing. */
  readonly dryRun: boolean
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

/** Puts statements beside a bundle. @throws RlpError as a store says */
export async function attachStatements(
  reference: OciReference,
  subject: StoredManifest,
  statements: readonly StatementToAttach[],
  attaching: Attaching,
): Promise<AttachedStatements> {
  const { label, dryRun } = attaching
  const store = await openStore(reference, attaching, { writes: true })
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
