// agentcli's tools.json: every shared case of that system and our own, and what must hold for any bytes.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix, win32 } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { auditFile, auditLine, stdinCloseLine } from '../src/format/agentcli/audit.ts'
import {
  failureContent,
  outputProblem,
  stdinOf,
  successContent,
  transcriptContent,
  unknownTool,
} from '../src/format/agentcli/content.ts'
import { toolEnvironment } from '../src/format/agentcli/environment.ts'
import { type LoadedAgentcli, loadAgentcliTools, unreadableAgentcli } from '../src/format/agentcli/load.ts'
import { toOpenAi, toOpenAiJson } from '../src/format/agentcli/openai.ts'
import { outcomeOf, startError } from '../src/format/agentcli/outcome.ts'
import { resolveProgram } from '../src/format/agentcli/program.ts'
import { createRedactor } from '../src/format/agentcli/redact.ts'
import { defaultTimeout, effectiveTimeout } from '../src/format/agentcli/timeout.ts'

const SHARED = join(import.meta.dirname, '../../shared')
const OURS = join(import.meta.dirname, '../fixtures/agentcli/cases.json')

interface Case {
  readonly id: string
  readonly kind: string
  readonly platform?: string
  readonly manifestDir?: string
  readonly input?: unknown
  readonly inputText?: string
  readonly expect?: unknown
  readonly reference?: unknown
  readonly recommended?: unknown
  readonly compare?: string
}

const readCases = (path: string): Case[] => JSON.parse(readFileSync(path, 'utf8')).cases

type Check = (entry: Case, expected: unknown) => void

/** A check of cases whose input and expectation have these types. */
function check<I, E>(run: (input: I, expected: E, entry: Case) => void): Check {
  return (entry, expected) => run(entry.input as I, expected as E, entry)
}

/** One check for each kind of case. */
const CHECKS: Readonly<Record<string, Check>> = {
  loadManifest: check(checkLoad),
  toolContent: check<{ stdout: string; error: string | null }, string>(({ stdout, error }, expected) =>
    assert.equal(error === null ? successContent(stdout) : failureContent(error), expected),
  ),
  toolEnv: check<{ parentEnv: Record<string, string>; envPassthrough: string[] }, object>((input, expected) =>
    assert.deepEqual(toolEnvironment(input.parentEnv, input.envPassthrough), expected),
  ),
  effectiveTimeout: check<{ timeoutSec: number; defaultSec: number }, number>((input, expected) =>
    assert.equal(effectiveTimeout(input.timeoutSec, input.defaultSec), expected),
  ),
  cliToolTimeout: check<object, number>((input, expected) => assert.equal(defaultTimeout(input), expected)),
  stdinFromArguments: check<string, string>((input, expected) => assert.equal(stdinOf(input), expected)),
  redact: check<{ text: string; env: Record<string, string> }, string>(({ text, env }, expected) =>
    assert.equal(createRedactor(env)(text), expected),
  ),
  transcriptHygiene: check(checkHygiene),
  runnerOutcome: check(checkOutcome),
  auditRecordShape: check(checkAudit),
  auditFileForTime: check<string[], string[]>((times, expected) =>
    assert.deepEqual(
      times.map(time => auditFile(new Date(time))),
      expected,
    ),
  ),
  openaiText: check<string, string>((input, expected) =>
    assert.equal(toOpenAiJson(tools(load(input))), expected),
  ),
  outputProblem: check<string, string | null>((input, expected) =>
    assert.equal(outputProblem(input) ?? null, expected),
  ),
}

function load(source: string | Uint8Array, manifestDir = '/m', platform = 'posix'): LoadedAgentcli {
  return loadAgentcliTools(source, { manifestDir, platform: platform === 'windows' ? 'win32' : 'posix' })
}

function tools(loaded: LoadedAgentcli) {
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.error)
  return loaded.tools
}

interface LoadExpectation {
  readonly ok: boolean
  readonly error?: string
  readonly errorPrefix?: string
  readonly result?: {
    readonly tools?: readonly { readonly command: readonly string[] }[]
    readonly openai?: unknown
    /** Of our own cases: one column of the tools. */
    readonly commands?: unknown
    readonly envPassthrough?: unknown
    readonly timeoutSec?: unknown
  }
}

function checkLoad(input: unknown, { ok, error, errorPrefix, result }: LoadExpectation, entry: Case): void {
  const { inputText, manifestDir, platform, compare } = entry
  const loaded =
    inputText === undefined && input === null
      ? unreadableAgentcli('open tools.json: no such file or directory')
      : load(inputText ?? JSON.stringify(input), manifestDir, platform)
  if (!ok) {
    const found = loaded.ok ? '' : loaded.error
    if (errorPrefix === undefined) assert.equal(found, error)
    else assert.ok(found.startsWith(errorPrefix) && found.length > errorPrefix.length, found)
    return
  }
  const found = tools(loaded)
  const { tools: entries, openai, ...columns } = result ?? {}
  if (openai !== undefined) {
    assert.deepEqual(toOpenAi(found), openai)
    assert.deepEqual(JSON.parse(toOpenAiJson(found)), openai)
  }
  const seen = {
    commands: found.map(({ command }) => command),
    envPassthrough: found.map(({ envPassthrough }) => envPassthrough),
    timeoutSec: found.map(({ timeoutSec }) => timeoutSec),
  }
  assert.deepEqual({ ...seen, ...columns }, seen)
  if (entries === undefined) return
  // A case may say that only the part after the manifest's folder counts.
  const plain = (command: readonly string[]) =>
    compare === undefined ? command : command.map(part => part.replaceAll('\\', '/'))
  assert.deepEqual(
    found.map(({ name, command, envPassthrough, timeoutSec }) => ({
      name,
      command: plain(command),
      envPassthrough,
      timeoutSec,
    })),
    entries.map(expected => ({ ...expected, command: plain(expected.command) })),
  )
}

function checkHygiene(
  { contentBytes, debug }: { contentBytes: number; debug: boolean },
  expected: string,
): void {
  for (const content of ['x'.repeat(contentBytes), `é${'x'.repeat(contentBytes - 2)}`]) {
    assert.equal(transcriptContent(content, debug), expected === 'unchanged' ? content : expected)
  }
}

interface OutcomeInput {
  readonly timedOut?: boolean
  readonly sleepMs?: number
  readonly timeoutSec?: number
  readonly exitCode?: number | null
  readonly signal?: string
  readonly stdout?: string
  readonly stderr?: string
}

function checkOutcome(input: OutcomeInput, expected: { readonly error?: string }): void {
  const { sleepMs = 0, timeoutSec = 30, timedOut = sleepMs > timeoutSec * 1000 } = input
  const { exitCode = null, signal = null, stdout = '', stderr = '' } = input
  const { ok, ...found } = outcomeOf({ timedOut, exitCode, signal, stdout, stderr })
  assert.equal(ok, expected.error === undefined)
  assert.deepEqual(found, expected)
}

const RECORD = {
  ts: new Date('2026-03-04T05:06:07.120Z'),
  tool: 'clock',
  argv: ['/opt/clock', '--key=s3cret', '<a>'],
  cwd: '/home/s3cret',
  exit: 0,
  ms: 12,
  stdoutBytes: 3,
  stderrBytes: 0,
  envKeys: ['TZ'],
}

interface AuditExpectation {
  readonly keysInOrder: readonly string[]
  readonly omitWhenEmpty: readonly string[]
  readonly truncatedAlways: boolean
}

function checkAudit(_: unknown, { keysInOrder, omitWhenEmpty, truncatedAlways }: AuditExpectation): void {
  const written = JSON.parse(auditLine(RECORD, text => text))
  assert.deepEqual(Object.keys(written), keysInOrder)
  assert.equal(written.truncated, truncatedAlways)
  const without = JSON.parse(auditLine({ ...RECORD, envKeys: [] }, text => text))
  assert.deepEqual(
    keysInOrder.filter(key => !Object.hasOwn(without, key)),
    omitWhenEmpty,
  )
}

/** `expect` is what that system does and what is recommended; where the two differ, we do what is recommended. */
function expectedOf(entry: Case): unknown {
  const key = (['recommended', 'expect', 'reference'] as const).find(key => Object.hasOwn(entry, key))
  assert.ok(key, 'the case expects nothing')
  return entry[key]
}

describe('our own cases', () => {
  for (const entry of readCases(OURS)) {
    test(`${entry.kind} ${entry.id}`, () => {
      const check = CHECKS[entry.kind]
      assert.ok(check, `no check for cases of the kind ${entry.kind}`)
      check(entry, expectedOf(entry))
    })
  }
})

const sharedCases = join(SHARED, 'cases/agentcli.json')
const skip = existsSync(sharedCases) ? false : 'the shared inputs are not here'
describe('shared cases', { skip }, () => {
  for (const entry of skip ? [] : readCases(sharedCases)) {
    test(`${entry.kind} ${entry.id}`, () => {
      const check = CHECKS[entry.kind]
      assert.ok(check, `no check for cases of the kind ${entry.kind}`)
      check(entry, expectedOf(entry))
    })
  }

  for (const name of ['goagent', 'goagent-readme']) {
    test(`${name}.tools.json loads`, () => {
      const path = join(SHARED, `real/tools/agentcli/${name}.tools.json`)
      const found = tools(load(readFileSync(path), '/repo'))
      assert.ok(found.length > 0)
      for (const { name, command } of found) assert.equal(command[0], `/repo/tools/bin/${name}`)
    })
  }
})

describe('what no JSON case can hold', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
  const nested = (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`

  test('bytes that are no UTF-8 become U+FFFD', () => {
    const source = bytes('{"tools":[{"name":"a', [0xff], '","command":[]}]}')
    assert.deepEqual(load(source), {
      ok: false,
      error: 'tool[0] "a\ufffd": command must have at least program name',
      at: ['tools', 0, 'command'],
    })
  })

  test('10,000 levels are read, one more is not', () => {
    assert.deepEqual(load(nested(9999)), { ok: true, tools: [] })
    assert.deepEqual(load(nested(10_000)), { ok: false, error: 'parse manifest: exceeded max depth' })
    assert.deepEqual(load('['.repeat(5_000_000)), { ok: false, error: 'parse manifest: exceeded max depth' })
  })

  test('a file above the limit is not looked into', () => {
    const loaded = load(new Uint8Array(16 * 1024 * 1024 + 1))
    assert.equal(loaded.ok, false)
    assert.match(loaded.ok ? '' : loaded.error, /^parse manifest: the file is larger than/)
  })

  test('millions of entries are not held at once', () => {
    const source = `{"tools":[${'{},'.repeat(400_000)}{}]}`
    assert.deepEqual(load(source), { ok: false, error: 'tool[0]: name is required', at: ['tools', 0] })
  })

  test('places of errors', () => {
    const place = (source: string) => {
      const loaded = load(source)
      return loaded.ok ? undefined : (loaded.at ?? loaded.offset)
    }
    assert.deepEqual(place('{"tools":[{"NAME":""}]}'), ['tools', 0, 'NAME'])
    assert.deepEqual(place('{"Tools":[{"name":"a","command":["x"]}]}'), ['Tools', 0, 'command', 0])
    assert.deepEqual(place('{"tools":[{"name":"a","command":["/x"],"envPassthrough":["A","-"]}]}'), [
      'tools',
      0,
      'envPassthrough',
      1,
    ])
    assert.deepEqual(place('{"tools":[{"name":"a","command":[1]}]}'), ['tools', 0, 'command', 0])
    assert.equal(place('{"tools":[}'), 10)
  })
})

test('an audit line is one line of JSON, redacted where it can hold secrets', () => {
  const redact = createRedactor({ OAI_API_KEY: 's3cret' })
  const line = auditLine(RECORD, redact)
  assert.equal(
    line,
    '{"ts":"2026-03-04T05:06:07.12Z","tool":"clock","argv":["/opt/clock","--key=***REDACTED***","\\u003ca\\u003e"],"cwd":"/home/***REDACTED***","exit":0,"ms":12,"stdoutBytes":3,"stderrBytes":0,"truncated":false,"envKeys":["TZ"]}\n',
  )
  assert.equal(
    stdinCloseLine(new Date('2026-03-04T05:06:10Z'), 'clock', 'broken\npipe'),
    '{"ts":"2026-03-04T05:06:10Z","event":"stdin_close_error","tool":"clock","error":"broken\\npipe"}\n',
  )
})

test('errors that the runner makes', () => {
  assert.equal(failureContent(unknownTool('clock')), '{"error":"unknown tool: clock"}')
  assert.equal(startError('no such file'), 'start: no such file')
})

const jsonText = fc.json({ maxDepth: 4 })
/** Documents that come close: the right keys, values of any type, programs full of dots. */
const program = fc
  .array(fc.constantFrom('.', '..', 'tools', 'bin', 'x', '', 'C:', '/', '\\', './', '../', ' '), {
    maxLength: 8,
  })
  .chain(parts => fc.constantFrom('/', '\\', '').map(separator => parts.join(separator)))
  .chain(path => fc.constantFrom('', './tools/bin/', 'tools\\bin\\').map(start => start + path))
const entry = fc.record(
  {
    name: fc.oneof(fc.string(), fc.constantFrom('a', 'b')),
    command: fc.array(fc.oneof(program, fc.string()), { minLength: 1, maxLength: 2 }),
    envPassthrough: fc.array(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.constantFrom('tz', ' A_1 ', 'ß', 'ı', 'ſ')),
      {
        maxLength: 3,
      },
    ),
    schema: fc.jsonValue(),
    timeoutSec: fc.oneof(fc.integer(), fc.double()),
    description: fc.string({ unit: 'binary' }),
  },
  { requiredKeys: ['name', 'command'] },
)

describe('whatever the input', () => {
  test('loading never throws, and an error has one of the forms', () => {
    const form = /^(?:parse manifest: .|tool\[\d+\]: name is required$|tool\[\d+\] ".*": .)/s
    const source = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      jsonText,
      fc.record({ tools: fc.array(entry, { maxLength: 3 }) }).map(value => JSON.stringify(value)),
      fc.record({ tools: fc.array(fc.jsonValue(), { maxLength: 3 }) }).map(value => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(source, source => {
        const loaded = load(source)
        if (!loaded.ok) assert.match(loaded.error, form)
        else
          assert.deepEqual(
            JSON.parse(toOpenAiJson(loaded.tools)),
            JSON.parse(JSON.stringify(toOpenAi(loaded.tools))),
          )
      }),
      { numRuns: 2000 },
    )
  })

  test('a relative program stays below tools/bin, on both kinds of host', () => {
    let accepted = 0
    fc.assert(
      fc.property(program, written => {
        for (const [platform, host, dir] of [
          ['posix', posix, '/srv/a'],
          ['win32', win32, 'C:\\srv\\a'],
        ] as const) {
          const found = resolveProgram(written, dir, platform)
          if (!found.ok || found.relative === undefined) continue
          accepted++
          const bin = host.join(dir, 'tools', 'bin') + host.sep
          assert.ok(
            found.path.startsWith(bin) && found.path.length > bin.length,
            `${written} became ${found.path}`,
          )
          assert.ok(!found.path.split(/[\\/]/).includes('..'), `${written} became ${found.path}`)
          assert.match(found.relative, /^\.\/tools\/bin\/[^/]/)
        }
      }),
      { numRuns: 5000 },
    )
    assert.ok(accepted > 100, `only ${accepted} programs were accepted`)
  })

  test('names of variables always match the pattern, and stand once', () => {
    fc.assert(
      fc.property(entry, entry => {
        const loaded = load(
          JSON.stringify({ tools: [{ ...entry, command: ['/x'], name: 'a', timeoutSec: 1 }] }),
        )
        if (!loaded.ok) return
        const [tool] = loaded.tools
        for (const name of tool?.envPassthrough ?? []) assert.match(name, /^[A-Z_][A-Z0-9_]*$/)
        assert.equal(new Set(tool?.envPassthrough).size, tool?.envPassthrough.length)
      }),
      { numRuns: 2000 },
    )
  })

  test('what the model reads is one line, and JSON keeps its value', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.jsonValue().map(value => JSON.stringify(value, null, 3)),
        ),
        stdout => {
          const content = successContent(stdout)
          assert.doesNotMatch(content, /[\r\n\t]/)
          let value: unknown
          try {
            value = JSON.parse(stdout)
          } catch {
            return // Only JSON has a value to keep.
          }
          assert.deepEqual(JSON.parse(content), value)
        },
      ),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), error => {
        const content = failureContent(error)
        assert.doesNotMatch(content, /[\r\n<>&]/)
        const { error: kept } = JSON.parse(content)
        assert.ok(Buffer.byteLength(kept) <= 1000)
        assert.ok(error.toWellFormed().startsWith(kept))
      }),
    )
  })

  test('no configured key survives redaction', () => {
    const word = fc.stringMatching(/^[a-z.*+?()[\]-]{1,6}$/)
    fc.assert(
      fc.property(word, word, word, fc.array(word, { maxLength: 6 }), (a, b, pattern, others) => {
        const env = { OAI_API_KEY: a, OPENAI_API_KEY: b, GOAGENT_REDACT: pattern }
        const text = [...others, a, b, a].join(' ')
        const left = createRedactor(env)(text).split('***REDACTED***')
        for (const part of left) assert.ok(!part.includes(a) && !part.includes(b), `${part} of ${text}`)
      }),
    )
  })
})
