// Removes signatures and statements from what is attached to a stored bundle. The bundle and its digest stay as they are.

import { referenceIn } from '../io/reference.ts'
import { type Reach, timed } from '../io/wait/reach.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { DIGEST } from '../oci/scheme.ts'
import { predicateWord } from '../statement/predicates/index.ts'
import { writePath } from '../text/shell-words.ts'
import { type AttachedFacts, attachedFacts, type StatedFacts } from './attached-facts.ts'
import { type DetachedOne, detachStored } from './detach-stored.ts'
import { find } from './open-carried.ts'

/** What is to be removed: by type and signer, or by digest. */
export interface DetachNamed {
  /** The type of a statement, as `https://slsa.dev/provenance/v1`; `urn:runloop:agent-bundle:v1` is that of a signature. */
  readonly type?: string | undefined
  /** Whose they are: the anchor string of a key. */
  readonly by?: string | undefined
  /** `sha256:…` of their manifests. */
  readonly digests: readonly string[]
  /** Also what others have signed. */
  readonly all: boolean
}

export interface Detaching extends DetachNamed, Reach {
  /** Look what would be removed, and remove nothing. */
  readonly dryRun: boolean
  /** Sees what is removed before it is, and throws to prevent it. */
  readonly approve?: ((found: readonly AttachedFacts[]) => Promise<void>) | undefined
}

export interface Detached {
  /** As the caller called it. */
  readonly from: string
  /** `sha256:…` of the manifest of the bundle. */
  readonly manifest: string
  /** What is attached no longer; in a dry run, what would not be. */
  readonly detached: readonly DetachedOne[]
  /** What was meant too, and stays. */
  readonly left: readonly { readonly digest: string; readonly why: string }[]
  /** Why more may be attached than was looked at; null if all of it was. */
  readonly incomplete: string | null
  /** Always true: it is an error if nothing of it is attached. In a dry run, it would be. */
  readonly changed: boolean
}

type Found = AttachedFacts & StatedFacts

/** @throws RlpError USAGE; NOT_FOUND if nothing of it is attached; as a store says */
export async function detach(
  { path, label }: { readonly path: string; readonly label: string },
  detaching: Detaching,
): Promise<Detached> {
  const { dryRun, approve } = detaching
  const doing = `detach from "${label}"`
  refuseUnsaid(detaching, doing)
  const reference = referenceIn(path, 'detach from')
  const reach = await timed(detaching, reference)
  const found = await find(reference, reach, { writes: true, deletes: !dryRun }, label)
  try {
    const { store } = found
    const { digest: manifest } = found.manifest
    const { list, incomplete } = await attachedFacts(store, manifest)
    const { chosen, left } = choose(list, detaching)
    if (chosen.length === 0) throw nothing(detaching, label, left, incomplete)
    const facts = chosen.map(({ digest, kind, type, signers }) => ({ digest, kind, type, signers }))
    await approve?.(facts)
    const detached = dryRun
      ? facts.map(one => ({ ...one, deleted: false }))
      : await detachStored(store, manifest, facts, doing)
    return { from: label, manifest, detached, left, incomplete: incomplete ?? null, changed: true }
  } finally {
    await found.store.close()
  }
}

/** @throws UsageError if it is not said what, or in two ways */
export function refuseUnsaid({ type, by, digests, all }: DetachNamed, doing: string): void {
  const named = type !== undefined || by !== undefined
  if (digests.length > 0 && named)
    throw new UsageError(`Cannot ${doing}: a digest names one thing, and a type or a key others`, {
      field: 'digests',
      hint: 'Name digests alone, or a type and a key',
    })
  if (digests.length === 0 && by === undefined && !(type !== undefined && all))
    throw new UsageError(`Cannot ${doing}: it is not said what`, {
      field: type === undefined ? 'type' : 'by',
      hint: 'Name `type` and `by`, whose it is, or `digests`. rlp agent inspect lists what is attached',
    })
  const wrong = digests.find(one => !DIGEST.test(one))
  if (wrong !== undefined)
    throw new UsageError(`Cannot ${doing}: "${wrong}" is no digest`, {
      field: 'digests',
      hint: 'Write sha256: and 64 hex digits, as rlp agent inspect shows it',
    })
}

function choose(list: readonly Found[], { type, by, digests, all }: DetachNamed) {
  const meant = list.filter(one =>
    digests.length > 0
      ? digests.includes(one.digest)
      : one.type !== null &&
        (type === undefined || one.type === type) &&
        (by === undefined || one.signers.includes(by)),
  )
  const isOthers = ({ signers }: Found) =>
    !all && (by === undefined ? signers.length > 1 : signers.some(one => one !== by))
  return {
    chosen: meant.filter(one => !isOthers(one)),
    left: meant.filter(isOthers).map(({ digest, signers }) => {
      return { digest, why: `${signers.length} keys have signed it: ${signers.join(', ')}` }
    }),
  }
}

function nothing(
  { type, by, digests }: DetachNamed,
  label: string,
  left: Detached['left'],
  incomplete: string | undefined,
): RlpError {
  const [first] = left
  if (first !== undefined)
    return new RlpError('NOT_FOUND', `Cannot detach ${first.digest} from "${label}": ${first.why}`, {
      hint: 'Others lose what they have signed: `all` removes it all the same',
    })
  const what =
    digests.length > 0
      ? digests.join(', ')
      : [type === undefined ? 'nothing' : `no ${predicateWord(type)}`, by === undefined ? '' : `by ${by}`]
          .filter(Boolean)
          .join(' ')
  const state =
    digests.length > 0
      ? `${what} is no signature or statement that is attached to it`
      : `${what} is attached to it`
  const unread = incomplete === undefined ? '' : `, as far as it could be read: ${incomplete}`
  return new RlpError('NOT_FOUND', `Cannot detach from "${label}": ${state}${unread}`, {
    hint: `rlp agent inspect ${writePath(label)} lists what is attached. A keyless one is named by its digest alone`,
  })
}
