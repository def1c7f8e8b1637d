// The parsed payload of a frame → its facts, member by member.

import { closed, flag, ReadProblem, text } from '../json/read.ts'
import type { Enforced } from '../model/sandbox.ts'
import type { AnswerBody, CallPayload, ResultPayload } from '../model/trace.ts'

export function readCall(value: unknown): CallPayload {
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

export function readResult(value: unknown): ResultPayload {
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
