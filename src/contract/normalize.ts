// A tool's answer, in any form → one of the two envelopes, short enough for a model (docs/contract.md, "Too
// long").
import { findJsonProblem } from '../json/scan.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { detect } from './detect.ts'
import { type Envelope, type Failure, failure, type Success, success, textSuccess } from './envelope.ts'
import { serialize } from './serialize.ts'
import { codePointsUpTo, truncateResult } from './truncate.ts'

/** How {@link normalizeResult} reads an answer, and how much it passes on. */
export interface NormalizeOptions {
  /** Code points of the answer's own text; 100,000 by default. See {@link truncateResult}. */
  readonly maxChars?: number
  /**
   * What JSON other than an envelope becomes: `text` (the default, `result.text`) or `value` (the result
   * itself).
   */
  readonly json?: 'text' | 'value'
}

/**
 * An answer as an envelope: envelopes stay what they are (one that names another tool gets this one's name, for a tool cannot speak for
 * another), older failures become failures, and whatever else there is becomes a success with `result.text`. Too long ones are cut, see
 * {@link truncateResult}. Normalising twice changes nothing. Never throws.
 *
 * What could not be passed on as it was is said in `warnings`.
 *
 * @example
 * const envelope = normalizeResult('shell_run', 'three files\n')
 * if (envelope.ok) console.log(envelope.result)
 * else console.log(envelope.kind, envelope.message)
 */
export function normalizeResult(tool: string, text: string, options: NormalizeOptions = {}): Envelope {
  const { maxChars, json = 'text' } = options
  const originalChars = codePointsUpTo(text, text.length)
  const limits = { ...(maxChars !== undefined && { maxChars }), originalChars }
  return truncateResult(tool, readEnvelope(tool, text, json), limits)
}

function readEnvelope(tool: string, text: string, json: 'text' | 'value'): Envelope {
  const found = detect(text)
  if (found.is === 'failure') {
    const named = found.form === 'envelope' && found.failure.tool === undefined
    return boundedFailure(named ? found.failure : { ...found.failure, tool })
  }
  if (found.is === 'neither') {
    const isValue = found.json && json === 'value'
    return isValue ? boundedSuccess(success(tool, found.value), text) : asText(tool, text)
  }
  if (found.form === 'sniffed')
    return textSuccess(tool, text, ['The answer begins like an envelope and is no JSON: here it is as text.'])
  const { ok: _ok, result, tool: named, warnings, ...extra } = found.fields
  const made = success(named === undefined ? undefined : tool, result, warningsOf(warnings))
  return boundedSuccess({ ...extra, ...made }, text)
}

function asText(tool: string, text: string): Success {
  const made = textSuccess(tool, text)
  return text.isWellFormed() ? made : boundedSuccess(made, serialize(made))
}

/** Texts unchanged; anything else as its JSON. */
function warningsOf(warnings: unknown = []): string[] {
  const list: readonly unknown[] = Array.isArray(warnings) ? warnings : [warnings]
  return list.map(warning => (typeof warning === 'string' ? warning : serialize(warning)))
}

/** A success that is not too deep for a recursive reader, and that says what JSON could not hold. */
function boundedSuccess(envelope: Success, text: string): Success {
  const problem = findJsonProblem(text.trim())
  if (problem === undefined) return envelope
  const { tool, result, warnings = [] } = envelope
  // The envelope itself is the first level.
  if (depthOf(envelope) > PARSE_LIMITS.jsonDepth) {
    const note = `The result is nested more than ${PARSE_LIMITS.jsonDepth} levels deep: here it is as text.`
    return textSuccess(tool, serialize(result), [...warnings, note])
  }
  const note = `The answer is JSON that readers may understand differently: ${problem.message}.`
  if (warnings.includes(note)) return envelope
  const noted = { ...envelope, warnings: [...warnings, note] }
  // Each pass finds one loss. Writing may remove it and reveal another, so the written text is checked again.
  return boundedSuccess(noted, serialize(noted))
}

function boundedFailure(envelope: Failure): Failure {
  if (depthOf(envelope) <= PARSE_LIMITS.jsonDepth) return envelope
  const { kind, message, retryable, field, expected, tool } = envelope
  return failure({ kind, message, retryable, field, expected, tool })
}

/** How deep a value is nested: 0 for a scalar, 1 for an empty array or object, and so on. Iterative, because the depth is unbounded. */
export function depthOf(value: unknown): number {
  let depth = 0
  let level: unknown[] = [value]
  for (;;) {
    const inner: unknown[] = []
    let isNested = false
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      isNested = true
      for (const part of Object.values(item)) inner.push(part)
    }
    if (!isNested) return depth
    depth++
    level = inner
  }
}
