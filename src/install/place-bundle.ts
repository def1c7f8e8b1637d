// A verified bundle's archive → the file in its root, and the folder beside it, in steps between which a crash may happen. One rename swaps
// the file; the next run finishes what is left after it (recover.ts).
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { io } from '../io/fail.ts'
import { entryAt } from '../io/read/entry.ts'
import { stagingPath } from '../io/root/install-root.ts'
import { removeStamp, restoreStamp, writeStamp } from '../io/root/own-folder.ts'
import { bundlePath, folderPath, type Root } from '../io/root/root-places.ts'
import { discard, refuseIfAborted, syncFolder } from '../io/write/write-atomic.ts'
import type { JudgedArchive } from './incoming.ts'
import { statementsLabel, swapStatements } from './place-statements.ts'
import { syncFile, unpack, writeNew } from './unpack.ts'

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

export interface PlacingStep {
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
