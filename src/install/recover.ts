// Removes installed bundles, and finishes or undoes what an interrupted install or uninstall left in a root. It is called under the lock.
// The file of a bundle is removed last: until then it counts as installed, and the next run unpacks its folder again.

import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { StreamBlake3 } from '../io/bundle/bundle-bytes.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { io } from '../io/fail.ts'
import { entryAt } from '../io/read/entry.ts'
import { agentsIn, stagingPath } from '../io/root/install-root.ts'
import { readStamp, removeStamp, writeStamp } from '../io/root/own-folder.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { updateState } from '../io/state/change-state.ts'
import { readState } from '../io/state/state.ts'
import { syncFolder } from '../io/write/write-atomic.ts'
import { RlpError } from '../model/error.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import { swapFolder, unpack } from './place-bundle.ts'
import { hasFolder, installIn, settle } from './record.ts'

/** The state's view of agents in this root. */
interface Memory {
  /** Whether rlp installed it there, or began to. */
  knows(agent: string): Promise<boolean>
  /** The install, completed or announced, with this file. Undefined if the file is from another source. */
  recall(agent: string, fileDigest: string): Promise<Recalled | undefined>
  /** Records that the announced install took place, or removes the announcement. */
  settle(agent: string, fileDigest: string): Promise<void>
}

export interface Recalled {
  /** Whether the folder beside it was to be unpacked. */
  readonly unpacked: boolean
  /** Whether the previous bundle had an unpacked folder. */
  readonly hadFolder: boolean
}

/** Checks every file without a stamp, and repeats the steps after the swap. A folder is only unpacked from bytes that the state knows. */
export async function recover(root: Root, memory: Memory): Promise<void> {
  for (const agent of await agentsIn(root)) {
    if ((await readStamp(root.path, agent)) !== undefined || !(await memory.knows(agent))) continue
    const path = bundlePath(root, agent)
    const digest = new StreamBlake3()
    const { files, form, refusal } = await readBundle(path, { keep: 'parsed', plain: digest.add })
    if (refusal !== undefined || form !== 'archive') continue
    const fileDigest = digest.hex()
    const known = await memory.recall(agent, fileDigest)
    if (known === undefined) continue
    const { unpacked, hadFolder } = known
    if (unpacked) {
      const folder = join(stagingPath(root), `${agent}.again`)
      await unpack(
        { path, label: path, digest: fileDigest, files: files.list },
        folder,
        `${root.label}/${agent}`,
      )
      await swapFolder(root, agent, folder)
    } else if (hadFolder) await swapFolder(root, agent, undefined)
    await memory.settle(agent, fileDigest)
    await writeStamp(root.path, agent, { fileDigest, unpacked })
  }
}

/** What the state says of a root. That of another agent may be unusable: then only that agent’s root is left as it is. */
export function memoryOf(root: Root, current: string, home: string): Memory {
  return {
    async knows(agent) {
      try {
        return installIn(await readState(agent, home), root.path) !== undefined
      } catch (error) {
        if (!(error instanceof RlpError) || agent === current) throw error
        return false
      }
    },
    async recall(agent, fileDigest) {
      const state = await readState(agent, home)
      const install = installIn(state, root.path, fileDigest)
      return install && { unpacked: install.unpacked, hadFolder: hasFolder(state, root.path) }
    },
    async settle(agent, fileDigest) {
      await updateState(agent, state => settle(state, root.path, fileDigest), { home })
    },
  }
}

interface Removal {
  readonly agent: string
  /** Whether the folder was unpacked from the file. Any other folder stays. */
  readonly hasFolder: boolean
  /** Records that it is gone. */
  readonly forget: () => Promise<void>
}

/** Staging exists, is empty, and is ours; its maker removes what is moved there. */
export async function removeBundle(root: Root, removal: Removal): Promise<void> {
  // If nothing can be synced, fail before anything has changed.
  await syncFolder(stagingPath(root))
  for (const { run } of removalSteps(root, removal)) await run()
}

/** A crash may happen after each of them. */
export function removalSteps(
  root: Root,
  { agent, hasFolder, forget }: Removal,
): { readonly name: string; run(): Promise<void> }[] {
  return [
    { name: 'unstamp', run: () => removeStamp(root.path, agent, join(stagingPath(root), 'stamp')) },
    {
      name: 'remove-folder',
      async run() {
        if (hasFolder) await swapFolder(root, agent, undefined)
      },
    },
    {
      name: 'remove-file',
      async run() {
        const aside = join(stagingPath(root), 'bundle')
        if (entryAt(bundlePath(root, agent)) === undefined) return
        const evidence = besideBundle(bundlePath(root, agent))
        if (entryAt(evidence) !== undefined)
          await io(`remove "${root.label}/${agent}.agent.bundle.intoto.jsonl"`, () =>
            rename(evidence, join(stagingPath(root), 'attestations')),
          )
        await io(`remove "${root.label}/${agent}.agent.bundle"`, () => rename(bundlePath(root, agent), aside))
        await syncFolder(root.path)
      },
    },
    { name: 'forget', run: forget },
  ]
}
