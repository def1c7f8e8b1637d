// Traces of calls (docs/trace.md): writes two frames for each call, the first before the tool runs, and reads them back. Each line has a
// hash that covers the line before it, so that changing, dropping or moving a line is noticed.
import { blake3Hex } from '../bundle/blake3.ts'
import { serialize } from '../contract/serialize.ts'
import { withMutex } from '../io/mutex.ts'
import { readLines } from '../io/read/bounded.ts'
import { entryAt } from '../io/read/entry.ts'
import type { Setting } from '../io/setting.ts'
import { type LineLog, openLines } from '../io/write/append-log.ts'
import { closed, flag, ReadProblem, text } from '../json/read.ts'
import { RlpError } from '../model/error.ts'
import { TRACE_LINE_BYTES } from '../model/limits.ts'
import type { Enforced } from '../model/sandbox.ts'
import type { JsonSchema } from '../model/tools.ts'
import {
  type AnswerBody,
  type CallPayload,
  FRAMES,
  type FrameName,
  type ResultPayload,
  type TraceFrame,
} from '../model/trace.ts'
import { decodeText } from '../text/decode.ts'
import { digestText } from '../text/digest-text.ts'
import type { LabelledFile } from '../verb/kinds/paths.ts'
import { bundleIdentity } from '../version/reference.ts'
import type { CallableAgent, CallRecord, CallStart } from './context.ts'

/** A line with its newline, and the hash for the next one. */
interface WrittenFrame {
  readonly line: string
  readonly hash: string
}

/** @param previous the hash of the line before; empty before the first line */
export function writeFrame(frame: TraceFrame, previous: string): WrittenFrame {
  const hash = hashOf(frame, previous)
  const { contentType, type } = FRAMES[frame.frame]
  return { line: `${serialize({ ...frame, content_type: contentType, type, hash })}\n`, hash }
}

/**
 * @param line without its newline
 * @throws ReadProblem whose message continues a sentence that begins with the line's number
 */
export function readFrame(line: Uint8Array, previous: string): { frame: TraceFrame; hash: string } {
  const decoded = decodeText(line, TRACE_LINE_BYTES)
  if (!decoded.ok) {
    const isText = decoded.problem.code !== 'encoding'
    throw new ReadProblem(
      isText ? `it is empty, or has more than ${TRACE_LINE_BYTES} bytes` : 'it is not UTF-8',
    )
  }
  const value = parse(decoded.text)
  const members = closed(value, 'it', ['content_type', 'frame', 'hash', 'payload', 'ts', 'type'])
  // Only one spelling is accepted, so that two readers cannot differ: no duplicate keys, no other form of a number.
  if (serialize(value) !== decoded.text) throw new ReadProblem('it is not written as rlp writes it')
  const name = members['frame']
  if (!isFrameName(name)) throw new ReadProblem('it is no frame that this build knows')
  const { contentType, type } = FRAMES[name]
  if (members['content_type'] !== contentType || members['type'] !== type)
    throw new ReadProblem(`its content type is not that of ${name}`)
  const ts = text(members['ts'], 'ts')
  const frame: TraceFrame =
    name === 'CT_TOOL_CALL'
      ? { frame: name, ts, payload: readCall(members['payload']) }
      : { frame: name, ts, payload: readResult(members['payload']) }
  const hash = hashOf(frame, previous)
  if (hash !== members['hash']) throw new ReadProblem('it was changed, or does not follow the line before it')
  return { frame, hash }
}

/**
 * `blake3:` and the digest of several texts. Each is preceded by its length in UTF-8 bytes (u64, big-endian): otherwise different texts
 * could have the same digest.
 */
export function digestOf(...parts: readonly string[]): string {
  const bytes = parts.flatMap(part => {
    const content = Buffer.from(part, 'utf8')
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(content.length))
    return [length, content]
  })
  return digestText(blake3Hex(Buffer.concat(bytes)))
}

/** The answer of a call without its time and name, so that equal answers are equal. */
export function answerDigest({ tool }: Pick<ResultPayload, 'tool'>, answer: AnswerBody): string {
  const body = answer.ok ? { result: answer.result, warnings: answer.warnings ?? [] } : answer.error
  return digestOf('rlp-tool-answer-v1', tool, String(answer.ok), serialize(body))
}

function hashOf({ frame, ts, payload }: TraceFrame, previous: string): string {
  return digestOf('rlp-trace-v1', previous, frame, ts, serialize(payload))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new ReadProblem('it is no JSON')
    throw error
  }
}

function isFrameName(name: unknown): name is FrameName {
  return typeof name === 'string' && Object.hasOwn(FRAMES, name)
}

function readCall(value: unknown): CallPayload {
  const members = [
    'v',
    'call_id',
    'tool',
    'arguments',
    'input_schema',
    'bundle',
    'attempt',
    'result_schema',
    'tags?',
    'given?',
    'changed_fields?',
  ]
  const payload = closed(value, 'payload', members)
  return {
    ...readCommon(payload),
    arguments: payload['arguments'],
    ...('given' in payload && { given: payload['given'] }),
    ...('changed_fields' in payload && {
      changed_fields: texts(payload['changed_fields'], 'payload.changed_fields'),
    }),
    input_schema: textOrNull(payload['input_schema'], 'payload.input_schema'),
    result_schema: textOrNull(payload['result_schema'], 'payload.result_schema'),
    ...('tags' in payload && { tags: texts(payload['tags'], 'payload.tags') }),
    bundle: textOrNull(payload['bundle'], 'payload.bundle'),
    attempt: count(payload['attempt'], 'payload.attempt'),
  }
}

function readResult(value: unknown): ResultPayload {
  const common = ['v', 'call_id', 'tool', 'ok', 'duration_ms', 'replayed', 'whole?', 'enforced?']
  const payload = closed(value, 'payload', [...common, ...bodyMembers(value)])
  return {
    ...readCommon(payload),
    duration_ms: count(payload['duration_ms'], 'payload.duration_ms'),
    replayed: flag(payload['replayed'], 'payload.replayed'),
    ...('enforced' in payload && { enforced: readEnforced(payload['enforced']) }),
    ...('whole' in payload && { whole: readWhole(payload['whole']) }),
    ...readBody(payload, 'payload'),
  }
}

/** Words of other builds are kept: nothing is decided by them. */
function readEnforced(value: unknown): Enforced {
  const at = 'payload.enforced'
  const members = closed(value, at, ['by', 'exec', 'files', 'limits', 'network'])
  for (const [name, word] of Object.entries(members)) text(word, `${at}.${name}`)
  return members as unknown as Enforced
}

function readWhole(value: unknown): AnswerBody {
  const at = 'payload.whole'
  return readBody(closed(value, at, ['ok', ...bodyMembers(value)]), at)
}

function bodyMembers(value: unknown): readonly string[] {
  const isOk = typeof value === 'object' && value !== null && Reflect.get(value, 'ok') === true
  return isOk ? ['result', 'warnings?'] : ['error']
}

function readBody(body: Readonly<Record<string, unknown>>, at: string): AnswerBody {
  if (body['ok'] === true) {
    const warnings = body['warnings']
    const said = warnings === undefined ? {} : { warnings: texts(warnings, `${at}.warnings`) }
    return { ok: true, result: body['result'], ...said }
  }
  const error = body['error']
  if (body['ok'] !== false) throw new ReadProblem(`${at}.ok is neither true nor false`)
  if (typeof error !== 'object' || error === null || Array.isArray(error))
    throw new ReadProblem(`${at}.error is no object`)
  return { ok: false, error: error as { readonly [name: string]: unknown } }
}

function readCommon(payload: Readonly<Record<string, unknown>>) {
  if (payload['v'] !== 1) throw new ReadProblem('payload.v is a version that this build does not know')
  const call_id = text(payload['call_id'], 'payload.call_id')
  return { v: 1 as const, call_id, tool: text(payload['tool'], 'payload.tool') }
}

function texts(value: unknown, at: string): readonly string[] {
  if (Array.isArray(value) && value.every(one => typeof one === 'string')) return value
  throw new ReadProblem(`${at} is no list of texts`)
}

function textOrNull(value: unknown, at: string): string | null {
  return value === null ? null : text(value, at)
}

function count(value: unknown, at: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new ReadProblem(`${at} is no count`)
}

/** How a line is read: `readFrame` of src/call/trace.ts. */
type ReadFrame = (line: Uint8Array, previous: string) => { frame: TraceFrame; hash: string }

interface ReadTrace {
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

/** As {@link CallPayload.bundle}. */
export function bundleDigest({ bundle }: Pick<CallableAgent, 'bundle'>): string | null {
  return bundle === null ? null : bundleIdentity(bundle)
}

/** As {@link CallPayload.input_schema}. The bundle's digest covers the targets of its references. */
export function schemaDigest(schema: JsonSchema): string {
  return digestText(blake3Hex(new TextEncoder().encode(serialize(schema))))
}

export function callFrame(call: CallStart): TraceFrame {
  const payload: CallPayload = {
    v: 1,
    call_id: call.callId,
    tool: call.toolId,
    arguments: call.arguments,
    ...(call.mended && { given: call.mended.given, changed_fields: call.mended.fields }),
    input_schema: call.tool === undefined ? null : schemaDigest(call.tool.inputSchema),
    result_schema: call.tool === undefined ? null : schemaDigest(call.tool.resultSchema),
    ...(call.tags.length > 0 && { tags: call.tags }),
    bundle: bundleDigest(call.agent),
    attempt: call.attempt,
  }
  return { frame: 'CT_TOOL_CALL', ts: call.startedAt.toISOString(), payload }
}

export function resultFrame(call: CallRecord): Extract<TraceFrame, { frame: 'CT_TOOL_RESULT' }> {
  const { envelope, startedAt, durationMs } = call
  const ts = new Date(startedAt.getTime() + durationMs).toISOString()
  const whole = call.whole && bodyOf(call.whole)
  const payload = { ...resultPayload(call, envelope), ...(whole && { whole }) }
  return { frame: 'CT_TOOL_RESULT', ts, payload }
}

function resultPayload(call: CallRecord, envelope: CallRecord['envelope']): ResultPayload {
  const { callId: call_id, toolId: tool, durationMs } = call
  const about = {
    v: 1,
    call_id,
    tool,
    duration_ms: Math.max(0, Math.round(durationMs)),
    replayed: false,
    ...(call.enforced && { enforced: call.enforced }),
  } as const
  return { ...about, ...bodyOf(envelope) }
}

function bodyOf(envelope: CallRecord['envelope']): AnswerBody {
  if (envelope.ok) {
    const { result, warnings } = envelope
    return { ok: true, result, ...(warnings && { warnings }) }
  }
  const { ok: _, tool: __, ...error } = envelope
  return { ok: false, error }
}

interface CallTrace {
  begin(call: CallStart): Promise<void>
  end(call: CallRecord): Promise<void>
  close(): Promise<void>
}

/** @param file undefined if nothing is recorded */
export async function openCallTrace(
  file: LabelledFile | undefined,
  { signal }: Pick<Setting, 'signal'>,
): Promise<CallTrace> {
  if (file === undefined) return NO_TRACE
  const format = { read: readFrame, write: writeFrame }
  const log: TraceLog = await openTrace(file.path, file.label, format, signal)
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
  readonly write: typeof writeFrame
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
