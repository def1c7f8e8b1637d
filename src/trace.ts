// Frames of a trace ↔ lines of NDJSON. Each line's hash covers the line before it: none can be changed, dropped or moved unnoticed.
import { serialize } from './contract/serialize.ts'
import { blake3Hex } from './format/blake3.ts'
import { closed, flag, ReadProblem, text } from './format/json/read.ts'
import { decodeText } from './format/text/decode.ts'
import {
  type CallPayload,
  FRAMES,
  type FrameName,
  type ResultPayload,
  type TraceFrame,
} from './model/trace.ts'

/** What stands before the first line. */
export const TRACE_START = ''

/** Bytes of one line: arguments and results are bounded far below. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024

/** A line with its newline, and what the next one follows. */
export interface WrittenFrame {
  readonly line: string
  readonly hash: string
}

export function writeFrame(frame: TraceFrame, previous: string): WrittenFrame {
  const hash = hashOf(frame, previous)
  const { contentType, type } = FRAMES[frame.frame]
  return { line: `${serialize({ ...frame, content_type: contentType, type, hash })}\n`, hash }
}

/**
 * @param line without its newline
 * @throws ReadProblem whose message ends a sentence that begins with the line's number
 */
export function readFrame(line: Uint8Array, previous: string): { frame: TraceFrame; hash: string } {
  const decoded = decodeText(line, MAX_FRAME_BYTES)
  if (!decoded.ok) {
    const isText = decoded.problem.code !== 'encoding'
    throw new ReadProblem(isText ? 'it is empty or too long' : 'it is not UTF-8')
  }
  const value = parse(decoded.text)
  const members = closed(value, 'it', ['content_type', 'frame', 'hash', 'payload', 'ts', 'type'])
  // Two readers of one line must not differ, so there is one way to write it: no duplicate keys, no other spelling of a number.
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
 * `blake3:` and the digest of several texts. Each is preceded by its length in UTF-8 bytes (u64, big-endian): without that, other texts
 * would have the same digest (systems reference §3c no. 22).
 */
export function digestOf(...parts: readonly string[]): string {
  const bytes = parts.flatMap(part => {
    const content = Buffer.from(part, 'utf8')
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(content.length))
    return [length, content]
  })
  return `blake3:${blake3Hex(Buffer.concat(bytes))}`
}

/** What a call answered, without its time and its name: the same for two runs that say the same. */
export function answerDigest(payload: ResultPayload): string {
  const body = payload.ok ? { result: payload.result, warnings: payload.warnings ?? [] } : payload.error
  return digestOf('rlp-tool-answer-v1', payload.tool, String(payload.ok), serialize(body))
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
    'result_schema?',
    'tags?',
  ]
  const payload = closed(value, 'payload', members)
  return {
    ...readCommon(payload),
    arguments: payload['arguments'],
    input_schema: textOrNull(payload['input_schema'], 'payload.input_schema'),
    ...('result_schema' in payload && {
      result_schema: textOrNull(payload['result_schema'], 'payload.result_schema'),
    }),
    ...('tags' in payload && { tags: texts(payload['tags'], 'payload.tags') }),
    bundle: textOrNull(payload['bundle'], 'payload.bundle'),
    attempt: count(payload['attempt'], 'payload.attempt'),
  }
}

function readResult(value: unknown): ResultPayload {
  const common = ['v', 'call_id', 'tool', 'ok', 'duration_ms', 'replayed']
  const isOk = typeof value === 'object' && value !== null && Reflect.get(value, 'ok') === true
  const payload = closed(value, 'payload', [...common, ...(isOk ? ['result', 'warnings?'] : ['error'])])
  const about = {
    ...readCommon(payload),
    duration_ms: count(payload['duration_ms'], 'payload.duration_ms'),
    replayed: flag(payload['replayed'], 'payload.replayed'),
  }
  if (isOk) {
    const warnings = payload['warnings']
    const said = warnings === undefined ? {} : { warnings: texts(warnings, 'payload.warnings') }
    return { ...about, ok: true, result: payload['result'], ...said }
  }
  const error = payload['error']
  if (payload['ok'] !== false) throw new ReadProblem('payload.ok is neither true nor false')
  if (typeof error !== 'object' || error === null || Array.isArray(error))
    throw new ReadProblem('payload.error is no object')
  return { ...about, ok: false, error: error as { readonly [name: string]: unknown } }
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
