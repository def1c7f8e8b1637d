// An archive that is not canonical → the reasons, in words. Nothing is unpacked, and none of its content is used.
import type { Duplex } from 'node:stream'
import { wrapperAt } from '../bundle/wrappers/index.ts'
import { chunksAt } from '../io/read/read-file.ts'
import { openerOf } from '../io/wrappers/index.ts'
import { RlpError } from '../model/error.ts'
import { Survey } from './survey-archive.ts'

/**
 * @returns sentences, the most important first; none if `tar` cannot read it
 * @throws RlpError if the file cannot be read
 */
export async function foreignReasons(path: string, label: string): Promise<string[]> {
  const chunks = chunksAt(path, { follow: true, label })
  const survey = new Survey()
  try {
    const first = await chunks.next()
    if (first.done) return []
    const all = joined(first.value, chunks)
    const wrapper = wrapperAt(first.value)
    if (wrapper !== undefined) await inflate(all, (await openerOf(wrapper)).lenient(), survey)
    else for await (const chunk of all) if (!survey.push(chunk)) break
    return survey.reasons()
  } finally {
    await chunks.return(undefined)
  }
}

/** The same for a hint after the verdict: a file that has changed since then gets none. */
export async function looksForeign(path: string, label: string): Promise<boolean> {
  try {
    return (await foreignReasons(path, label)).length > 0
  } catch (error) {
    if (error instanceof RlpError) return false
    throw error
  }
}

async function* joined(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/** Stops at the first damage: the reasons found so far are still useful. */
async function inflate(chunks: AsyncIterable<Uint8Array>, inflated: Duplex, survey: Survey): Promise<void> {
  let isOver = false
  // Attached before the first write: with bytes behind its last member, it ends before all of them are written.
  const over = new Promise<void>(resolve => {
    const stop = () => {
      isOver = true
      resolve()
    }
    inflated.on('data', (piece: Buffer) => {
      if (!isOver && !survey.push(piece)) stop()
    })
    for (const event of ['error', 'end', 'close']) inflated.on(event, stop)
  })
  try {
    for await (const chunk of chunks) {
      if (isOver) return
      // Copied: the buffer is reused before it was read.
      if (!inflated.write(Buffer.from(chunk)))
        await Promise.race([new Promise(resolve => inflated.once('drain', resolve)), over])
    }
    inflated.end()
    await over
  } finally {
    inflated.destroy()
  }
}
