// The questions and answers of the gate: lines of JSON, and the line of the audit log for each answer. Only the verdict "trusted" allows. A
// question that two readers could understand differently is refused. What could not be written to the audit log is not allowed.
import { basename } from 'node:path'
import { holdsMoreValues } from '../json/count.ts'
import { findJsonProblem } from '../json/scan.ts'
import { type AuditDecision, type DecidedBundle, NOTHING_JUDGED } from '../model/audit.ts'
import { RlpError } from '../model/error.ts'
import { GATE_LIMITS } from '../model/limits.ts'
import { isTable } from '../model/own.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import type { Reason, Report, Step } from '../model/report.ts'
import type { Verdict } from '../model/verdict.ts'
import { isOciReference } from '../oci/scheme.ts'
import { decodeText } from '../text/decode.ts'
import { asFlags } from '../text/flag-name.ts'
import { auditedBundle, codesOf } from '../verify/make-report.ts'
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

/** One line. The members are always the same ones. */
export interface GateAnswer {
  readonly id: QuestionId
  readonly allow: boolean
  readonly verdict: Verdict
  readonly reasons: readonly Reason[]
  /** Of the bytes that were judged, as they are stored. Null unless their form is sound and all of them were read. */
  readonly sha256: string | null
  /** `blake3:…` of manifest.toml. Null unless the form is sound and this is a manifest. */
  readonly identity: string | null
  readonly agent: { readonly name: string; readonly version: string; readonly variant?: string } | null
}

/** A stranger decides how many files are wrong; `rlp agent verify` lists all of them. */
const MOST_REASONS = 20

export function answerOf(id: QuestionId, report: Report, sha256: string | undefined): GateAnswer {
  const { verdict, reasons, identity, agent, form, checks } = report
  // Digests of any other file would let the asker guess what is in files that the gate may read.
  const passed = (one: Step) => checks.some(({ step, result }) => step === one && result === 'passed')
  const isSound = passed('archive')
  const judged = {
    id,
    sha256: (isSound ? sha256 : undefined) ?? null,
    identity: isSound && passed('manifest') ? identity : null,
    agent: agent && {
      name: agent.name,
      version: agent.version,
      ...(agent.variant !== undefined && { variant: agent.variant }),
    },
  }
  // What the asker cannot name by its bytes may be other bytes when it is used.
  if (verdict === 'trusted' && sha256 === undefined) return { ...answer(id, [noBytes(form)]), ...judged }
  const { id: _, allow: __, ...rest } = { ...answer(id, fewer(reasons), verdict), ...judged }
  return { id, allow: verdict === 'trusted', ...rest }
}

/** No verdict was reached. */
export function noVerdict(
  id: QuestionId,
  code: CodeOf<'indeterminate'>,
  message: string,
  hint?: string,
): GateAnswer {
  return answer(id, [{ code, message, ...(hint !== undefined && { hint }) }])
}

function answer(id: QuestionId, reasons: readonly Reason[], verdict: Verdict = 'indeterminate'): GateAnswer {
  return { id, allow: false, verdict, reasons, sha256: null, identity: null, agent: null }
}

function noBytes(form: Report['form']): Reason {
  return {
    code: 'no_bytes',
    message:
      form === 'directory'
        ? 'An unpacked bundle has no bytes that the answer could name, and can change after it was judged'
        : 'Not all bytes of the bundle were seen',
    hint: 'Ask about the file that rlp agent pack has made',
  }
}

function fewer(reasons: readonly Reason[]): readonly Reason[] {
  if (reasons.length <= MOST_REASONS) return reasons
  const left = reasons.length - MOST_REASONS
  return [...reasons.slice(0, MOST_REASONS), { code: 'more', message: `… and ${left} more` }]
}

/** An answer, and what the audit log keeps of it. */
export interface Answered {
  readonly answer: GateAnswer
  readonly decided: DecidedBundle
}

export interface Recording {
  /** Keeps a decision before its answer is given; throws if it cannot. */
  readonly record?: ((decision: AuditDecision) => void) | undefined
  /** Told why a decision is not recorded; it was refused. */
  readonly onUnrecorded?: ((error: RlpError) => void) | undefined
}

export function answeredWith(question: GateQuestion, report: Report, sha256: string | undefined): Answered {
  const answer = answerOf(question.id, report, sha256)
  const codes = codesOf([...answer.reasons, ...report.reasons])
  const decided = auditedBundle(report, { accepted: answer.allow, sha256 })
  return { answer, decided: { ...decided, target: askedAbout(question), codes } }
}

/** What is not in the log is not allowed. */
export function recorded({ answer, decided }: Answered, { record, onUnrecorded }: Recording): GateAnswer {
  try {
    record?.({ ...decided, command: 'gate' })
    return answer
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    onUnrecorded?.(error)
    return noVerdict(answer.id, 'not_recorded', error.message, error.hint && asFlags(error.hint))
  }
}

/** Nothing was judged. */
export function undecided(answer: GateAnswer, target: string | null): Answered {
  const { verdict, reasons } = answer
  return { answer, decided: { ...NOTHING_JUDGED, target, accepted: false, verdict, codes: codesOf(reasons) } }
}

/** Bytes have no name. */
export function askedAbout({ bundle }: GateQuestion): string | null {
  return typeof bundle === 'string' ? bundle : null
}
