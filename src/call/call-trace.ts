// --trace FILE: two frames for each call, the first before the tool runs.
import { resolve } from 'node:path'
import { expandHome } from '../io/home.ts'
import type { Setting } from '../io/setting.ts'
import type { CallRecord, CallStart } from './context.ts'
import { readFrame, writeFrame } from './trace.ts'
import { openTrace, type TraceLog } from './trace-log.ts'
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
  const log: TraceLog = await openTrace(resolve(io.cwd, expandHome(path)), path, format, io.signal)
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
