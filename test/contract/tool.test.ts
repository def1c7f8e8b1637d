// What a tool's body is written with: arguments that are required, errors that become failures, notes on shell commands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelled, failure, KINDS, serialize, timedOut, unknownTool } from '../../src/contract/envelope.ts'
import { fromError } from '../../src/contract/from-foreign.ts'
import {
  optionalString,
  requireArgumentsDictionary,
  requireBoolean,
  requireInt,
  requireString,
  requireStringArray,
} from '../../src/contract/require.ts'
import { shareArtifactFailure, shellWarnings } from '../../src/contract/results.ts'
import { ERROR_SOURCES, type ErrorSource, REGISTRY_CODES, ToolError } from '../../src/contract/tool-error.ts'
import { ERRORS, type ErrorCode, type FailureKind, RlpError } from '../../src/model/error.ts'

const WANTED = { expected: 'a thing', tool: 't' } as const
const MISSING = 'Missing required argument `k` (a thing).'
const EMPTY = 'Argument `k` must not be empty (a thing).'
type Helper =
  | typeof requireString
  | typeof requireInt
  | typeof requireStringArray
  | typeof optionalString
  | typeof requireBoolean

/** What a helper makes of one argument: its value, or the message of the failure. */
function asked(helper: Helper, ...given: unknown[]): unknown {
  const args = given.length === 0 ? {} : { k: given[0] }
  const made = helper(args, 'k', WANTED)
  if (made.ok) return made.value
  const { kind, field, expected, tool, retryable, message } = made.failure
  assert.deepEqual([kind, field, expected, tool, retryable], ['invalid_args', 'k', 'a thing', 't', true])
  return message
}
const must = (type: string, got: string) => `Argument \`k\` must be ${type} (a thing). Got ${got}.`

test('a required text says something', () => {
  assert.equal(asked(requireString, ' a '), ' a ')
  assert.equal(asked(requireString), MISSING)
  assert.equal(asked(requireString, ' \n'), ' \n')
  assert.equal(asked(requireString, ''), EMPTY)
  assert.equal(asked(requireString, [1]), must('a JSON string', 'an array'))
  assert.equal(asked(requireString, {}), must('a JSON string', 'an object'))
  assert.equal(asked(requireString, null), must('a JSON string', 'null'))
  assert.deepEqual(requireString({ k: '' }, 'k', { ...WANTED, allowEmpty: true }), { ok: true, value: '' })
  assert.deepEqual(requireString({ k: '\n' }, 'k', { ...WANTED, allowEmpty: true }), {
    ok: true,
    value: '\n',
  })
})

test('a required integer is exact', () => {
  assert.equal(asked(requireInt, 30), 30)
  assert.equal(asked(requireInt, '-15'), -15)
  assert.ok(Object.is(asked(requireInt, '-0'), 0))
  assert.equal(asked(requireInt), MISSING)
  assert.equal(asked(requireInt, 1.9), 1)
  assert.equal(asked(requireInt, -1.9), -1)
  assert.ok(Object.is(asked(requireInt, -0.5), 0))
  for (const [value, got] of [
    [2 ** 53, 'a number'],
    [2 ** 60 + 0.5, 'a number'],
    [Number.NaN, 'a number'],
    ['1.9', 'a string'],
    ['9007199254740993', 'a string'],
    ['', 'a string'],
    [true, 'a boolean'],
  ])
    assert.equal(asked(requireInt, value), must('an integer', String(got)))
})

test('a list of texts may come as text', () => {
  assert.deepEqual(asked(requireStringArray, ' a b\n'), ['a b'])
  assert.deepEqual(asked(requireStringArray, '[" a"]'), [' a'])
  assert.deepEqual(asked(requireStringArray, '["a"]'), ['a'])
  for (const empty of ['[]', []]) assert.equal(asked(requireStringArray, empty), EMPTY)
  for (const blank of ['', ' '])
    assert.equal(asked(requireStringArray, blank), must('an array of strings', 'a string'))
  assert.equal(asked(requireStringArray, ['a', 1]), must('an array of strings', 'an array'))
  assert.equal(asked(requireStringArray, 5), must('an array of strings', 'a number'))
})

test('a truth value, and a text that may be left out', () => {
  assert.equal(asked(requireBoolean, ' Yes'), true)
  assert.equal(asked(requireBoolean, false), false)
  assert.equal(asked(requireBoolean, 1), must('a boolean', 'a number'))
  for (const absent of [[], [null]]) assert.equal(asked(optionalString, ...absent), undefined)
  for (const text of ['', '  ']) assert.equal(asked(optionalString, text), text)
  assert.equal(asked(optionalString, 'a'), 'a')
})

test('what an object inherits is missing', () => {
  for (const key of ['constructor', 'toString', '__proto__']) {
    const made = requireString({}, key, WANTED)
    assert.equal(!made.ok && made.failure.message, `Missing required argument \`${key}\` (a thing).`)
  }
})

test('arguments are a JSON object, read strictly', () => {
  for (const text of ['', 'null', '[]', '5', '"{}"', '{']) {
    const made = requireArgumentsDictionary(text, 't')
    assert.match(made.ok ? '' : made.failure.message, /^Arguments could not be parsed as JSON\. Pass/, text)
  }
  for (const text of [
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
    `{"a":${'['.repeat(100_000)}`,
    '{"a":9007199254740993}',
  ]) {
    const made = requireArgumentsDictionary(text, 't')
    assert.match(made.ok ? '' : made.failure.message, /^Arguments could not be read: /, text.slice(0, 20))
  }
  assert.deepEqual(requireArgumentsDictionary('{"constructor":1}'), { ok: true, value: { constructor: 1 } })
})

test('every named error has its kind', () => {
  const EXPECTED: Record<ErrorSource, [FailureKind, boolean]> = {
    'folder.invalidArguments': ['invalid_args', true],
    'folder.pathOutsideRoot': ['invalid_args', true],
    'folder.fileNotFound': ['not_found', false],
    'folder.directoryNotFound': ['not_found', false],
    'folder.operationFailed': ['execution_error', true],
    'folder.binaryFile': ['execution_error', false],
    'registry.policyDenied': ['rejected', false],
    'registry.userDenied': ['user_denied', false],
    'registry.missingPermissions': ['unavailable', false],
    'mcp.timeout': ['timeout', true],
    'mcp.notConnected': ['unavailable', false],
    'mcp.disabled': ['unavailable', false],
    'mcp.unknownProvider': ['unavailable', false],
    'mcp.badUrl': ['unavailable', false],
    'mcp.connectionFailed': ['unavailable', true],
    'mcp.toolExecutionFailed': ['execution_error', true],
    'sandbox.timeout': ['timeout', true],
    'sandbox.notRunning': ['unavailable', true],
    'sandbox.failed': ['execution_error', true],
  }
  assert.deepEqual(Object.keys(EXPECTED), [...ERROR_SOURCES])
  for (const source of ERROR_SOURCES) {
    const bare = fromError(new ToolError(source), 't')
    assert.deepEqual([bare.kind, bare.retryable], EXPECTED[source], source)
    assert.equal(bare.tool, 't')
    assert.notEqual(bare.message, '')
  }
  assert.deepEqual(Object.keys(REGISTRY_CODES), ['3', '4', '6', '7'])
  const missing = fromError(new ToolError('folder.directoryNotFound', { path: 'a/b' }))
  assert.equal(missing.field, 'path')
  assert.match(missing.message, /^Directory not found: a\/b\./)
  assert.equal(fromError(new ToolError('mcp.toolExecutionFailed', { message: 'boom' })).message, 'boom')
  const coded = (code: number) => fromError(Object.assign(new Error('no'), { domain: 'ToolRegistry', code }))
  assert.deepEqual(
    [3, 4, 6, 7, 5].map(code => coded(code).kind),
    ['rejected', 'user_denied', 'rejected', 'unavailable', 'execution_error'],
  )
})

test('our own errors keep their kind, code and hint', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const made = fromError(new RlpError(code, 'Cannot do it', { hint: 'Do that' }), 't')
    assert.deepEqual(
      made,
      failure({
        kind: ERRORS[code].kind,
        message: 'Cannot do it',
        tool: 't',
        extra: { code, hint: 'Do that' },
      }),
    )
  }
})

test('errors of Node are told apart by their code', () => {
  const system = (code: string, more = {}) => Object.assign(new Error(`${code}: x`), { code, ...more })
  const rows: [unknown, FailureKind, boolean, string][] = [
    [system('ENOENT', { syscall: 'open' }), 'not_found', false, 'ENOENT: x'],
    [system('ENOENT', { syscall: 'spawn jq' }), 'unavailable', false, 'ENOENT: x'],
    [system('EACCES'), 'unavailable', false, 'EACCES: x'],
    [system('EEXIST'), 'execution_error', false, 'EEXIST: x'],
    [system('ENOSPC'), 'execution_error', true, 'ENOSPC: x'],
    [system('ETIMEDOUT'), 'timeout', true, 'ETIMEDOUT: x'],
    [
      new TypeError('fetch failed', { cause: system('ECONNREFUSED') }),
      'unavailable',
      true,
      'fetch failed: ECONNREFUSED: x',
    ],
    [AbortSignal.abort().reason, 'execution_error', false, 'The call was cancelled.'],
    [new DOMException('too slow', 'TimeoutError'), 'timeout', true, 'too slow'],
    [system('constructor'), 'execution_error', true, 'constructor: x'],
    [Object.assign(new Error('m'), { domain: 'ToolRegistry', code: 99 }), 'execution_error', true, 'm'],
  ]
  for (const [error, kind, retryable, message] of rows)
    assert.deepEqual(fromError(error), failure({ kind, retryable, message }))
})

test('anything can be thrown', () => {
  const silent = 'The tool failed without saying why.'
  const rows: [unknown, string][] = [
    ['boom', 'boom'],
    [new Error(''), 'Error'],
    [new RangeError('r'), 'r'],
    ...[undefined, null, 0, '', {}, [], Symbol('s'), 5n, Object.create(null), { message: 5 }, () => 0].map(
      (thrown): [unknown, string] => [thrown, silent],
    ),
  ]
  for (const [thrown, message] of rows) assert.equal(fromError(thrown).message, message)
  assert.equal(fromError(Object.assign(new Error('m'), { stack: 'secret' })).message, 'm')
})

test('readers of the caller are asked first', () => {
  class QuotaError extends Error {}
  const made = fromError(new QuotaError('over'), 't', [
    error =>
      error instanceof QuotaError
        ? { kind: 'unavailable', message: 'Quota is used up.', extra: { retry_after: 60 } }
        : undefined,
  ])
  assert.equal(
    serialize(made),
    '{"kind":"unavailable","message":"Quota is used up.","ok":false,"retry_after":60,"retryable":true,"tool":"t"}',
  )
})

test('a call without an answer', () => {
  assert.equal(timedOut('t', 0.5).message, "Tool 't' exceeded the 0.5s execution budget.")
  assert.deepEqual([unknownTool('t').kind, unknownTool('t').retryable], ['tool_not_found', false])
  assert.deepEqual([cancelled('t').kind, cancelled('t').retryable], ['execution_error', false])
})

test('warnings of shell commands', () => {
  const ran = { command: 'ls', exitCode: 0, stdout: '', stderr: '' }
  assert.equal(shellWarnings({ ...ran, command: 'ls 2>/dev/null' }).length, 1)
  assert.deepEqual(shellWarnings({ ...ran, command: 'a | b', stdout: 'x' }), [])
  assert.match(
    shellWarnings({ ...ran, command: 'yes | head', exitCode: 141, stdout: 'y' }).join(),
    /^A pipeline stage was terminated by SIGPIPE/,
  )
})

test('sharing an artifact fails in four ways', () => {
  const rejected = shareArtifactFailure(
    { failure: 'pathRejected', path: '/etc/passwd', root: '/home/agent' },
    't',
  )
  assert.match(rejected.message, /`\/etc\/passwd`.*`\/home\/agent`.*sandbox_search_files/)
  const tried = ['/h/foo.png', '/h/output/foo.png']
  const missing = shareArtifactFailure({ failure: 'fileNotFound', path: 'foo.png', tried })
  assert.equal(missing.message, 'File `foo.png` was not found. Looked at: /h/foo.png, /h/output/foo.png.')
  const failed = shareArtifactFailure({ failure: 'copyFailed', path: 'a', reason: 'disk full' })
  assert.equal(failed.message, 'File `a` could not be copied: disk full.')
  const name = shareArtifactFailure({ failure: 'destinationRejected', filename: 'a/b' })
  assert.deepEqual([name.kind, name.field, name.expected], ['invalid_args', 'filename', 'plain basename'])
})

test('every kind has its meaning', () => {
  const kinds = new Set(Object.values(ERRORS).map(({ kind }) => kind))
  for (const kind of kinds) assert.ok(kind in KINDS)
  assert.equal(Object.keys(KINDS).length, 8)
})
