// Puts a verified archive in its root, with the folder and the statements beside it, in steps between which a crash may happen. One rename
// swaps the file; the next run finishes what is left after it (recover.ts). The bytes are digested again on the way: an archive that
// changed after its verdict is refused.
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BLOCK, modeOf, paddingAfter, TRAILER } from '../bundle/archive.ts'
import { type Hasher, hasher } from '../bundle/blake3.ts'
import { changed, inArchiveOrder } from '../bundle/writer.ts'
import { io } from '../io/fail.ts'
import { entryAt } from '../io/read/entry.ts'
import { type OpenFile, openFile, readAt, withFile } from '../io/read/read-file.ts'
import { stagingPath } from '../io/root/install-root.ts'
import { removeStamp, restoreStamp, writeStamp } from '../io/root/own-folder.ts'
import { bundlePath, folderPath, type Root } from '../io/root/root-places.ts'
import { discard, refuseIfAborted, syncFolder } from '../io/write/write-atomic.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import type { JudgedArchive } from './incoming.ts'

export interface Placement {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly archive: JudgedArchive
  /** What came with the bundle that others state about it, for the file beside it. */
  readonly attestations?: Uint8Array | undefined
  /** Whether to unpack the folder for other runtimes. */
  readonly unpack: boolean
  /** Whether an unpacked folder exists. Without `unpack` it is removed, because it would differ from the file. */
  readonly hasFolder: boolean
  /** Records what is about to happen. */
  readonly announce: () => Promise<void>
  /** Removes that record: it has not happened. */
  readonly withdraw: () => Promise<void>
  /** Records that it has happened. */
  readonly settle: () => Promise<void>
}

interface PlacingStep {
  readonly name:
    | 'stage'
    | 'unstamp'
    | 'announce'
    | 'attest'
    | 'swap-file'
    | 'swap-folder'
    | 'settle'
    | 'stamp'
  run(): Promise<void>
}

/** Every step leaves the disk in a state from which the next run can continue. Staging exists, is empty, and is ours. */
export function placementSteps(root: Root, placement: Placement, signal?: AbortSignal): PlacingStep[] {
  const { agent, archive, attestations, announce, settle } = placement
  const staging = stagingPath(root)
  const file = join(staging, 'bundle')
  const folder = join(staging, 'folder')
  const evidence = join(staging, 'attestations')
  const label = `${root.label}/${agent}`
  return [
    {
      name: 'stage',
      async run() {
        await archive.putAt(file, `${label}.agent.bundle`)
        // From there: what is digested is what gets into its place.
        await unpack({ ...archive, path: file }, placement.unpack ? folder : undefined, label, signal)
        await syncFile(file, `${label}.agent.bundle`)
        if (attestations !== undefined)
          await writeNew(evidence, [attestations], 0o644, statementsLabel(root, agent))
        await syncFolder(staging)
        refuseIfAborted(signal)
      },
    },
    // The stamp goes first: without it, the next run looks for an announced install.
    { name: 'unstamp', run: () => removeStamp(root.path, agent, join(staging, 'stamp')) },
    { name: 'announce', run: announce },
    // Before the bundle: a policy that requires statements must never find it without them.
    {
      name: 'attest',
      async run() {
        if (attestations !== undefined) await swapStatements(root, agent, evidence)
      },
    },
    {
      name: 'swap-file',
      async run() {
        await io(`put "${label}.agent.bundle" in place`, () => rename(file, bundlePath(root, agent)))
        await syncFolder(root.path)
      },
    },
    {
      name: 'swap-folder',
      async run() {
        if (placement.unpack) await swapFolder(root, agent, folder)
        else if (placement.hasFolder) await swapFolder(root, agent, undefined)
      },
    },
    { name: 'settle', run: settle },
    {
      name: 'stamp',
      run: () => writeStamp(root.path, agent, { fileDigest: archive.digest, unpacked: placement.unpack }),
    },
  ]
}

/**
 * Runs the steps. A failure before the file is swapped leaves everything unchanged; after that the new bundle is installed, and the next
 * run does the rest.
 */
export async function placeBundle(root: Root, placement: Placement, signal?: AbortSignal): Promise<void> {
  const staging = stagingPath(root)
  let isAnnounced = false
  try {
    for (const { name, run } of placementSteps(root, placement, signal)) {
      await run()
      if (name === 'announce') isAnnounced = true
    }
  } catch (error) {
    // Still in staging, so it was not installed.
    if (entryAt(join(staging, 'bundle')) !== undefined) {
      if (isAnnounced) await placement.withdraw()
      await restoreStamp(root.path, placement.agent, join(staging, 'stamp'))
    }
    throw error
  }
}

/** @param from the new folder; undefined only removes the old one */
export async function swapFolder(root: Root, agent: string, from: string | undefined): Promise<void> {
  const target = folderPath(root, agent)
  const old = join(stagingPath(root), `${agent}.old`)
  if (entryAt(target) !== undefined) await io(`replace "${root.label}/${agent}"`, () => rename(target, old))
  if (from !== undefined) await io(`put "${root.label}/${agent}" in place`, () => rename(from, target))
  await syncFolder(root.path)
  await discard(old)
}

/** Puts statements beside an installed bundle that stays. Staging exists, is empty, and is ours. */
export async function placeStatements(root: Root, agent: string, attestations: Uint8Array): Promise<void> {
  const staged = join(stagingPath(root), 'attestations')
  await writeNew(staged, [attestations], 0o644, statementsLabel(root, agent))
  await syncFolder(stagingPath(root))
  await swapStatements(root, agent, staged)
}

/** One rename: a reader finds the statements from before or these. */
async function swapStatements(root: Root, agent: string, from: string): Promise<void> {
  const place = besideBundle(bundlePath(root, agent))
  await io(`put "${statementsLabel(root, agent)}" in place`, () => rename(from, place))
  await syncFolder(root.path)
}

function statementsLabel({ label }: Root, agent: string): string {
  return besideBundle(`${label}/${agent}.agent.bundle`)
}

interface VerifiedArchive extends Omit<JudgedArchive, 'putAt'> {
  readonly path: string
}

const CHUNK_BYTES = 1024 * 1024

/**
 * Modes are those of the archive, less the umask.
 * @param folder must not exist, and its parent must; undefined only compares the archive with its digest
 * @param label its name in messages
 * @throws RlpError CHANGED_WHILE_READING, NO_SPACE, NO_PERMISSION, EXISTS, CANCELLED; the files written so far stay
 */
export async function unpack(
  { path: archive, label: source, digest, files }: VerifiedArchive,
  folder: string | undefined,
  label: string,
  signal?: AbortSignal,
): Promise<void> {
  await withFile(openFile(archive, { follow: false, label: source }), async file => {
    const reader = new Reader(file)
    const folders = new Set<string>()
    if (folder !== undefined) {
      await io(`create "${label}"`, () => mkdir(folder, { mode: 0o755 }))
      folders.add(folder)
    }
    for (const { path, size } of inArchiveOrder(files)) {
      refuseIfAborted(signal)
      await reader.pass(BLOCK)
      if (folder === undefined) await reader.pass(size, signal)
      else {
        const place = join(folder, path)
        for (let parent = dirname(place); !folders.has(parent); parent = dirname(parent)) folders.add(parent)
        await io(`create "${label}"`, () => mkdir(dirname(place), { recursive: true, mode: 0o755 }))
        await writeNew(place, reader.next(size, signal), modeOf(path), `${label}/${path}`)
      }
      await reader.pass(paddingAfter(size))
    }
    await reader.pass(TRAILER.length)
    if (reader.at !== file.size || reader.hex() !== digest) throw changed(source)
    for (const one of folders) await syncFolder(one)
  })
}

/** The bytes of a file from its beginning to its end, digested. */
class Reader {
  at = 0
  readonly #file: OpenFile
  readonly #hash: Hasher = hasher()
  readonly #buffer: Buffer

  constructor(file: OpenFile) {
    this.#file = file
    this.#buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, file.size))
  }

  /** So many bytes, each chunk in the place of the last. @throws RlpError CHANGED_WHILE_READING if there are fewer */
  async *next(bytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      refuseIfAborted(signal)
      const chunk = this.#buffer.subarray(0, Math.min(left, this.#buffer.length))
      const count = await readAt(this.#file, chunk, this.at)
      if (chunk.length === 0 || count < chunk.length) throw changed(this.#file.label)
      this.#hash.update(chunk)
      this.at += count
      left -= count
      yield chunk
    }
  }

  async pass(bytes: number, signal?: AbortSignal): Promise<void> {
    for await (const _ of this.next(bytes, signal));
  }

  hex(): string {
    return this.#hash.hex()
  }
}

/** A new file, synced. Its folder is not. */
async function writeNew(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  mode: number,
  label: string,
): Promise<void> {
  const doing = `write "${label}"`
  const handle = await io(doing, () => open(path, 'wx', mode))
  try {
    for await (const chunk of chunks) await io(doing, () => handle.writeFile(chunk))
    await io(doing, () => handle.sync())
  } finally {
    await handle.close()
  }
}

/** Syncs a file that is there. */
async function syncFile(path: string, label: string): Promise<void> {
  const doing = `write "${label}"`
  const handle: FileHandle = await io(doing, () => open(path, 'r+'))
  try {
    await io(doing, () => handle.sync())
  } finally {
    await handle.close()
  }
}
