// A trace on disk → its frames, each checked against the one before it.

import { readLines } from '../io/read/read-lines.ts'
import { ReadProblem } from '../json/read.ts'
import { RlpError } from '../model/error.ts'
import { TRACE_LINE_BYTES } from '../model/limits.ts'
import type { TraceFrame } from '../model/trace.ts'

/** How a line is read: `readFrame` of src/call/trace.ts. */
export type ReadFrame = (line: Uint8Array, previous: string) => { frame: TraceFrame; hash: string }

export interface ReadTrace {
  readonly frames: readonly TraceFrame[]
  /** Of the last frame; the next frame continues from it. */
  readonly hash: string
  /** Bytes up to the end of the last frame. */
  readonly bytes: number
  /** Whether an unfinished line follows: its writer was stopped. */
  readonly isCutOff: boolean
}

/** @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE for a file that is not a trace, or one that was changed */
export async function readTrace(path: string, label: string, readFrame: ReadFrame): Promise<ReadTrace> {
  const frames: TraceFrame[] = []
  let trace = { hash: '', bytes: 0, isCutOff: false }
  for await (const { bytes, isWhole } of readLines(path, label, TRACE_LINE_BYTES)) {
    if (!isWhole && frames.length > 0) {
      trace = { ...trace, isCutOff: true }
      break
    }
    const read = frameOf(bytes, trace.hash, readFrame, label, frames.length + 1)
    frames.push(read.frame)
    trace = { hash: read.hash, bytes: trace.bytes + bytes.length + 1, isCutOff: false }
  }
  return { frames, ...trace }
}

function frameOf(
  bytes: Uint8Array,
  previous: string,
  readFrame: ReadFrame,
  label: string,
  line: number,
): ReturnType<ReadFrame> {
  try {
    return readFrame(bytes, previous)
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    throw new RlpError(
      'WRONG_FILE_TYPE',
      `Cannot read the trace "${label}": line ${line}: ${error.message}`,
      {
        hint:
          line === 1
            ? 'Name a file that rlp tool call --trace has written'
            : 'Use the file as it was written',
        cause: error,
      },
    )
  }
}
