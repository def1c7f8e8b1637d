// An envelope → where it breaks the contract, and where it is unusual (docs/contract.md).
import { findJsonProblem } from '../json/scan.ts'
import { type Envelope, RETRYABLE } from './envelope.ts'
import { type Fields, member } from './json-text.ts'
import { isFailureKind, KINDS } from './kinds.ts'
import type { NoteRemark } from './remark.ts'
import { listed, shown } from './say.ts'
import { serialize } from './serialize.ts'
import { MAX_RESULT_CHARS } from './truncate.ts'
import { charsTooMany } from './truncate-result.ts'

/** The text of the envelope: strict, compact, sorted, short. */
export function checkText(text: string, fields: Fields, envelope: Envelope, note: NoteRemark): void {
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
export function checkFailure(fields: Fields, note: NoteRemark): void {
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
export function checkSuccess(fields: Fields, note: NoteRemark): void {
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
