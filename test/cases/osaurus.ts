// The tool contract's cases: envelopes, detection, errors, arguments, truncation. The seed profile counts, plus
// minLength, maxLength and nullable; what a later revision rescues, it rescues here when asked.
import assert from 'node:assert/strict'
import {
  classify,
  detect,
  failureMessage,
  isError,
  isSuccess,
  legacyFailure,
  successPayload,
} from '../../src/contract/detect.ts'
import {
  cancelled,
  type Envelope,
  type Failure,
  failure,
  serialize,
  success,
  textSuccess,
  timedOut,
  unknownTool,
} from '../../src/contract/envelope.ts'
import { fromError } from '../../src/contract/from-foreign.ts'
import { normalizeResult } from '../../src/contract/normalize.ts'
import { coerce, preflight } from '../../src/contract/preflight.ts'
import {
  optionalString,
  type Required,
  requireArgumentsDictionary,
  requireInt,
  requirePath,
  requireString,
  requireStringArray,
} from '../../src/contract/require.ts'
import {
  type Entry,
  listing,
  type ShareArtifactProblem,
  type ShellOutcome,
  searchResult,
  shareArtifactFailure,
  shellWarnings,
} from '../../src/contract/results.ts'
import { ERROR_SOURCES, ToolError } from '../../src/contract/tool-error.ts'
import { truncateForModel } from '../../src/contract/truncate.ts'
import { validate } from '../../src/contract/validate.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { type Checks, check } from './case.ts'

interface Sent {
  readonly schema: JsonSchema
  readonly arguments: unknown
}
interface Judged {
  readonly valid: boolean
  readonly message?: string
  readonly field?: string | null
}
/** Where the revisions of the contract differ. */
type Profiles<T> = { readonly seed: T; readonly later: T }

/** What the seed profile does not know and we follow the later one in: nullable values and lengths. */
const LATER_WORDS = /"m(?:in|ax)Length":|"enum":\[[^\]]*null\]/

const HELPERS = {
  string: requireString,
  int: requireInt,
  stringArray: requireStringArray,
  optionalString,
} as const

/** One check for each kind of case. */
export const checks: Checks = {
  validate: check<Sent, Judged | Profiles<Judged>>((input, expected, { profile }) => {
    const wanted = 'seed' in expected ? expected.seed : expected
    const { valid, ...made } = validate(input.arguments, input.schema)
    // The words of what we answer instead are in our own cases.
    if (profile === 'seed' && LATER_WORDS.test(JSON.stringify(input.schema)))
      return assert.notEqual(valid, wanted.valid)
    const { message, field } = made as { message?: string; field?: string }
    assert.deepEqual({ valid, message, field: field ?? null }, { message: undefined, field: null, ...wanted })
  }),
  coerce: check<Sent, unknown>((input, expected, { profile }) => {
    const wanted =
      profile === 'differs' ? (expected as Profiles<unknown>) : { seed: expected, later: expected }
    assert.deepEqual(coerce(input.arguments, input.schema), wanted.seed)
    assert.deepEqual(coerce(input.arguments, input.schema, { rescueKeys: true }), wanted.later)
  }),
  preflight: check<
    { readonly argumentsJSON: string; readonly schema: JsonSchema | null; readonly tool: string },
    { readonly ready?: string; readonly verbatim?: boolean; readonly rejected?: string }
  >((input, { ready, verbatim, rejected }) => {
    const made = preflight(input.tool, input.argumentsJSON, input.schema ?? undefined)
    if (made.ok) {
      assert.deepEqual({ ready: made.text, verbatim: !made.changed }, { ready, verbatim })
    } else {
      const { expected, ...rest } = made.failure
      // To a missing property we add what the schema wants.
      const { properties: types = {} } = input.schema as {
        properties?: Readonly<Record<string, { readonly type: string }>>
      }
      const type = made.failure.message.startsWith('Missing') && types[made.failure.field ?? '']?.type
      assert.equal(expected, type ? `a ${type}` : undefined)
      assert.equal(serialize(rest), rejected)
    }
  }),
  failure: check<Parameters<typeof failure>[0], string>((input, expected) =>
    assert.equal(serialize(failure(input)), expected),
  ),
  success: check<
    {
      readonly tool?: string
      readonly text?: string
      readonly result?: unknown
      readonly warnings?: string[]
    },
    string
  >(({ tool, text, result, warnings }, expected) =>
    assert.equal(
      serialize(text === undefined ? success(tool, result, warnings) : textSuccess(tool, text, warnings)),
      expected,
    ),
  ),
  listing: check<Parameters<typeof listing>[0], string>((input, expected) =>
    assert.equal(serialize(listing(input)), expected),
  ),
  classify: check<string, string>((text, expected) => assert.equal(classify(text), expected)),
  search: check<{ readonly query: string; readonly entries: Entry[] }, string>((input, expected) =>
    assert.equal(serialize(searchResult(input)), expected),
  ),
  detect: check<string, { readonly recommended: 'error' | 'success' | 'neither' }>(
    (text, { recommended }) => {
      assert.equal(detect(text).is, recommended === 'error' ? 'failure' : recommended)
      assert.equal(isError(text), recommended === 'error')
      assert.equal(isSuccess(text), recommended === 'success')
    },
  ),
  // JSON has no undefined.
  successPayload: check<string, unknown>((text, expected) =>
    assert.deepEqual(successPayload(text) ?? null, expected),
  ),
  failureMessage: check<string, string>((text, expected) => assert.equal(failureMessage(text), expected)),
  legacyEnvelope: check<
    {
      readonly kind: string
      readonly reason: string
      readonly toolName?: string
      readonly retryable?: boolean
    },
    string
  >(({ kind, reason, toolName, retryable }, expected) => {
    assert.equal(serialize(legacyFailure({ kind, reason, tool: toolName, retryable })), expected)
    // The same as a tool printed it; what it left out is the kind's default.
    const printed = { error: kind, reason, retryable: retryable ?? JSON.parse(expected).retryable, toolName }
    const made = detect(JSON.stringify(printed))
    assert.equal(made.is === 'failure' && serialize(made.failure), expected)
  }),
  fromError: check<
    {
      readonly error: string
      readonly code?: number
      readonly message?: string
      readonly path?: string
      readonly detail?: string | null
      readonly tool: string
    },
    string
  >((input, expected) => assert.equal(serialize(fromError(errorOf(input), input.tool)), expected)),
  require: check<
    {
      readonly helper: keyof typeof HELPERS
      readonly args: { readonly [name: string]: unknown }
      readonly key: string
      readonly expected: string
      readonly tool: string
    },
    { readonly value?: unknown; readonly failure?: string }
  >(({ helper, args, key, expected, tool }, wanted) =>
    checkRequired(HELPERS[helper](args, key, { expected, tool }), wanted),
  ),
  requirePath: check<
    { readonly path: string; readonly home: string; readonly roots?: string[]; readonly tool: string },
    { readonly value?: unknown; readonly failure?: string }
  >(({ path, ...wanted }, expected) => checkRequired(requirePath(path, wanted), expected)),
  requireArgumentsDictionary: check<
    { readonly json: string; readonly tool: string },
    { readonly value?: unknown; readonly failure?: string }
  >(({ json, tool }, wanted) => checkRequired(requireArgumentsDictionary(json, tool), wanted)),
  truncate: check<{ readonly chars: number; readonly maxChars: number }, { readonly v1: Cut | null }>(
    ({ chars, maxChars }, { v1 }) => {
      const text = Array.from({ length: chars }, (_, index) => index % 10).join('')
      const wanted =
        v1 === null ? text : text.slice(0, v1.head) + v1.marker + text.slice(text.length - v1.tail)
      assert.equal(truncateForModel(text, maxChars), wanted)
    },
  ),
  truncateText: check<{ readonly text: string; readonly maxChars: number }, { readonly v1: string }>(
    ({ text, maxChars }, { v1 }) => assert.equal(truncateForModel(text, maxChars), v1),
  ),
  normalizeResult: check<
    {
      readonly raw?: string
      readonly rawChars?: number
      readonly rawFailureOver?: number
      readonly tool?: string
    },
    unknown
  >(({ raw, rawChars, rawFailureOver = 0, tool = 't' }, expected) => {
    const long = { kind: 'execution_error', message: 'x'.repeat(rawFailureOver + 1), tool } as const
    const text = raw ?? (rawChars === undefined ? serialize(failure(long)) : 'x'.repeat(rawChars))
    const made = normalizeResult(tool, text)
    if (typeof expected !== 'string') assertIncludes(counted(made), expected as object)
    else if (raw === undefined) assert.deepEqual(made, textSuccess(tool, text), expected)
    else assert.equal(serialize(made), expected)
  }),
  diagnosticWarnings: check<ShellOutcome, string[]>((input, expected) =>
    assert.deepEqual(shellWarnings(input), expected),
  ),
  execute: check<
    { readonly tool: string; readonly timeoutSec?: number; readonly argumentsJSON?: string },
    string
  >(
    ({ tool, timeoutSec, argumentsJSON }, expected) =>
      assert.equal(serialize(outcomeOf(tool, timeoutSec, argumentsJSON, expected)), expected),
    input =>
      input === null
        ? 'the order of the caller’s steps; ours validates before it asks, see test/call/call.test.ts'
        : undefined,
  ),
  shareArtifact: check<ShareArtifactProblem, object>((input, expected) =>
    assertIncludes(shareArtifactFailure(input), expected),
  ),
}

interface Cut {
  readonly head: number
  readonly tail: number
  readonly marker: string
}

function checkRequired(
  made: Required<unknown>,
  wanted: { readonly value?: unknown; readonly failure?: string },
): void {
  if (made.ok) assert.deepEqual({ value: made.value }, wanted)
  else assert.deepEqual({ failure: serialize(made.failure) }, wanted)
}

/** The envelope, with what cases count in it beside its members. */
function counted(made: Envelope): object {
  const result = made.ok ? made.result : undefined
  const members = typeof result === 'object' && result !== null ? Object.entries(result) : []
  const { content } = Object.fromEntries(members) as { content?: string }
  const [head, tail] = content?.split(/\n\n\.\.\. \[output truncated — .* total\] \.\.\.\n\n/) ?? []
  return {
    ...made,
    ...Object.fromEntries(members.map(([name, value]) => [`result.${name}`, value])),
    'result.content.headChars': head?.length,
    'result.content.tailChars': tail?.length,
    'warnings.count': made.ok ? made.warnings?.length : undefined,
  }
}

function assertIncludes(made: object, wanted: object): void {
  assert.deepEqual({ ...made, ...wanted }, made)
}

function errorOf(input: {
  error: string
  code?: number
  message?: string
  path?: string
  detail?: string | null
}): Error {
  const { error, code, message, path, detail } = input
  if (error === 'ToolRegistry') return Object.assign(new Error(message), { domain: error, code })
  const source = ERROR_SOURCES.find(source => source === error)
  if (source === undefined) return new Error(message)
  return new ToolError(source, { path, message: detail ?? message })
}

function outcomeOf(
  tool: string,
  seconds: number | undefined,
  text: string | undefined,
  expected: string,
): Failure {
  if (text !== undefined) {
    const made = preflight(tool, text, undefined)
    assert.ok(!made.ok)
    return made.failure
  }
  if (seconds !== undefined) return timedOut(tool, seconds)
  // Both cases give a name and nothing else.
  return failureMessage(expected).includes('cancelled') ? cancelled(tool) : unknownTool(tool)
}
