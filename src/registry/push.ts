// A bundle on disk → a registry or a layout folder. It is checked before anything is sent, and what is there already is not sent again.
import { outline } from '../format/agent/read-agent.ts'
import { sha256Of } from '../format/oci/digest.ts'
import { EMPTY_CONFIG, writeBundleManifest } from '../format/oci/manifest.ts'
import { BUNDLE_LAYER_TYPE, EMPTY_TYPE, MANIFEST_TYPE } from '../format/oci/media-types.ts'
import { ociReferenceText } from '../format/oci/reference.ts'
import { writePath } from '../format/text/shell-words.ts'
import type { Target } from '../io/find/search-folders.ts'
import { Deadline } from '../io/wait/deadline.ts'
import type { Attestations } from '../model/attestation.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import type { Descriptor, OciReference, StoredManifest } from '../model/oci.ts'
import type { OnProgress } from '../model/progress.ts'
import type { Report } from '../model/report.ts'
import { bundleFileName } from '../pack/pack.ts'
import { assertSound } from '../verify/sound.ts'
import { verify } from '../verify/verify.ts'
import { attachStatements, statementsAbout } from './attach-statements.ts'
import { openStore } from './open-store.ts'
import { type PlainArchive, plainArchive } from './plain-archive.ts'
import { type PushTarget, referenceFor, tagTaken } from './push-target.ts'
import type { OpenFrom } from './store.ts'

export interface Pushing {
  readonly to: PushTarget
  /** Move a tag that names other content. */
  readonly force: boolean
  readonly allowUnsigned: boolean
  /** Statements that go beside it: those that are about it. */
  readonly attach?: Attestations | undefined
  readonly access: RegistryAccess
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress | undefined
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
  /** BLAKE3 of manifest.toml, lower-case hex: the agent's identity. */
  readonly manifestDigest: string
  /** Whether anything was stored that was not there. */
  readonly changed: boolean
  /** `sha256:…` of the manifest of each statement beside it; left out without any. */
  readonly attached?: readonly string[]
  /** Bytes of blobs that were sent. */
  readonly sent: number
}

/** @throws RlpError NOT_VERIFIED for a bundle that is not sound, or unsigned; EXISTS for a tag with other content; as a store says */
export async function pushBundle(target: Target, pushing: Pushing): Promise<Pushed> {
  const archive = await plainArchive(target, pushing.signal)
  try {
    const { report, title } = checked(archive, pushing.allowUnsigned)
    const { agent, manifestDigest } = report
    if (agent === null || manifestDigest === null) throw new TypeError('a sound bundle has a name')
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
    const statements = pushing.attach && statementsAbout(pushing.attach, manifestDigest)
    const { access, signal } = pushing
    const reach = { access, deadline: new Deadline(signal, access.times) }
    const sent = await store(reference, manifest, archive, target.label, { ...pushing, ...reach })
    const attached = statements && (await attachStatements(reference, manifest, statements, reach))
    return {
      bundle: target.label,
      reference: ociReferenceText(reference),
      ...{ manifest: manifest.digest, digest, manifestDigest },
      changed: sent !== undefined,
      sent: sent ?? 0,
      ...(attached && { attached }),
    }
  } finally {
    await archive.close()
  }
}

function checked({ candidate }: PlainArchive, allowUnsigned: boolean): { report: Report; title: string } {
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  const bundle = outline(candidate)
  const { report } = verify(bundle, { expect: 'any', look: true })
  assertSound(report, 'push')
  if (report.signatures.length > 0 || allowUnsigned) return { report, title: bundleFileName(bundle.agent) }
  throw new RlpError('NOT_VERIFIED', `Cannot push "${candidate.label}": it is unsigned`, {
    hint: `Sign it with rlp agent sign ${writePath(candidate.label)} --key KEY. If readers need no signature, \`allowUnsigned\` pushes it`,
  })
}

/** @returns the bytes that were sent; undefined if everything was there */
async function store(
  reference: OciReference & { readonly tag: string },
  manifest: StoredManifest,
  archive: PlainArchive,
  label: string,
  { force, access, deadline, onProgress }: Pushing & { readonly deadline: Deadline },
): Promise<number | undefined> {
  const place = await openStore(reference, access, { writes: true, deadline })
  const layer = { mediaType: BUNDLE_LAYER_TYPE, digest: archive.digest, size: archive.size }
  const config = { mediaType: EMPTY_TYPE, digest: sha256Of(EMPTY_CONFIG), size: EMPTY_CONFIG.length }
  const blobs: readonly (readonly [Descriptor, OpenFrom])[] = [
    [config, emptyFrom],
    [layer, watched(archive, label, onProgress)],
  ]
  try {
    return await place.changing(async () => {
      const there = await place.manifest(reference.tag)
      if (there !== undefined && there.digest !== manifest.digest && !force)
        throw tagTaken(reference, there.digest, label)
      const isThere = await Promise.all(blobs.map(([blob]) => place.has(blob)))
      const missing = blobs.filter((_, at) => isThere[at] !== true)
      if (there?.digest === manifest.digest && missing.length === 0) return undefined
      for (const [blob, open] of missing) await place.put(blob, open)
      await place.putManifest(manifest, reference.tag)
      return missing.reduce((sum, [{ size }]) => sum + size, 0)
    })
  } finally {
    await place.close()
  }
}

async function* emptyFrom(from: number): AsyncGenerator<Uint8Array> {
  if (from < EMPTY_CONFIG.length) yield EMPTY_CONFIG.subarray(from)
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
