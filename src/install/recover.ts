// Traces of an interrupted install or uninstall in a root → as if it had ended, or never begun. Called under the lock.
import { join } from 'node:path'
import { PlainDigest } from '../io/bundle/bundle-bytes.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { agentsIn, stagingPath } from '../io/root/install-root.ts'
import { readStamp, writeStamp } from '../io/root/own-folder.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { swapFolder } from './place-bundle.ts'
import { unpack } from './unpack.ts'

/** The state's view of agents in this root. */
export interface Memory {
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
    const digest = new PlainDigest()
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
