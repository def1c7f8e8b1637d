// Pushes a bundle from the disk to a registry or a layout folder. The bundle is checked before anything is sent, and what is already
// there is not sent again.
import type { Target } from '../io/find/search-folders.ts'
import { type TimedReach, timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import type { Attestations } from '../model/attestation.ts'
import { RlpError } from '../model/error.ts'
import type { Descriptor, OciReference, StoredManifest } from '../model/oci.ts'
import type { OnProgress } from '../model/progress.ts'
import { BUNDLE_LAYER_TYPE, EMPTY_TYPE, MANIFEST_TYPE } from '../oci/document.ts'
import { EMPTY_CONFIG, sha256Of, writeBundleManifest } from '../oci/manifest.ts'
import { ociReferenceText } from '../oci/reference.ts'
import { bundleFileName } from '../pack/pack.ts'
import { writePath } from '../text/shell-words.ts'
import { soundBundle } from '../verify/sound.ts'
import type { Verification } from '../verify/verify.ts'
import { manifestDigestOf } from '../version/reference.ts'
import type { DetachedOne } from './detach.ts'
import { openStore } from './open-store.ts'
import { type PlainArchive, plainArchive } from './plain-archive.ts'
import { type PushTarget, referenceFor } from './push-target.ts'
import { type MayMove, renewalOnly, signingKeys } from './renewal.ts'
import { statementsFor } from './statements-about.ts'
import type { OpenFrom } from './store.ts'

interface Pushing extends Reach {
  readonly to: PushTarget
  /** Move a tag that names other content. A tag whose signatures are renewed moves without it. */
  readonly force: boolean
  readonly allowUnsigned: boolean
  /** Look what is there, and store nothing. */
  readonly dryRun: boolean
  /** Statements that go beside it: those that are about it. False for none; where it is left out, those of the file beside the bundle. */
  readonly attach?: Attestations | false | undefined
}

export interface Pushed {
  /** As the caller called it. */
  readonly bundle: string
  /** With the tag. */
  readonly reference: string
  /** `sha256:…` of the manifest: what a deployment pins. */
  readonly manifest: string
  /** `sha256:…` of the bundle. */
  readonly digest: string
  /** `blake3:…` of manifest.toml. */
  readonly identity: string
  /** Whether anything was stored that was not there: the bundle, or a statement beside it. In a dry run, whether it would be. */
  readonly changed: boolean
  /** Whether the bundle itself is new there. */
  readonly isNew: boolean
  /** `sha256:…` of the manifest of each statement beside it; left out without any. */
  readonly attached?: readonly string[]
  /** Those of them that are new: they were not there before. */
  readonly added?: readonly string[]
  /** Older statements of the same signer, of the same type and about the same bundle, that new ones took the place of. */
  readonly replaced?: readonly DetachedOne[]
  /** What people should know: an older statement that stays, or a signer who has too many. */
  readonly warnings?: readonly string[]
  /** Bytes of blobs that were sent. */
  readonly sent: number
}

/**
 * @throws RlpError NOT_VERIFIED for a bundle that is not sound, or unsigned; EXISTS for a tag that names anything else than the same bundle, or the
 * same agent with signatures that it renews; as a store says
 */
export async function pushBundle(target: Target, pushing: Pushing): Promise<Pushed> {
  const archive = await plainArchive(target, pushing.signal)
  try {
    const { verification, title, isSigned } = await checked(archive, pushing.signal)
    const { agent, identity } = verification.report
    if (agent === null || identity === null) throw new TypeError('a sound bundle has a name')
    const manifestDigest = manifestDigestOf(identity)
    const reference = referenceFor(pushing.to, agent, target.label)
    const { digest, size } = archive
    const bytes = writeBundleManifest({
      title,
      version: agent.version,
      identity: manifestDigest,
      digest,
      size,
    })
    const manifest = { bytes, mediaType: MANIFEST_TYPE, digest: sha256Of(bytes) }
    const { unsignedSha256 } = archive.candidate
    const about = { identity: manifestDigest, sha256: [digest.slice('sha256:'.length), unsignedSha256] }
    const statements = await statementsFor(target.path, pushing.attach, about)
    if (!isSigned && !pushing.allowUnsigned && !statements.some(({ signs }) => signs))
      throw unsigned(target.label)
    const reach = await timed(pushing, reference)
    const { deadline } = reach
    const mayMove = pushing.force
      ? async () => {}
      : renewalOnly({
          reference,
          label: target.label,
          doing: 'push',
          deadline,
          identity,
          next: async () => ({ verification, signers: signingKeys(verification) }),
        })
    const { dryRun } = pushing
    const storing = { ...reach, dryRun, mayMove }
    const hasStatements = statements.length > 0
    const sent = await storeArchive(reference, manifest, archive, target.label, {
      ...storing,
      isTagged: !hasStatements,
    })
    const how = { ...reach, dryRun, label: target.label }
    // What attaches is loaded where there is something to attach.
    const beside = hasStatements
      ? await (await import('./attach-statements.ts')).attachStatements(reference, manifest, statements, how)
      : undefined
    // The tag comes last: who reads it finds all that is stated about the bundle.
    if (hasStatements && sent !== undefined && !dryRun) await tagStored(reference, manifest, storing)
    const older =
      beside === undefined || dryRun
        ? undefined
        : await (await import('./attach-statements.ts')).replaceOlder(
            reference,
            manifest.digest,
            beside,
            statements,
            how,
          )
    return {
      bundle: target.label,
      reference: ociReferenceText(reference),
      manifest: manifest.digest,
      digest,
      identity,
      changed: sent !== undefined || (beside !== undefined && beside.added.length > 0),
      isNew: sent !== undefined,
      sent: sent ?? 0,
      ...(beside && { attached: beside.attached, added: beside.added }),
      ...older,
    }
  } finally {
    await archive.close()
  }
}

interface Checked {
  readonly verification: Verification
  readonly title: string
  readonly isSigned: boolean
}

async function checked({ candidate }: PlainArchive, signal: AbortSignal | undefined): Promise<Checked> {
  const verification = await soundBundle(candidate, 'push', signal)
  const { report, outline } = verification
  return { verification, title: bundleFileName(outline.agent), isSigned: report.signatures.length > 0 }
}

function unsigned(label: string): RlpError {
  return new RlpError('NOT_VERIFIED', `Cannot push "${label}": it is unsigned`, {
    hint: `Sign it with rlp agent sign ${writePath(label)} --key KEY. If readers need no signature, \`allowUnsigned\` pushes it`,
  })
}

type Tagged = OciReference & { readonly tag: string }

interface Storing extends TimedReach {
  /** Throws unless the tag may move from what it names. */
  readonly mayMove: MayMove
  /** Look what is there, and store nothing. */
  readonly dryRun: boolean
}

/**
 * @param storing `isTagged`: the tag is set at once
 * @returns the bytes that were sent, or would be; undefined if everything was there
 */
async function storeArchive(
  reference: Tagged,
  manifest: StoredManifest,
  archive: PlainArchive,
  label: string,
  storing: Storing & { readonly isTagged: boolean },
): Promise<number | undefined> {
  const { mayMove, dryRun, onProgress, isTagged } = storing
  const place = await openStore(reference, storing, { writes: true })
  const layer = { mediaType: BUNDLE_LAYER_TYPE, digest: archive.digest, size: archive.size }
  const config = { mediaType: EMPTY_TYPE, digest: sha256Of(EMPTY_CONFIG), size: EMPTY_CONFIG.length }
  const blobs: readonly (readonly [Descriptor, OpenFrom])[] = [
    [config, emptyFrom],
    [layer, watched(archive, label, onProgress)],
  ]
  try {
    const work = async () => {
      const there = await place.manifest(reference.tag)
      if (there !== undefined && there.digest !== manifest.digest) await mayMove(place, there)
      const isThere = await Promise.all(blobs.map(([blob]) => place.has(blob)))
      const missing = blobs.filter((_, at) => isThere[at] !== true)
      if (there?.digest === manifest.digest && missing.length === 0) return undefined
      const size = missing.reduce((sum, [{ size }]) => sum + size, 0)
      if (dryRun) return size
      for (const [blob, open] of missing) await place.put(blob, open)
      await place.putManifest(manifest, isTagged ? reference.tag : undefined)
      return size
    }
    // A folder is made where it is changed.
    return await (dryRun ? work() : place.changing(work))
  } finally {
    await place.close()
  }
}

/** Sets the tag of what is stored. @throws RlpError as `mayMove` and a store say */
export async function tagStored(
  reference: Tagged,
  manifest: StoredManifest,
  storing: Omit<Storing, 'dryRun'>,
): Promise<void> {
  const place = await openStore(reference, storing, { writes: true })
  try {
    await place.changing(async () => {
      const there = await place.manifest(reference.tag)
      if (there !== undefined && there.digest !== manifest.digest) await storing.mayMove(place, there)
      await place.putManifest(manifest, reference.tag)
    })
  } finally {
    await place.close()
  }
}

async function* emptyFrom(from: number): AsyncGenerator<Uint8Array> {
  yield EMPTY_CONFIG.subarray(from)
}

function watched({ open, size }: PlainArchive, what: string, onProgress: OnProgress | undefined): OpenFrom {
  if (onProgress === undefined) return open
  return async function* (from) {
    let done = from
    for await (const chunk of open(from)) {
      yield chunk
      done += chunk.length
      onProgress({ what, done, total: size, unit: 'bytes' })
    }
  }
}
