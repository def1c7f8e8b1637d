// What an interrupted install or uninstall left in a root → as if it had ended, or had never begun. Called with the lock held.
import { join } from 'node:path'
import { archiveDigest, type WholeFile } from '../format/archive/writer.ts'
import { agentsIn, bundlePath, type Root, stagingPath } from '../io/install-root.ts'
import { readBundle } from '../io/read-bundle.ts'
import { readStamp, writeStamp } from '../io/stamp.ts'
import type { Files } from '../model/files.ts'
import { swapFolder } from './place-bundle.ts'
import { unpack } from './unpack.ts'

/** What the state says of an agent in this root. */
export interface Memory {
  /** Whether rlp has put it there, or has begun to. */
  knows(agent: string): Promise<boolean>
  /** The install, settled or announced, that this file is. Undefined when somebody else has put the file there. */
  recall(agent: string, fileDigest: string): Promise<Recalled | undefined>
  /** Writes down that it took place, or forgets what was announced and did not. */
  settle(agent: string, fileDigest: string): Promise<void>
}

export interface Recalled {
  /** Whether the folder beside it was to be derived. */
  readonly unpacked: boolean
  /** Whether one was derived from the bundle before it. */
  readonly hadFolder: boolean
}

/**
 * Every file without a stamp is looked at, and what an install does after the swap is done again: the folder is derived from the bytes
 * that the state knows, and from no others.
 */
export async function recover(root: Root, memory: Memory): Promise<void> {
  for (const agent of await agentsIn(root)) {
    if ((await readStamp(root.path, agent)) !== undefined || !(await memory.knows(agent))) continue
    const { files, refusal } = await readBundle(bundlePath(root, agent), { keep: 'all' })
    if (refusal !== undefined) continue
    const whole = wholeFiles(files)
    const fileDigest = archiveDigest(whole)
    const known = await memory.recall(agent, fileDigest)
    if (known === undefined) continue
    const { unpacked, hadFolder } = known
    if (unpacked) {
      const folder = join(stagingPath(root), `${agent}.again`)
      await unpack(whole, folder, `${root.label}/${agent}`)
      await swapFolder(root, agent, folder)
    } else if (hadFolder) await swapFolder(root, agent, undefined)
    await memory.settle(agent, fileDigest)
    await writeStamp(root.path, agent, { fileDigest, unpacked })
  }
}

/** @param files read with `keep: 'all'` */
export function wholeFiles({ list }: Files): WholeFile[] {
  return list.map(({ path, content }) => {
    if (content === undefined) throw new TypeError('the content of this entry was not kept')
    return { path, content }
  })
}
