// agentcli's tools.json: real files, and what must hold for any bytes. Its cases are in cases/agentcli.ts.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix, win32 } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { failureContent, successContent, toAgentcliContent } from '../../src/agentcli/answer.ts'
import { auditLine, eventLine } from '../../src/agentcli/audit.ts'
import { resolveProgram } from '../../src/agentcli/load.ts'
import { toOpenAi, toOpenAiJson } from '../../src/agentcli/openai.ts'
import { createRedactor } from '../../src/agentcli/redact.ts'
import { RlpError } from '../../src/model/error.ts'
import { load, RECORD, tools } from '../cases/agentcli.ts'
import { anyText } from '../support/any-text.ts'
import { runs } from '../support/runs.ts'

const SHARED = join(import.meta.dirname, '../../../shared')

const skip = existsSync(SHARED) ? false : 'the shared inputs are not here'
describe('real files', { skip }, () => {
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
    assert.deepEqual(load('['.repeat(1_000_000)), { ok: false, error: 'parse manifest: exceeded max depth' })
  })

  test('a file above the limit is not looked into', () => {
    const loaded = load(new Uint8Array(16 * 1024 * 1024 + 1))
    assert.equal(loaded.ok, false)
    assert.match(loaded.ok ? '' : loaded.error, /^parse manifest: the file is larger than/)
  })

  test('many entries are not held at once', () => {
    const source = `{"tools":[${'{},'.repeat(100_000)}{}]}`
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

test('an audit line is one line of JSON, redacted where it can hold secrets', async () => {
  const redact = await createRedactor({ OAI_API_KEY: 's3cret' })
  const line = auditLine(RECORD, redact)
  assert.equal(
    line,
    '{"ts":"2026-03-04T05:06:07.12Z","tool":"clock","argv":["/opt/clock","--key=***REDACTED***","\\u003ca\\u003e"],"cwd":"/home/***REDACTED***","exit":0,"ms":12,"stdoutBytes":3,"stderrBytes":0,"truncated":false,"envKeys":["TZ"]}\n',
  )
  assert.equal(
    eventLine(new Date('2026-03-04T05:06:10Z'), 'stdin_close_error', 'clock', 'broken\npipe'),
    '{"ts":"2026-03-04T05:06:10Z","event":"stdin_close_error","tool":"clock","error":"broken\\npipe"}\n',
  )
})

test('patterns mean what they mean to RE2', async () => {
  const rows = [
    ['key-[[:alnum:]]+', 'key-abc9!', 'key-abc9'],
    ['(?i:secret)', 'a SeCret b', 'SeCret'],
    ['\\pL+', '1 héé 2', 'héé'],
    ['\\p{Greek}+', 'a αβ', 'αβ'],
    ['\\Qa.b\\E', 'axb a.b', 'a.b'],
    ['\\Aab', 'ab ab', 'ab'],
    ['ab\\z', 'ab\nab', 'ab'],
    ['\\x{73}k', 'sk', 'sk'],
    ['(?P<n>x+)', 'axx', 'xx'],
    ['(?i)pass(word)?=\\S+', 'PassWord=é\u2028x y', 'PassWord=é\u2028x'],
    ['[]\\w\\-]+k', 'a ]-_k', ']-_k'],
    ['a|abc', 'xabcd', 'abc'],
    ['a{2}b}', 'aab}', 'aab}'],
    ['x.y', 'x\ny x\ry', 'x\ry'],
    ['k-.', 'k-😀 é', 'k-😀'],
    ['[', 'x[ y', '['],
    ['a**', 'b a** c', 'a**'],
    ['C:\\Users', 'at C:\\Users', 'C:\\Users'],
  ] as const
  for (const [pattern, text, masked] of rows) {
    const redact = await createRedactor({ GOAGENT_REDACT: ` none-of-it ;${pattern}` })
    const made = redact(text)
    assert.ok(made.includes('***REDACTED***'), pattern)
    const [before = '', after = ''] = made.split('***REDACTED***')
    assert.ok(
      text.includes(`${before}${masked}`) && text.endsWith(after.replaceAll('***REDACTED***', '')),
      made,
    )
    assert.equal(before + masked, text.slice(0, before.length + masked.length), pattern)
  }
  assert.equal(
    await redactorOf({ GOAGENT_REDACT: 'aba' }).then(redact => redact?.('xababax')),
    'x***REDACTED***x',
  )
})

test('a pattern that is not read here is refused, loudly', async () => {
  for (const pattern of [
    'sk-(?=x)',
    '(?<!a)b',
    '(a)\\1',
    'a{1001}',
    '\\cA',
    '(?U)a+',
    '(?s:a)',
    '[[:^alpha:]]',
    '^*a',
  ])
    await assert.rejects(
      createRedactor({ GOAGENT_REDACT: `fine;${pattern}` }),
      ({ code, message, hint }: RlpError) =>
        code === 'USAGE' && message.includes('which is not read here') && hint !== undefined,
      pattern,
    )
})

test('what a pattern masks is what the engine finds, and takes no longer for an odd text', async () => {
  for (const pattern of ['a+9', '[a-b]+\\.?', '(?:ab|b9)+', '\\b9.*', 'a*b{2}']) {
    const redact = await createRedactor({ GOAGENT_REDACT: pattern })
    const engine = new RegExp(pattern, 'gu')
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '9', '.', ' ', '😀') }), text =>
        assert.equal(
          redact(text),
          text.replace(engine, found => (found === '' ? '' : '***REDACTED***')),
        ),
      ),
      { numRuns: runs(200) },
    )
  }
  const redact = await createRedactor({ GOAGENT_REDACT: '(a*)*b' })
  assert.equal(redact('c aab'), 'c ***REDACTED***')
  assert.equal(redact('a'.repeat(100_000)), '***REDACTED***')
})

/** Undefined where it is refused. */
async function redactorOf(env: Record<string, string>): Promise<((text: string) => string) | undefined> {
  try {
    return await createRedactor(env)
  } catch (error) {
    if (error instanceof RlpError) return undefined
    throw error
  }
}

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
      fc.oneof(anyText({ maxLength: 4 }), fc.constantFrom('tz', ' A_1 ', 'ß', 'ı', 'ſ')),
      {
        maxLength: 3,
      },
    ),
    schema: fc.jsonValue(),
    timeoutSec: fc.oneof(fc.integer(), fc.double()),
    description: anyText(),
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
      { numRuns: runs(2000) },
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
      { numRuns: runs(5000) },
    )
    assert.ok(accepted > 100, `only ${accepted} programs were accepted`)
  })

  test('names of variables always match the pattern, and appear once', () => {
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
      { numRuns: runs(2000) },
    )
  })

  test('what the model reads is one line, and JSON keeps its value', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
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
      fc.property(anyText({ maxLength: 2000 }), error => {
        const content = failureContent(error)
        assert.doesNotMatch(content, /[\r\n<>&]/)
        const { error: kept } = JSON.parse(content)
        assert.ok(Buffer.byteLength(kept) <= 1000)
        assert.ok(error.toWellFormed().startsWith(kept))
      }),
    )
  })

  test('toAgentcliContent: what a program printed and how it ended → the tool message', () => {
    const ended = (stdout: string, stderr = '', exitCode: number | null = 0) =>
      toAgentcliContent({ exitCode, stdout, stderr })
    assert.equal(ended('{"now":\n 12}\n', 'ignored'), '{"now": 12}')
    assert.equal(ended(' \n'), '{}')
    assert.equal(ended('two\n lines'), 'two lines')
    assert.equal(ended('{}', 'no such <zone>', 1), '{"error":"no such \\u003czone\\u003e"}')
    assert.equal(ended('', '', 3), '{"error":"exit status 3"}')
    const killed = { exitCode: null, signal: 'SIGKILL', stdout: 'x', stderr: '' }
    assert.equal(toAgentcliContent(killed), '{"error":"signal: killed"}')
    assert.equal(toAgentcliContent({ ...killed, timedOut: true, stderr: 'y' }), '{"error":"tool timed out"}')
    const long = { exitCode: 0, stdout: JSON.stringify('x'.repeat(8191)), stderr: '' }
    assert.equal(toAgentcliContent(long), '{"truncated":true,"reason":"large-tool-output"}')
    assert.equal(toAgentcliContent(long, { debug: true }), long.stdout)
    const short = { ...long, stdout: JSON.stringify('x'.repeat(8190)) }
    assert.equal(toAgentcliContent(short), short.stdout)
  })

  test('no configured key survives redaction', async () => {
    const word = fc.stringMatching(/^[a-z.*+?()[\]-]{1,6}$/)
    await fc.assert(
      fc.asyncProperty(word, word, word, fc.array(word, { maxLength: 6 }), async (a, b, pattern, others) => {
        const env = { OAI_API_KEY: a, OPENAI_API_KEY: b, GOAGENT_REDACT: pattern }
        const redact = await redactorOf(env)
        const text = [...others, a, b, a].join(' ')
        if (redact === undefined) return
        const left = redact(text).split('***REDACTED***')
        for (const part of left) assert.ok(!part.includes(a) && !part.includes(b), `${part} of ${text}`)
      }),
    )
  })
})
