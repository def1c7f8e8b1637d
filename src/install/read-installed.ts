// Reads an installed agent exactly as `verify` reads a bundle. A root may be looked at without its lock, while another run is changing it.

import { join } from 'node:path'
import { outline, readInTurns } from '../agent/read-in-turns.ts'
import { hasher } from '../bundle/blake3.ts'
import { readableMay } from '../inspect/diff.ts'
import { StreamBlake3 } from '../io/bundle/bundle-bytes.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { chunksAt } from '../io/read/read-file.ts'
import { look } from '../io/root/install-root.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { DiskState, FileOnDisk } from '../model/install.ts'
import type { AgentState } from '../model/state.ts'
import { referenceText } from '../version/reference.ts'
import { hasFolder, installIn } from './record.ts'

/**
 * @param state of the agent
 * @param holdsLock whether we hold the lock of the root, and have cleared away what an interrupted run left
 */
export async function diskStateOf(root: Root, state: AgentState, holdsLock: boolean): Promise<DiskState> {
  const { agent } = state
  const { file, folder, isSettled } = await look(root, agent, hasFolder(state, root.path), holdsLock)
  const there = file === 'file' ? await fileOf(root, state) : { is: file }
  return { root: root.path, file: there, folder, isSettled }
}

/** A damaged file, or another agent’s, cannot be compared with. */
async function fileOf(root: Root, state: AgentState): Promise<FileOnDisk> {
  const { agent } = state
  const path = bundlePath(root, agent)
  const plain = new StreamBlake3()
  const candidate = await readBundle(path, { keep: 'parsed', plain: plain.add })
  const turn = turnsOf(`reading "${agent}"`, undefined)
  const { agent: found, files, refusal } = await outline(candidate, turn)
  const { name, variant, version } = (refusal === undefined ? found.manifest : {}) ?? {}
  const manifestDigest = files.get(MANIFEST_FILE)?.digest
  if (name === undefined || version === undefined || manifestDigest === undefined)
    return { is: 'something-else' }
  if (referenceText({ name, variant }) !== agent) return { is: 'something-else' }
  const about = { is: 'bundle', version, manifestDigest, fileDigest: await digestOf(path) } as const
  const record = installIn(state, root.path, about.fileDigest)
  // An older version that a flag has let in was trusted but for its age.
  const isVouched = record?.verdict === 'trusted' || record?.verdict === 'rolled_back'
  if (!isVouched || plain.hex() !== about.fileDigest) return about
  const permissions = readableMay(await readInTurns(files, path, 'bundle', turn))
  return { ...about, permissions }
}

async function digestOf(path: string): Promise<string> {
  const hash = hasher()
  for await (const chunk of chunksAt(path, { follow: false })) hash.update(chunk)
  return hash.hex()
}

/**
 * The result of `look` without the lock. Undefined if it fails while another run may be in the middle of its steps: then only the holder
 * of the lock can judge.
 */
export async function unlessBusy<T>(root: Root, look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof RlpError) || entryOrNothing(join(root.path, '.rlp')) === undefined) throw error
    return undefined
  }
}
