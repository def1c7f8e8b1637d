// Another user who never stops changing a file or a folder while rlp reads it: a thread of its own, so that it does so in the middle of everything.
import { Worker } from 'node:worker_threads'

export type Change = FileChange | FolderChange

/** A folder that is a link to another one half of the time. */
interface FolderChange {
  readonly path: string
  readonly how: 'link'
  /** Where the link leads. */
  readonly target: string
  /** Where the folder is meanwhile. */
  readonly away: string
}

interface FileChange {
  readonly path: string
  /** The contents between which it changes. */
  readonly contents: readonly Uint8Array[]
  /**
   * `rename`: each appears whole. `in-place`: the file is written over, so that halves of both are there for a moment. `shrink`: it is
   * cut off and written again.
   */
  readonly how: 'rename' | 'in-place' | 'shrink'
}

/** Plain JavaScript: a worker that is started from text needs nothing else. */
const CODE = `
  const { workerData } = require('node:worker_threads')
  const { closeSync, ftruncateSync, openSync, renameSync, symlinkSync, unlinkSync, writeFileSync, writeSync } = require('node:fs')
  const { changes, stop, rounds } = workerData
  for (let round = 0; Atomics.load(stop, 0) === 0; round++) {
    for (const { path, contents, how, target, away } of changes) {
      if (how === 'link') {
        renameSync(path, away)
        symlinkSync(target, path)
        if (round % 3 === 0) Atomics.wait(stop, 0, 0, 1)
        unlinkSync(path)
        renameSync(away, path)
        continue
      }
      const bytes = contents[round % contents.length]
      if (how === 'rename') {
        writeFileSync(path + '.next', bytes)
        renameSync(path + '.next', path)
        continue
      }
      const file = openSync(path, 'r+')
      if (how === 'shrink') ftruncateSync(file, bytes.length >> 1)
      const half = Math.min(bytes.length, (bytes.length >> 1) + (round % 512))
      writeSync(file, bytes, 0, half, 0)
      writeSync(file, bytes, half, bytes.length - half, half)
      ftruncateSync(file, bytes.length)
      closeSync(file)
    }
    Atomics.add(rounds, 0, 1)
    // Now and then it rests, so that readers also see what does not change.
    if (round % 7 === 0) Atomics.wait(stop, 0, 0, round % 5)
  }
`

/** Lets `work` run while the files change, and says how often they did. */
export async function whileChanging(changes: readonly Change[], work: () => Promise<void>): Promise<number> {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const rounds = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(CODE, { eval: true, workerData: { changes, stop, rounds } })
  const ended = new Promise<void>((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })
  // Not before it has begun.
  while (Atomics.load(rounds, 0) === 0)
    await Promise.race([new Promise(resolve => setTimeout(resolve, 1)), ended])
  try {
    await work()
  } finally {
    Atomics.store(stop, 0, 1)
    Atomics.notify(stop, 0)
    await ended
  }
  return Atomics.load(rounds, 0)
}
