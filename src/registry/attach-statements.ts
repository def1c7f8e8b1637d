// Attaches statements to a bundle that was just stored. Older statements of the same signer and type are removed: a workflow that states
// provenance at each tag would otherwise fill the room that readers have for its key.

import { nearReference } from '../io/layout-folder.ts'
import type { TimedReach } from '../io/wait/deadline.ts'
import { isObstacle } from '../model/error.ts'
import { ATTESTATION_LIMITS } from '../model/limits.ts'
import type { OciReference, StoredManifest } from '../model/oci.ts'
import { ociReferenceText } from '../oci/reference.ts'
import { PREDICATE_TYPE } from '../signature/envelope.ts'
import { predicateWord } from '../statement/predicates/index.ts'
import { writePath } from '../text/shell-words.ts'
import { attachDocuments, attachedDigests, keepsNothing } from './attach.ts'
import {
  type AttachedFacts,
  attachedFacts,
  type DetachedOne,
  detachStored,
  type StatedFacts,
  statedFacts,
} from './detach.ts'
import { openStore } from './open-store.ts'
import { MOST_ATTACHED } from './read-added.ts'
import type { StatementToAttach } from './statements-about.ts'
import type { Store } from './store.ts'

interface Attaching extends TimedReach {
  /** The bundle, as the caller called it. */
  readonly label: string
  /** Look what is there, and store nothing. */
  readonly dryRun: boolean
}

const PUSH_ALONE =
  'Push to a registry or layout folder that keeps them. rlp agent push --no-attach stores the bundle alone'

/** What is beside a bundle now. */
interface AttachedStatements {
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

/** So many statements of one signer are worth a warning: readers look at 64. */
const MANY = 48

interface Replacing extends TimedReach {
  /** The bundle, as the caller called it. */
  readonly label: string
}

interface Replaced {
  readonly replaced?: readonly DetachedOne[]
  readonly warnings?: readonly string[]
}

/**
 * The new statements are there and the bundle has its tag, so that nothing is missing if this fails: then a warning says so.
 * @param subject `sha256:…` of the manifest of the bundle
 */
export async function replaceOlder(
  reference: OciReference,
  subject: string,
  { attached, added, before }: AttachedStatements,
  statements: readonly StatementToAttach[],
  replacing: Replacing,
): Promise<Replaced> {
  const { label } = replacing
  if (before === 0 || (added.length === 0 && before < MANY)) return {}
  const isNew = new Set(added)
  const stated = statements.flatMap(({ document: { content }, signs }, at) =>
    signs || !isNew.has(attached[at] ?? '') ? [] : [statedFacts(content)],
  )
  const warnings: string[] = []
  let replaced: readonly DetachedOne[] = []
  const within = async <T>(use: { readonly deletes: boolean }, work: (store: Store) => Promise<T>) => {
    const store = await openStore(reference, replacing, { writes: true, ...use })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
  try {
    const { list } = await within({ deletes: false }, store => attachedFacts(store, subject))
    const older = list.filter(one => !attached.includes(one.digest) && stated.some(now => isOlder(one, now)))
    const doing = `replace what was stated about "${label}" before`
    // Not everyone who may push may delete: the registry is asked for that right only where there is something to delete.
    if (older.length > 0)
      replaced = await within({ deletes: true }, store => detachStored(store, subject, older, doing))
    warnings.push(...tooMany(list, replaced, nearReference(ociReferenceText(reference))))
  } catch (error) {
    if (!isObstacle(error)) throw error
    warnings.push(error.message)
  }
  return { ...(replaced.length > 0 && { replaced }), ...(warnings.length > 0 && { warnings }) }
}

/** Whether a signer has stated it before. Never a signature, and never what someone else has signed too, or seems to have. */
function isOlder(
  { kind, isWhole, type, signers, about }: AttachedFacts & StatedFacts,
  now: StatedFacts,
): boolean {
  return (
    kind === 'statement' &&
    isWhole &&
    type !== null &&
    type !== PREDICATE_TYPE &&
    type === now.type &&
    about !== undefined &&
    about === now.about &&
    signers.every(one => now.signers.includes(one))
  )
}

function tooMany(
  list: readonly AttachedFacts[],
  replaced: readonly DetachedOne[],
  reference: string,
): readonly string[] {
  const gone = new Set(replaced.map(({ digest }) => digest))
  const counts = new Map<string, Map<string, number>>()
  for (const { digest, kind, type, signers } of list) {
    if (kind !== 'statement' || type === null || gone.has(digest)) continue
    for (const signer of signers) {
      const types = counts.get(signer) ?? new Map<string, number>()
      counts.set(signer, types.set(type, (types.get(type) ?? 0) + 1))
    }
  }
  return [...counts].flatMap(([signer, types]) => {
    const all = [...types.values()].reduce((sum, count) => sum + count, 0)
    if (all < MANY) return []
    const [[most] = ['']] = [...types].sort(([, a], [, b]) => b - a)
    const command = `rlp agent detach ${writePath(reference)} --type ${writePath(most)} --by ${signer} --dry-run`
    return [
      `${all} statements by ${signer} are attached to ${reference}, most of them ${predicateWord(most)}; readers look at ${ATTESTATION_LIMITS.signerEnvelopes} of one signer. ${command} lists what can be removed`,
    ]
  })
}
