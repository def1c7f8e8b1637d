// Frames of a trace ↔ lines of NDJSON. Each line's hash covers the line before it, so that changing, dropping or moving a line is noticed
// (docs/trace.md).

import { blake3Hex } from '../bundle/blake3.ts'
import { serialize } from '../contract/serialize.ts'
import { closed, ReadProblem, text } from '../json/read.ts'
import { TRACE_LINE_BYTES } from '../model/limits.ts'
import {
  type AnswerBody,
  FRAMES,
  type FrameName,
  type ResultPayload,
  type TraceFrame,
} from '../model/trace.ts'
import { decodeText } from '../text/decode.ts'
import { digestText } from '../text/digest-text.ts'
import { readCall, readResult } from './trace-payload.ts'

/** A line with its newline, and the hash for the next one. */
export interface WrittenFrame {
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
