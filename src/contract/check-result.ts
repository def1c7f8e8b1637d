// Checks a tool's answer against the contract, and says what its author should change (docs/contract.md, "Checking a tool").

import { findJsonProblem } from '../json/scan.ts'
import type { FailureKind } from '../model/error.ts'
import { own } from '../model/own.ts'
import { type Detected, detect } from './detect.ts'
import { type Envelope, isFailureKind, KINDS, RETRYABLE, success } from './envelope.ts'
import { type Fields, isFields, member } from './json-text.ts'
import { listed, shown } from './say.ts'
import { serialize } from './serialize.ts'
import { charsTooMany, MAX_RESULT_CHARS } from './truncate.ts'

/** What an answer is, and what is wrong with it. */
export interface CheckedResult {
  /** `failure` alone: its kind is unknown. `legacy`: a failure in an older form. `none`: not an envelope. */
  readonly form: ResultForm | `failure:${FailureKind}` | 'failure' | 'legacy' | 'none'
  /** True if no remark is a problem. */
  readonly passed: boolean
  readonly remarks: readonly Remark[]
  /** The `result` of a success; undefined for everything else. */
  readonly result: unknown
}

const ORDER: readonly Remark['weight'][] = ['problem', 'remark']

/**
 * Checks one answer. Made for the tests of a tool's author:
 *
 * @example
 * const checked = checkResult('{"ok":true,"result":{"text":"done"},"tool":"todo"}')
 * if (!checked.passed) throw new Error(checked.remarks.map(({ message, fix }) => `${message}. ${fix}`).join('\n'))
 */
export function checkResult(text: string): CheckedResult {
  const found = detect(text)
  const remarks: Remark[] = []
  const note: NoteRemark = (weight, message, fix) => {
    remarks.push({ weight, message, fix })
  }
  const checked = (form: CheckedResult['form'], result?: unknown): CheckedResult => ({
    form,
    passed: !remarks.some(({ weight }) => weight === 'problem'),
    // What breaks the contract comes first.
    remarks: remarks.toSorted((a, b) => ORDER.indexOf(a.weight) - ORDER.indexOf(b.weight)),
    result,
  })
  if (found.is === 'neither' || !('fields' in found)) {
    checkForeign(found, text, note)
    return checked(found.is === 'failure' && found.form !== 'sniffed' ? 'legacy' : 'none')
  }
  const { fields } = found
  const envelope = found.is === 'failure' ? found.failure : success(undefined, member(fields, 'result'))
  checkText(text, fields, envelope, note)
  if (found.is === 'failure') {
    checkFailure(fields, note)
    const kind = member(fields, 'kind')
    return checked(isFailureKind(kind) ? `failure:${kind}` : 'failure')
  }
  checkSuccess(fields, note)
  const result = member(fields, 'result')
  return checked(checkKnownResult(result, note), result)
}

/** @param found what `detect` says of it */
function checkForeign(found: Detected, text: string, note: NoteRemark): void {
  if (found.is === 'failure' && found.form === 'legacy-prefix') {
    const prefix = text.trim().startsWith('[TIMEOUT]') ? '[TIMEOUT]' : '[REJECTED]'
    const { kind } = found.failure
    note(
      'problem',
      `"${prefix}" at the beginning is the old form of a failure`,
      `Answer failure({ kind: '${kind}', message })`,
    )
  } else if (found.is === 'failure' && found.form === 'legacy-object') {
    note(
      'problem',
      '{ error, reason, retryable } is the old form of a failure',
      `Answer failure({ kind: '${found.failure.kind}', message }): kind for error, message for reason, tool for toolName`,
    )
  } else if (found.is !== 'neither') {
    note(
      'problem',
      'It begins like an envelope and is no JSON',
      'Write it with serialize(), and print nothing after it',
    )
  } else if (found.json) {
    note(
      'problem',
      'It is JSON without "ok", so success and failure look alike',
      'Answer success(tool, result)',
    )
  } else if (text.trim() === '') {
    note('problem', 'It is empty', 'Answer success(tool) if there is nothing to say')
  } else {
    const at = text.search(/\{\s*"[^"]*"\s*:/)
    note(
      'problem',
      at > 0 ? 'It is text with JSON somewhere in it' : 'It is plain text',
      at > 0
        ? 'Print only the envelope; text for people belongs on stderr'
        : 'Answer textSuccess(tool, text)',
    )
  }
}

/** The text of the envelope: strict, compact, sorted, short. */
function checkText(text: string, fields: Fields, envelope: Envelope, note: NoteRemark): void {
  const body = text.trim()
  const problem = findJsonProblem(body)
  if (problem !== undefined)
    note(
      'problem',
      `It is JSON that readers may understand differently: ${problem.message}`,
      'Write it with serialize()',
    )
  const chars = charsTooMany(envelope, MAX_RESULT_CHARS)
  if (chars !== undefined)
    note(
      'problem',
      `It has ${chars} characters, and more than ${MAX_RESULT_CHARS} are cut`,
      'Cap long texts with truncateForModel(), or offer filters and ranges',
    )
  if (problem === undefined && body !== serialize(fields))
    note('remark', 'It is not compact JSON with sorted keys', 'Write it with serialize()')
}

/** The members of a failure. */
function checkFailure(fields: Fields, note: NoteRemark): void {
  const kind = member(fields, 'kind')
  if (!isFailureKind(kind)) {
    const state = kind === undefined ? '"kind" is missing' : `"kind" is ${shown(serialize(kind), 60)}`
    note('problem', state, `Use one of ${Object.keys(KINDS).join(', ')}`)
  }
  checkType(fields, 'message', 'string', true, note)
  if (member(fields, 'message') === '')
    note('remark', '"message" is empty', 'Say what went wrong and what to do about it')
  checkType(fields, 'retryable', 'boolean', true, note)
  for (const name of ['field', 'expected', 'tool']) checkType(fields, name, 'string', false, note)
  const retryable = member(fields, 'retryable')
  if (isFailureKind(kind) && typeof retryable === 'boolean' && retryable !== RETRYABLE[kind])
    note(
      'remark',
      `"retryable" is ${retryable}, and ${RETRYABLE[kind]} is usual for ${kind}`,
      'Leave it out of failure() unless it is meant',
    )
  if (kind === 'invalid_args' && member(fields, 'field') === undefined)
    note('remark', '"field" is missing', 'Name the argument that is wrong, where it is one')
  if (Object.hasOwn(fields, 'result'))
    note(
      'problem',
      'A failure has no "result"',
      'Put further facts beside the message, each under its own name',
    )
}

const OF_SUCCESS = new Set(['ok', 'result', 'tool', 'warnings'])

/** The members of a success, without its result, which `checkKnownResult` checks. */
function checkSuccess(fields: Fields, note: NoteRemark): void {
  if (!Object.hasOwn(fields, 'result'))
    note('problem', '"result" is missing', 'Put the answer there; null if there is none')
  checkType(fields, 'tool', 'string', false, note)
  const warnings = member(fields, 'warnings')
  if (
    warnings !== undefined &&
    !(Array.isArray(warnings) && warnings.every(item => typeof item === 'string'))
  )
    note('problem', '"warnings" is no list of texts', 'Give one text for each warning')
  else if (Array.isArray(warnings) && warnings.length === 0)
    note('remark', '"warnings" is empty', 'Leave it out')
  const strange = Object.keys(fields).filter(name => !OF_SUCCESS.has(name))
  if (strange.length > 0)
    note('problem', `A success has no ${listed(strange.map(name => `"${name}"`))}`, 'Move it into "result"')
}

function checkType(fields: Fields, name: string, type: string, isRequired: boolean, note: NoteRemark): void {
  const value = member(fields, name)
  if (value === undefined && isRequired) note('problem', `"${name}" is missing`, `Give a ${type}`)
  else if (value !== undefined && typeof value !== type)
    note('problem', `"${name}" is no ${type}`, `Give a ${type}`)
}

/** What a success is about. `text` has only a text. */
export type ResultForm = 'listing' | 'search' | 'file' | 'truncated_output' | 'text' | 'result'

type Type = 'string' | 'number' | 'boolean' | 'array'

const MEMBERS: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  listing: { path: 'string', entries: 'array', entry_count: 'number', truncated: 'boolean' },
  search: { query: 'string', entries: 'array', match_count: 'number', truncated: 'boolean' },
  file: { path: 'string', text: 'string' },
  truncated_output: { truncated: 'boolean', original_chars: 'number', content: 'string' },
}

/** The kind of a result; missing members are reported to `note`. */
function checkKnownResult(result: unknown, note: NoteRemark): ResultForm {
  if (!isFields(result)) return 'result'
  if (Object.keys(result).join() === 'text' && typeof result['text'] === 'string') return 'text'
  const kind = member(result, 'kind')
  const wanted = typeof kind === 'string' ? own(MEMBERS, kind) : undefined
  if (wanted === undefined) {
    if (kind === undefined && ['stdout', 'exit_code'].every(name => Object.hasOwn(result, name)))
      checkShell(result, note)
    return 'result'
  }
  for (const [name, type] of Object.entries(wanted)) {
    const value = member(result, name)
    if (typeOf(value) === type) continue
    const state = value === undefined ? 'lacks' : 'has another type for'
    note(
      'problem',
      `The ${kind} ${state} "${name}"`,
      `Give "${name}" as ${type === 'array' ? 'an array' : `a ${type}`}`,
    )
  }
  if (kind === 'listing' || kind === 'search') checkEntries(result, kind, note)
  return kind as ResultForm
}

function checkEntries(result: Fields, kind: 'listing' | 'search', note: NoteRemark): void {
  const entries = member(result, 'entries')
  if (!Array.isArray(entries)) return
  const counter = kind === 'listing' ? 'entry_count' : 'match_count'
  const count = member(result, counter)
  if (typeof count === 'number' && count !== entries.length)
    note(
      'problem',
      `"${counter}" is ${count}, and there are ${entries.length} entries`,
      `Make it with ${kind === 'listing' ? 'listing' : 'searchResult'}(), which counts`,
    )
  const at = entries.findIndex(entry => !isEntry(entry))
  if (at === -1) return
  note(
    'problem',
    `Entry ${at} of the ${kind} lacks "name", "path" or "type"`,
    'Give each entry its name, a path that can be passed on as it is, and "file" or "directory" as type',
  )
}

function isEntry(entry: unknown): boolean {
  if (!isFields(entry)) return false
  const type = member(entry, 'type')
  return (
    ['name', 'path'].every(name => typeof member(entry, name) === 'string') &&
    (type === 'file' || type === 'directory')
  )
}

/** A command that failed is a failure, even if its wrapper reports a success. */
function checkShell(result: Fields, note: NoteRemark): void {
  const exit = member(result, 'exit_code')
  if (typeof exit === 'number' && exit !== 0 && exit !== 141)
    note(
      'remark',
      `It is a success, and "exit_code" is ${shown(String(exit))}`,
      "Answer failure({ kind: 'execution_error', message }) unless the exit code is the answer",
    )
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

/** Something about an answer that its author should know. */
export interface Remark {
  /** `problem`: it breaks the contract. `remark`: it keeps the contract, and is unusual. */
  readonly weight: 'problem' | 'remark'
  /** One sentence without a full stop. */
  readonly message: string
  readonly fix: string
}

/** Adds a remark. */
type NoteRemark = (weight: Remark['weight'], message: string, fix: string) => void
