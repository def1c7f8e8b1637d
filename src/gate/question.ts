// A line → a question of the gate, read strictly: what two readers could understand differently is no question.
import { basename } from 'node:path'
import { holdsMoreValues } from '../json/count.ts'
import { findJsonProblem } from '../json/scan.ts'
import { GATE_LIMITS } from '../model/limits.ts'
import { isTable } from '../model/own.ts'
import { isOciReference } from '../oci/scheme.ts'
import { decodeText } from '../text/decode.ts'
import { expectationOfFileName } from '../version/reference.ts'

/** What an answer repeats, so that the asker knows which question it belongs to. */
export type QuestionId = string | number | null

export interface GateQuestion {
  readonly id: QuestionId
  /** A path or a reference, or the bytes themselves. */
  readonly bundle: string | Uint8Array
  readonly expect: string | undefined
  /** The path of what came with it; undefined for the file beside the bundle. */
  readonly attestations: string | undefined
  /** The path of a lock; the bundle has to be as it pins it. */
  readonly lock: string | undefined
  readonly withinMs: number
}

export type ReadQuestion =
  | { readonly ok: true; readonly question: GateQuestion }
  | { readonly ok: false; readonly id: QuestionId; readonly problem: string }

const MEMBERS = ['id', 'bundle', 'bytes', 'expect', 'attestations', 'lock', 'within_ms']
/** More than every member, and few enough that a line cannot fill the memory. */
const MOST_VALUES = 16
const UNSEEN = /[\u0000-\u001f\u007f]/

export function readQuestion(line: Uint8Array): ReadQuestion {
  const wrong = (problem: string, id: QuestionId = null) => ({ ok: false, id, problem }) as const
  const decoded = decodeText(line, GATE_LIMITS.lineBytes)
  if (!decoded.ok) return wrong(`the line is no text: ${decoded.problem.message}`)
  const { text } = decoded
  if (holdsMoreValues(text, MOST_VALUES)) return wrong(`it holds more than ${MOST_VALUES} JSON values`)
  const problem = findJsonProblem(text)
  if (problem !== undefined) return wrong(`it is not strict JSON: ${problem.message}`)
  const value: unknown = JSON.parse(text)
  if (!isTable(value)) return wrong('it is not a JSON object')
  const { id: asked } = value
  if (asked !== undefined && !isId(asked))
    return wrong(`"id" is not a string of at most ${GATE_LIMITS.idLength} characters or an integer`)
  const id = asked ?? null
  const read = membersOf(value)
  return typeof read === 'string' ? wrong(read, id) : { ok: true, question: { id, ...read } }
}

/** @returns a problem as a string */
function membersOf(value: Readonly<Record<string, unknown>>): Omit<GateQuestion, 'id'> | string {
  const unknown = Object.keys(value).find(name => !MEMBERS.includes(name))
  if (unknown !== undefined) return `it has an unknown member ${JSON.stringify(unknown)}`
  const { bundle, bytes, expect, attestations, lock, within_ms: within = GATE_LIMITS.withinMs } = value
  if ((bundle === undefined) === (bytes === undefined)) return 'it needs either "bundle" or "bytes"'
  if (bundle !== undefined && !isName(bundle))
    return `"bundle" is not a path or a reference of at most ${GATE_LIMITS.nameLength} characters`
  if (expect !== undefined && !isName(expect))
    return '"expect" is neither name[@variant][@range] nor blake3:…'
  if (attestations !== undefined && !isName(attestations))
    return `"attestations" is not a path of at most ${GATE_LIMITS.nameLength} characters`
  if (lock !== undefined && !isName(lock))
    return `"lock" is not a path of at most ${GATE_LIMITS.nameLength} characters`
  if (!isWithin(within)) return `"within_ms" is not an integer from 1 to ${GATE_LIMITS.mostMs}`
  const content = bytes === undefined ? undefined : contentOf(bytes)
  if (bytes !== undefined && content === undefined) return '"bytes" is not padded base64'
  if (expect === undefined && !(isName(bundle) && impliesAgent(bundle)))
    return 'it does not say which agent it has to be: add "expect"'
  return { bundle: content ?? (bundle as string), expect, attestations, lock, withinMs: within }
}

function isId(value: unknown): value is string | number {
  if (typeof value === 'string') return value.length <= GATE_LIMITS.idLength
  return Number.isSafeInteger(value)
}

function isName(value: unknown): value is string {
  return (
    typeof value === 'string' && value !== '' && value.length <= GATE_LIMITS.nameLength && !UNSEEN.test(value)
  )
}

function isWithin(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= GATE_LIMITS.mostMs
}

/** Undefined for anything but the one spelling of some bytes. */
function contentOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string') return undefined
  const content = Buffer.from(value, 'base64')
  return content.toString('base64') === value ? content : undefined
}

/** Whether the name of a file says which agent is in it. A reference is asked where it is read. */
function impliesAgent(bundle: string): boolean {
  return isOciReference(bundle) || expectationOfFileName(basename(bundle)) !== undefined
}
