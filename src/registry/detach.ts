// Removes signatures and statements that are attached to a stored bundle. Whose they are is read from signatures that hold, never from
// what an envelope or a list claims. The bundle and its digest stay as they are.
import { referenceIn } from '../io/reference.ts'
import { timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import type { AttestedStatement } from '../model/attestation.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { DIGEST } from '../oci/scheme.ts'
import { preAuthEncoding } from '../signature/envelope.ts'
import { isGenuine } from '../signature/genuine.ts'
import { readAttestation } from '../statement/lines.ts'
import { predicateWord } from '../statement/predicates/index.ts'
import { readAttested } from '../statement/statement.ts'
import { writePath } from '../text/shell-words.ts'
import { find } from './open-carried.ts'
import { type AttachedKind, MOST_ATTACHED, readAttachedManifest } from './read-added.ts'
import type { Store } from './store.ts'

/** What is to be removed: by type and signer, or by digest. */
interface DetachNamed {
  /** The type of a statement, as `https://slsa.dev/provenance/v1`; `urn:runloop:agent-bundle:v1` is that of a signature. */
  readonly type?: string | undefined
  /** Whose they are: the anchor string of a key. */
  readonly by?: string | undefined
  /** `sha256:…` of their manifests. */
  readonly digests: readonly string[]
  /** Also what others have signed. */
  readonly all: boolean
}

interface Detaching extends DetachNamed, Reach {
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
export async function detachNamed(
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
      hint: 'Name its `type` and the key of its signer with `by`, or its digest. rlp agent inspect lists what is attached',
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

/** One that is attached no longer. */
export interface DetachedOne extends AttachedFacts {
  /** False if the registry forbids deletion: nothing lists it any more, and its bytes stay. */
  readonly deleted: boolean
}

/**
 * A tag would lead nowhere without its manifest, and some registries delete the tag too: what a tag names is left alone.
 * @param store opened to write and to delete
 * @param doing `detach from "oci://…"`
 * @throws RlpError STORE for one that a tag names, or that the registry keeps; as a store says
 */
export async function detachStored(
  store: Store,
  subject: string,
  wanted: readonly AttachedFacts[],
  doing: string,
): Promise<readonly DetachedOne[]> {
  if (wanted.length === 0) return []
  return store.changing(async () => {
    const tagged = await store.tagged()
    for (const { digest } of wanted) {
      const tag = tagged.get(digest)
      if (tag !== undefined)
        throw new RlpError('STORE', `Cannot ${doing}: the tag ${tag} names ${digest}`, {
          hint: 'Someone has given it a tag of its own. Remove that tag first, where the registry is administered',
        })
    }
    const done: DetachedOne[] = []
    for (const one of wanted) {
      const deleted = await store.detach(one.digest, subject)
      if (!deleted && (await isListed(store, one.digest, subject))) throw forbidden(doing, one.digest)
      const { digest, kind, type, signers } = one
      done.push({ digest, kind, type, signers, deleted })
    }
    return done
  })
}

async function isListed(store: Store, digest: string, subject: string): Promise<boolean> {
  const { manifests } = await store.attachedTo(subject, Number.POSITIVE_INFINITY)
  return manifests.some(one => one.digest === digest)
}

function forbidden(doing: string, digest: string): RlpError {
  return new RlpError(
    'STORE',
    `Cannot ${doing}: the registry forbids deletion (405), and lists ${digest} itself`,
    {
      hint: `Delete the manifest ${digest} where the registry is administered, or ask its operator to allow deletion`,
    },
  )
}

/** A signature or a statement that is attached to a bundle. */
export interface AttachedFacts {
  /** `sha256:…` of its manifest. */
  readonly digest: string
  readonly kind: AttachedKind
  /** Its `predicateType`; null if no signature holds, and of a Sigstore bundle, whose signer only a trust policy can tell. */
  readonly type: string | null
  /** The keys whose signatures hold. */
  readonly signers: readonly string[]
}

/** An envelope whose signatures were checked. */
export interface StatedFacts extends Pick<AttachedFacts, 'type' | 'signers'> {
  /** Both digests of the manifest.toml that it is about. */
  readonly about: string | undefined
  /** Whether each of its signatures holds. */
  readonly isWhole: boolean
}

/** @returns `incomplete`: why there may be more. @throws RlpError as a store says */
export async function attachedFacts(store: Store, subject: string) {
  const { manifests, incomplete } = await store.attachedTo(subject, MOST_ATTACHED)
  const list: (AttachedFacts & StatedFacts)[] = []
  let unread = incomplete
  for (const listed of new Map(manifests.map(one => [one.digest, one])).values()) {
    const { digest } = listed
    // Whole, and held against its digest.
    const manifest = await store.listed(listed)
    if (manifest === undefined || manifest.digest !== digest) {
      unread ??= `${digest} is listed and not there`
      continue
    }
    const read = readAttachedManifest(manifest, subject)
    if ('problem' in read) continue
    const { kind, layer } = read.value
    if (kind === 'keyless') list.push({ digest, kind, ...UNKNOWN })
    else {
      const chunks: Uint8Array[] = []
      for await (const chunk of store.read(layer)) chunks.push(Uint8Array.from(chunk))
      list.push({ digest, kind, ...statedFacts(Buffer.concat(chunks)) })
    }
  }
  return { list, incomplete: unread }
}

const UNKNOWN: StatedFacts = { type: null, signers: [], about: undefined, isWhole: false }

/** The payload is parsed only if a signature holds. */
export function statedFacts(envelope: Uint8Array): StatedFacts {
  const read = readAttestation(envelope)
  if (!read.ok) return UNKNOWN
  const { payload, signatures } = read.value
  const message = preAuthEncoding(payload)
  const genuine = signatures.filter(one => isGenuine(one, message))
  const stated = genuine.length === 0 ? undefined : readAttested(payload)
  if (stated?.ok !== true) return UNKNOWN
  return {
    type: stated.value.predicateType,
    signers: genuine.map(({ keyid }) => keyid),
    about: aboutOf(stated.value),
    isWhole: genuine.length === signatures.length,
  }
}

function aboutOf({ subjects }: AttestedStatement): string | undefined {
  for (const { digest } of subjects) {
    const [blake3, sha256] = [own(digest, 'blake3'), own(digest, 'sha256')]
    if (blake3 !== undefined && sha256 !== undefined) return `${blake3} ${sha256}`
  }
  return undefined
}
