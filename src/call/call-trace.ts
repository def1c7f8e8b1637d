// --trace FILE: two frames for each call, the first before the tool runs.
import { namedPath } from '../io/home.ts'
import { withMutex } from '../io/mutex/mutex.ts'
import { entryAt } from '../io/read/entry.ts'
import type { Setting } from '../io/setting.ts'
import { type LineLog, openLines } from '../io/write/append-lines.ts'
import type { TraceFrame } from '../model/trace.ts'
import type { CallRecord, CallStart } from './context.ts'
import { type ReadFrame, readTrace } from './read-trace.ts'
import { readFrame, writeFrame } from './trace.ts'
import { callFrame, resultFrame } from './traced.ts'

export interface CallTrace {
  begin(call: CallStart): Promise<void>
  end(call: CallRecord): Promise<void>
  close(): Promise<void>
}

/** @param path undefined if nothing is recorded */
export async function openCallTrace(
  path: string | undefined,
  io: Pick<Setting, 'cwd' | 'signal'>,
): Promise<CallTrace> {
  if (path === undefined) return NO_TRACE
  const format = { read: readFrame, write: writeFrame }
  const log: TraceLog = await openTrace(namedPath(path, io.cwd), path, format, io.signal)
  const begun = new Set<string>()
  const begin = async (call: CallStart): Promise<void> => {
    begun.add(call.callId)
    await log.append(callFrame(call))
  }
  return {
    begin,
    async end(call) {
      // A call that was refused before it ran still needs its first frame.
      if (!begun.delete(call.callId)) {
        await begin(call)
        begun.delete(call.callId)
      }
      await log.append(resultFrame(call))
    },
    close: () => log.close(),
  }
}

const NO_TRACE: CallTrace = { begin: async () => {}, end: async () => {}, close: async () => {} }

/** An open trace. The caller closes it. */
interface TraceLog {
  append(frame: TraceFrame): Promise<void>
  close(): Promise<void>
}

/** `readFrame` and `writeFrame` of src/call/trace.ts. */
interface FrameFormat {
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
