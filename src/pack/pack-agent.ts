// An agent's folder, or a foreign archive of one → its bundle on disk.

import { dirname, join, resolve } from 'node:path'
import { archiveBytes } from '../format/archive/writer.ts'
import { WRAPPERS } from '../format/wrappers/index.ts'
import { counting } from '../io/bundle/bundle-bytes.ts'
import type { Target } from '../io/find/find-agents.ts'
import { gzip } from '../io/gzip/write-gzip.ts'
import type { Setting } from '../io/setting.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import type { DigestChange } from './digest.ts'
import { bundleFileName, pack } from './pack.ts'
import { refuseInside, refuseToLose, refuseTwice } from './place.ts'
import { readPackable } from './source.ts'

export interface Packed {
  /** As the caller called it. */
  readonly agent: string
  /** The bundle's file, as the caller called it or below `outDir`. */
  readonly bundle: string
  readonly files: number
  /** Of the archive before compression. */
  readonly bytes: number
  /** BLAKE3 of the manifest, lower-case hex: the bundle’s identity. */
  readonly manifestDigest: string
  /** How many warnings lint has; errors stop it. */
  readonly warnings: number
  /** Of a foreign archive: the digests that its manifest did not have right, and that were written. */
  readonly digests?: readonly DigestChange[]
}

/** What a job that packs is told. */
export interface Packing {
  /** In the caller's words. */
  readonly out: string | undefined
  readonly outDir: string
  readonly gzip: boolean
  readonly force: boolean
  /** Files that were written before in the same run, with the agent each was made of. */
  readonly written: Map<string, string>
  /** Called with the whole bundle in a temporary file, and with what it will be called. Throwing keeps what is there. */
  readonly before?: (temporary: string, bundle: Target) => Promise<void>
}

export async function packAgent(target: Target, packing: Packing, io: Setting): Promise<Packed> {
  const { label } = target
  const { agent, findings, changes } = await readPackable(target, { signal: io.signal })
  const { files } = agent
  const name = `${bundleFileName(agent)}${packing.gzip ? WRAPPERS.gzip.ending : ''}`
  const out = packing.out ?? join(packing.outDir, name)
  const path = resolve(io.cwd, out)
  refuseTwice(packing.written, path, out, label)
  refuseInside(target, path, out)
  await refuseToLose(path, out, packing.force)
  const undo = await makeParents(dirname(path))
  const bytes = archiveBytes(files.list)
  const packed = pack(agent)
  const archive = io.onProgress ? counting(packed, label, bytes, io.onProgress) : packed
  try {
    await writeAtomic(path, packing.gzip ? gzip(archive) : archive, {
      ...{ label: out, signal: io.signal },
      before: async temporary => packing.before?.(temporary, { path, label: out }),
    })
  } catch (error) {
    await undo()
    throw error
  }
  return {
    agent: label,
    bundle: out,
    files: files.list.length,
    bytes,
    manifestDigest: files.get(MANIFEST_FILE)?.digest ?? '',
    warnings: findings.filter(({ severity }) => severity === 'warning').length,
    ...(changes && { digests: changes }),
  }
}
