// An OCI image layout on disk as a place for bundles: the same manifests as in a registry, without a server. Tags are annotations in its
// index, which also lists what is attached.
import { join } from 'node:path'
import { withMutex } from '../../io/mutex.ts'
import { closingChunks, readAt, withFile } from '../../io/read/read-file.ts'
import type { Deadline } from '../../io/wait/deadline.ts'
import { makeParents } from '../../io/write/make-parents.ts'
import { isObstacle, RlpError } from '../../model/error.ts'
import type { Descriptor, LayoutPlace, OciIndex, StoredManifest } from '../../model/oci.ts'
import {
  INDEX_TYPE,
  MANIFEST_TYPE,
  MAX_MANIFEST_BYTES,
  REF_NAME,
  readIndex,
  withManifests,
  withoutManifest,
  writeDescriptor,
  writeIndex,
} from '../../oci/document.ts'
import { readStored, sha256Of } from '../../oci/manifest.ts'
import { type Attached, checkedBytes, type OpenFrom, type Store, type ToAttach } from '../store.ts'
import { blobName, INDEX_FILE, LayoutFiles } from './files.ts'

export class LayoutStore implements Store {
  readonly label: string
  readonly place: LayoutPlace
  readonly #files: LayoutFiles
  readonly #deadline: Deadline

  /** @param folder absolute */
  constructor(folder: string, label: string, deadline: Deadline) {
    this.label = label
    this.place = { in: 'layout', folder }
    this.#files = new LayoutFiles(folder, label)
    this.#deadline = deadline
  }

  under(deadline: Deadline): LayoutStore {
    return new LayoutStore(this.#files.folder, this.label, deadline)
  }

  get #signal(): AbortSignal {
    return this.#deadline.signal
  }

  async manifest(which: string): Promise<StoredManifest | undefined> {
    const index = await readLayoutIndex(this.#files)
    const found = index?.manifests.find(one => one.digest === which || tagOf(one) === which)
    return found && this.#stored(found)
  }

  async listed(one: Descriptor): Promise<StoredManifest | undefined> {
    return this.#stored(one)
  }

  async has(blob: Descriptor): Promise<boolean> {
    if (!this.#files.isThere() || this.#files.sizeOf(blob.digest) !== blob.size) return false
    try {
      for await (const _ of this.read(blob));
      return true
    } catch (error) {
      // A damaged blob is written again.
      if (error instanceof RlpError && error.code === 'STORE') return false
      throw error
    }
  }

  async *read(blob: Descriptor): AsyncGenerator<Uint8Array> {
    this.#refuseMissing(blob)
    const file = await this.#files.open(blobName(blob.digest))
    yield* checkedBytes(closingChunks(file), blob, this.label)
  }

  async part(blob: Descriptor, first: number, length: number): Promise<Uint8Array> {
    this.#refuseMissing(blob)
    const name = blobName(blob.digest)
    return withFile(this.#files.open(name), async file => {
      const bytes = new Uint8Array(length)
      const count = await readAt(file, bytes, first)
      if (count === length && file.size === blob.size) return bytes
      throw this.#files.refused(`${name} has ${file.size} bytes in place of ${blob.size}`)
    })
  }

  put(blob: Descriptor, open: OpenFrom): Promise<boolean> {
    const chunks = checkedBytes(open(0), blob, this.label)
    return this.#files.write(blobName(blob.digest), chunks, this.#signal).then(() => true)
  }

  putManifest(manifest: StoredManifest, tag: string | undefined): Promise<void> {
    return this.#list([manifest], tag)
  }

  async attachedTo(digest: string, most: number): Promise<Attached> {
    const index = await readLayoutIndex(this.#files)
    const how = { digest, most, signal: this.#signal }
    return attachedInLayout(index?.manifests ?? [], one => this.#stored(one), how)
  }

  attach(all: readonly ToAttach[]): Promise<void> {
    return this.#list(all.map(({ manifest }) => manifest))
  }

  async detach(digest: string, _subject: string): Promise<boolean> {
    const before = await readLayoutIndex(this.#files)
    if (before !== undefined)
      await this.#files.write(INDEX_FILE, withoutManifest(before, digest), this.#signal)
    this.#files.remove(blobName(digest))
    return true
  }

  async tagged(): Promise<ReadonlyMap<string, string>> {
    const { manifests } = (await readLayoutIndex(this.#files)) ?? { manifests: [] }
    return new Map(
      manifests.flatMap(one => {
        const tag = tagOf(one)
        return tag === undefined ? [] : [[one.digest, tag]]
      }),
    )
  }

  async tags(): Promise<readonly string[]> {
    const index = await readLayoutIndex(this.#files)
    if (index !== undefined) return index.manifests.flatMap(one => tagOf(one) ?? [])
    throw new RlpError('NOT_STORED', `Cannot list "${this.label}": nothing is stored there`, {
      hint: 'Check the folder. rlp agent push makes it',
    })
  }

  async changing<T>(work: () => Promise<T>): Promise<T> {
    this.#files.isThere()
    await makeParents(this.#files.folder)
    const lock = join(this.#files.folder, '.rlp-lock')
    return withMutex(lock, `write to "${this.label}"`, () => this.#prepared(work), this.#signal)
  }

  async close(): Promise<void> {}

  /** Writes manifests, and then the index once. @param tag of the only one */
  async #list(manifests: readonly StoredManifest[], tag?: string): Promise<void> {
    for (const { digest, bytes } of manifests) await this.#files.write(blobName(digest), bytes, this.#signal)
    const named = manifests.map(({ mediaType, digest, bytes }) => ({ mediaType, digest, size: bytes.length }))
    const [first] = named
    if (first === undefined) return
    const before = await readLayoutIndex(this.#files)
    const content =
      tag === undefined
        ? withManifests(before, named)
        : withTag(before, { ...first, annotations: { [REF_NAME]: tag } })
    await this.#files.write(INDEX_FILE, content, this.#signal)
  }

  async #prepared<T>(work: () => Promise<T>): Promise<T> {
    await this.#files.make()
    return work()
  }

  #refuseMissing({ digest }: Descriptor): void {
    if (this.#files.isThere() && this.#files.sizeOf(digest) !== undefined) return
    throw new RlpError('NOT_STORED', `Cannot read ${digest} from "${this.label}": it is not there`, {
      hint: 'Push the bundle again',
    })
  }

  async #stored({ digest, mediaType, size }: Descriptor): Promise<StoredManifest> {
    if (size > MAX_MANIFEST_BYTES)
      throw this.#files.refused(
        `the manifest ${digest} has ${size} bytes; at most ${MAX_MANIFEST_BYTES} are read`,
      )
    const chunks: Uint8Array[] = []
    for await (const chunk of this.read({ digest, mediaType, size })) chunks.push(Uint8Array.from(chunk))
    const bytes = Buffer.concat(chunks)
    return { bytes, mediaType, digest: sha256Of(bytes) }
  }
}

/** @param stored reads one of them */
export async function attachedInLayout(
  listed: readonly Descriptor[],
  stored: (one: Descriptor) => Promise<StoredManifest>,
  { digest, most, signal }: { readonly digest: string; readonly most: number; readonly signal: AbortSignal },
): Promise<Attached> {
  const manifests: Descriptor[] = []
  let incomplete: string | undefined
  const untagged = listed.filter(one => tagOf(one) === undefined && one.mediaType === MANIFEST_TYPE)
  for (const [at, one] of untagged.entries()) {
    if (at >= most)
      return { manifests, keepsMore: true, incomplete: `it lists more than ${most} manifests without a tag` }
    if (signal.aborted) return { manifests, keepsMore: true, incomplete: 'the time for it was over' }
    const subject = await stored(one).then(subjectOf).catch(whyUnread)
    if (typeof subject === 'string') incomplete ??= subject
    else if (subject?.digest === digest) manifests.push(one)
  }
  return { manifests, incomplete, keepsMore: true }
}

/** One that cannot be read may be the one that matters; the others are read all the same. */
function whyUnread(error: unknown): string {
  if (!isObstacle(error)) throw error
  return error.message
}

function subjectOf({ bytes, mediaType }: StoredManifest): Descriptor | undefined {
  const read = readStored(bytes, mediaType)
  return 'value' in read ? read.value.subject : undefined
}

/** Undefined if there is no folder yet, or nothing in it. @throws RlpError STORE */
async function readLayoutIndex(files: LayoutFiles): Promise<OciIndex | undefined> {
  if (!files.isThere()) return undefined
  await files.checkMark()
  const bytes = await files.small(INDEX_FILE, MAX_MANIFEST_BYTES)
  if (bytes === undefined) return undefined
  // Older programs leave the media type out here: the file's name says what it is.
  const read = readIndex(bytes, INDEX_TYPE, 'may be unnamed')
  if ('problem' in read) throw files.refused(`${INDEX_FILE} cannot be used: ${read.problem}`)
  const twice = tagTwice(read.value)
  if (twice !== undefined) throw files.refused(`${INDEX_FILE} names the tag "${twice}" twice`)
  return read.value
}

/** A tag that leads to two manifests: two readers could get different bundles. */
export function tagTwice({ manifests }: OciIndex): string | undefined {
  const seen = new Set<string>()
  return manifests.flatMap(one => tagOf(one) ?? []).find(tag => seen.size === seen.add(tag).size)
}

export function tagOf({ annotations }: Descriptor): string | undefined {
  return annotations?.[REF_NAME]
}

/** The tag leads to one manifest; what it led to before stays without it, for those who pinned its digest. */
export function withTag(before: OciIndex | undefined, named: Descriptor): Uint8Array {
  const { manifests = [], written = [] } = before ?? {}
  const tag = tagOf(named)
  const kept = manifests.flatMap((one, at) => {
    if (tagOf(one) !== tag) return written[at] ?? []
    if (manifests.some(other => other !== one && other.digest === one.digest)) return []
    const { [REF_NAME]: _, ...annotations } = one.annotations ?? {}
    return { ...written[at], annotations }
  })
  // A manifest that was there without a tag is there once.
  const others = kept.filter((_, at) => !isUnnamed(kept[at], named.digest))
  return writeIndex([...others, writeDescriptor(named)], before)
}

function isUnnamed(written: object | undefined, digest: string): boolean {
  const { digest: other, annotations } = (written ?? {}) as Partial<Descriptor>
  return other === digest && annotations?.[REF_NAME] === undefined
}
