// Frames → the end of a trace, one writer at a time, each frame linked to the one before.

import { withMutex } from '../io/mutex/mutex.ts'
import { entryAt } from '../io/read/entry.ts'
import { type LineLog, openLines } from '../io/write/append-lines.ts'
import type { TraceFrame } from '../model/trace.ts'
import { type ReadFrame, readTrace } from './read-trace.ts'

/** An open trace. The caller closes it. */
export interface TraceLog {
  append(frame: TraceFrame): Promise<void>
  close(): Promise<void>
}

/** `readFrame` and `writeFrame` of src/call/trace.ts. */
export interface FrameFormat {
  readonly read: ReadFrame
  readonly write: (frame: TraceFrame, previous: string) => { readonly line: string; readonly hash: string }
}

/**
 * Opens a trace for writing; creates a missing file. Cuts off an unfinished last line of a writer that was stopped.
 * @throws RlpError WRONG_FILE_TYPE for a file that is not a trace, EXISTS while another rlp writes to it, NO_PERMISSION, CANCELLED
 */
export async function openTrace(
  path: string,
  label: string,
  format: FrameFormat,
  signal: AbortSignal,
): Promise<TraceLog> {
  const release = await hold(`${path}.lock`, `record to "${label}"`, signal)
  try {
    // First, because it refuses links and pipes, before anything is read or cut off.
    const lines = await openLines(path, label)
    let hash = await lastHash(path, label, format, lines).catch(async error => {
      await lines.close()
      throw error
    })
    // Calls may overlap, frames must not: each waits for the one before it.
    let last: Promise<void> = Promise.resolve()
    return {
      append(frame) {
        last = last.then(async () => {
          const written = format.write(frame, hash)
          await lines.append(written.line)
          hash = written.hash
        })
        return last
      },
      async close() {
        await lines.close()
        await release()
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}

async function lastHash(path: string, label: string, format: FrameFormat, lines: LineLog): Promise<string> {
  const entry = entryAt(path)
  if (entry === undefined || (entry.isFile() && entry.size === 0)) return ''
  const { hash, bytes, isCutOff } = await readTrace(path, label, format.read)
  if (isCutOff) await lines.truncate(bytes)
  return hash
}

/** Takes the lock; returns the function that releases it. */
function hold(path: string, what: string, signal: AbortSignal): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    let letGo: () => void = () => {}
    const until = new Promise<void>(done => {
      letGo = done
    })
    const held: Promise<void> = withMutex(
      path,
      what,
      () => {
        resolve(async () => {
          letGo()
          await held
        })
        return until
      },
      signal,
    )
    held.catch(reject)
  })
}
