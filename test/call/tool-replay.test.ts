// Calls recorded by --trace, and what rlp tool replay says of them: alone, beside another bundle, and run again.
import assert from 'node:assert/strict'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { CONFIRM_VARIABLE } from '../../src/call/confirmation.ts'
import { DIFFERENCES, exchangesOf } from '../../src/call/replay.ts'
import { ReadProblem } from '../../src/json/read.ts'
import type { TraceFrame } from '../../src/model/trace.ts'
import { run } from '../support/fake-terminal.ts'
import { PATH, program } from '../support/host.ts'
import { type Envelope, made, RELEASE, type World, world } from '../support/install-world.ts'
import { leaveUnheld } from '../support/unheld.ts'

const base = mkdtempSync(join(tmpdir(), 'rlp-replay-'))
after(() => rmSync(base, { recursive: true, force: true }))

const ECHO = {
  id: 'text.echo',
  description: 'Says it again',
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', properties: { q: { type: 'string' } } },
  result_schema: {},
  capabilities: ['exec:/bin/cat'],
  'x-rlp': { stdin: true },
}
const CANARY = 'canary-5b1f0c'
const SPILL = {
  ...ECHO,
  id: 'text.spill',
  transport: { kind: 'exec', command: program('spill-secret.mjs') },
  capabilities: [],
  secrets: ['runloop/test/key'],
}

let count = 0
function fresh(): World {
  const cwd = join(base, String(count++))
  mkdirSync(cwd)
  const here = world(cwd)
  leaveUnheld(here.home)
  return here
}

/** `mini`, signed and trusted, under the name `file`. */
function bundle(here: World, file: string, tools: readonly object[], caps = 'exec = ["/bin/cat"]\n'): string {
  const text = JSON.stringify({ version: 1, tools })
  return here.put(file, made({ version: '0.1.0', caps, files: { 'tools.json': text } }, RELEASE))
}

async function call(here: World, file: string, id: string, args: string, ...more: string[]): Promise<number> {
  process.env['RUNLOOP_HOME'] = here.home
  const line = ['tool', 'call', id, file, '--args', args, '--trace', 't.ndjson', ...more]
  return (await run(line, undefined, { cwd: here.cwd, env: { PATH, RUNLOOP_TEST_KEY: CANARY } })).exit
}

interface Replayed {
  readonly call: { readonly tool: string; readonly arguments: unknown; readonly bundle: string | null }
  readonly answer: { readonly ok: boolean; readonly replayed: boolean; readonly result?: unknown } | null
  readonly live?: { readonly ok: boolean }
  readonly differences: readonly { readonly code: string }[]
}

async function replay(here: World, ...args: string[]) {
  const { exit, envelope } = await here.rlp('tool', 'replay', 't.ndjson', ...args)
  const calls = (envelope.result?.['calls'] ?? []) as readonly Replayed[]
  const codes = calls.map(({ differences }) => differences.map(({ code }) => code).join())
  return { exit, envelope: envelope as Envelope, calls, codes }
}

describe('rlp tool replay', () => {
  test('answers from the trace, in the order of the calls, and runs nothing', async () => {
    const here = fresh()
    const file = bundle(here, 'a.agent.bundle', [ECHO])
    assert.equal(await call(here, file, 'text.echo', '{"q":"one"}'), 0)
    assert.equal(await call(here, file, 'text.echo', '{"q":2}'), 1)
    assert.equal(await call(here, file, 'text.echo', 'no json'), 1)
    assert.equal(await call(here, file, 'nope', '{}'), 1)
    rmSync(join(here.cwd, file))
    const { exit, calls, codes } = await replay(here)
    assert.deepEqual([exit, codes], [0, ['', '', '', '']])
    assert.deepEqual(
      calls.map(({ call, answer }) => [call.tool, call.arguments, answer?.ok, answer?.replayed]),
      [
        ['text.echo', { q: 'one' }, true, true],
        ['text.echo', { q: 2 }, false, true],
        ['text.echo', 'no json', false, true],
        ['nope', {}, false, true],
      ],
    )
    assert.deepEqual(calls[0]?.answer?.result, { q: 'one' })
    assert.match(calls[0]?.call.bundle ?? '', /^blake3:[0-9a-f]{64}$/)
    assert.equal(statSync(join(here.cwd, 't.ndjson')).mode & 0o777, 0o600)
  })

  test('says what is missing, denied or changed in a bundle', async () => {
    const here = fresh()
    const file = bundle(here, 'a.agent.bundle', [ECHO])
    await call(here, file, 'text.echo', '{"q":"one"}')
    assert.deepEqual((await replay(here, '--bundle', file)).codes, [''])
    const other = (name: string, tools: readonly object[], caps?: string) => bundle(here, name, tools, caps)
    const cases: readonly (readonly [string, string])[] = [
      [other('b.agent.bundle', [{ ...ECHO, description: 'Other' }]), 'bundle_changed'],
      [other('c.agent.bundle', [{ ...ECHO, id: 'text.other' }]), 'bundle_changed,tool_missing'],
      [other('d.agent.bundle', [{ ...ECHO, input_schema: {} }]), 'bundle_changed,schema_changed'],
    ]
    for (const [name, code] of cases) {
      const { exit, codes } = await replay(here, '--bundle', name)
      assert.deepEqual([exit, codes], [1, [code]], name)
    }
    const overrides = join(here.home, 'policy-overrides', 'mini')
    mkdirSync(overrides, { recursive: true })
    writeFileSync(join(overrides, 'policy.caps'), '[capabilities]\nexec = false\n', { mode: 0o644 })
    assert.deepEqual((await replay(here, '--bundle', file)).codes, ['tool_denied'])
  })

  test('runs again what was recorded, and compares the answers', async () => {
    const here = fresh()
    const file = bundle(here, 'a.agent.bundle', [ECHO])
    await call(here, file, 'text.echo', '{"q":"one"}')
    await call(here, file, 'text.echo', '{"q":2}')
    const same = await replay(here, '--bundle', file, '--live')
    assert.deepEqual([same.exit, same.codes], [0, ['', '']])
    assert.deepEqual(
      same.calls.map(({ live }) => live?.ok),
      [true, false],
    )
    const louder = { ...ECHO, transport: { kind: 'exec', command: '/bin/echo', args: ['{"q":"two"}'] } }
    const other = bundle(here, 'b.agent.bundle', [{ ...louder, capabilities: [] }], 'exec = ["/bin/echo"]\n')
    const { exit, codes } = await replay(here, '--bundle', other, '--live')
    assert.deepEqual([exit, codes], [1, ['bundle_changed,answer_changed', 'bundle_changed']])
    assert.equal((await replay(here, '--live')).exit, 2)
  })

  test('asks before it runs a call again, unless the runtime switched its confirmation off', async () => {
    const here = fresh()
    const file = bundle(here, 'a.agent.bundle', [{ ...ECHO, requires_confirmation: true }])
    assert.equal(await call(here, file, 'text.echo', '{"q":"one"}', '--yes'), 0)
    const live = async (value: string | undefined) => {
      const env = { PATH, ...(value !== undefined && { [CONFIRM_VARIABLE]: value }) }
      const argv = ['tool', 'replay', 't.ndjson', '--bundle', file, '--live', '--json']
      const { exit, stdout } = await run(argv, undefined, { cwd: here.cwd, env })
      return [exit, (JSON.parse(stdout) as Envelope).result?.['calls']] as [number, Replayed[] | undefined]
    }
    for (const value of [undefined, 'true']) {
      const [exit, calls] = await live(value)
      assert.deepEqual([exit, calls?.[0]?.live?.ok], [1, false])
    }
    const [exit, calls] = await live('false')
    assert.deepEqual([exit, calls?.[0]?.live?.ok, calls?.[0]?.differences], [0, true, []])
    assert.equal((await live('no'))[0], 2)
  })

  test('compares whole answers, also behind what the model saw', async () => {
    const here = fresh()
    const file = bundle(here, 'a.agent.bundle', [ECHO])
    const long = (end: string) => JSON.stringify({ q: `${'a'.repeat(150_000)}${end}${'b'.repeat(50_000)}` })
    await call(here, file, 'text.echo', '{"q":"short"}')
    await call(here, file, 'text.echo', long('one'))
    const [, short, , cut] = readFileSync(join(here.cwd, 't.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { payload: { result?: unknown; whole?: unknown } }).payload)
    assert.equal(short?.whole, undefined)
    assert.deepEqual(cut?.whole, { ok: true, result: JSON.parse(long('one')) })
    assert.ok(JSON.stringify(cut?.result).length < 110_000)
    const same = await replay(here, '--bundle', file, '--live')
    assert.deepEqual([same.exit, same.codes], [0, ['', '']])
    // The middle, which was cut out for the model, is another.
    const script = here.put('echo.cjs', Buffer.from(`process.stdout.write(${JSON.stringify(long('two'))})`))
    const node = { kind: 'exec', command: process.execPath, args: [join(here.cwd, script)] }
    const other = bundle(
      here,
      'b.agent.bundle',
      [{ ...ECHO, transport: node, capabilities: [] }],
      `exec = ["${process.execPath}"]\n`,
    )
    const { codes } = await replay(here, '--bundle', other, '--live')
    assert.equal(codes[1], 'bundle_changed,answer_changed')
  })

  test('compares the arguments that the tool got', async () => {
    const here = fresh()
    const counting = (type: string) => ({
      ...ECHO,
      input_schema: { type: 'object', properties: { n: { type } } },
    })
    const file = bundle(here, 'a.agent.bundle', [counting('integer')])
    await call(here, file, 'text.echo', '{"n":"7"}')
    const same = await replay(here, '--bundle', file, '--live')
    assert.deepEqual([same.codes, same.calls[0]?.call.arguments], [[''], { n: 7 }])
    const texts = bundle(here, 'b.agent.bundle', [counting('string')])
    await call(here, texts, 'text.echo', '{"n":"7"}')
    const { codes } = await replay(here, '--bundle', file, '--live')
    assert.deepEqual(codes, ['', 'bundle_changed,schema_changed,arguments_changed,answer_changed'])
  })

  test('goes on with a trace whose writer was stopped, and says so', async () => {
    const here = fresh()
    const file = bundle(here, 'a.agent.bundle', [ECHO])
    await call(here, file, 'text.echo', '{"q":"one"}')
    const path = join(here.cwd, 't.ndjson')
    const [first = ''] = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, `${first}\n`)
    appendFileSync(path, '{"content_ty')
    const { exit, codes, envelope } = await replay(here)
    assert.deepEqual([exit, codes], [1, ['no_result']])
    assert.deepEqual(envelope['warnings'], ['The last line of the trace is cut off, and left out'])
    await call(here, file, 'text.echo', '{"q":"two"}')
    assert.deepEqual((await replay(here)).codes, ['no_result', ''])
  })

  test('refuses what is no trace, or was changed, and writes to neither', async () => {
    const here = fresh()
    const file = bundle(here, 'a.agent.bundle', [ECHO])
    await call(here, file, 'text.echo', '{"q":"one"}')
    const path = join(here.cwd, 't.ndjson')
    const good = readFileSync(path, 'utf8')
    assert.equal((await replay(here)).exit, 0)
    for (const [what, text] of [
      ['changed', good.replace('"one"', '"two"')],
      ['no trace', 'hello\n'],
      ['no trace, without a newline', 'hello'],
    ] as const) {
      writeFileSync(path, text)
      const { exit, envelope } = await replay(here)
      assert.deepEqual([exit, envelope.code], [2, 'WRONG_FILE_TYPE'], what)
      assert.equal(await call(here, file, 'text.echo', '{}'), 2, what)
      assert.equal(readFileSync(path, 'utf8'), text)
    }
  })

  test('holds no secret, wherever the tool puts it', async () => {
    const here = fresh()
    const caps = `exec = ["${program('spill-secret.mjs')}"]\nsecrets = ["runloop/test/key"]\n`
    const file = bundle(here, 'a.agent.bundle', [SPILL], caps)
    await call(here, file, 'text.spill', '{"q":"x"}')
    const text = readFileSync(join(here.cwd, 't.ndjson'), 'utf8')
    assert.equal(text.trim().split('\n').length, 2)
    assert.match(text, /\*\*\*REDACTED\*\*\*/)
    assert.doesNotMatch(text, new RegExp(CANARY))
    assert.ok(!text.includes(Buffer.from(CANARY).toString('base64')))
    assert.equal((await replay(here)).exit, 0)
  })

  test('lets many write to one trace', async () => {
    const here = fresh()
    const file = bundle(here, 'a.agent.bundle', [ECHO])
    const exits = await Promise.all(
      Array.from({ length: 5 }, (_, n) => call(here, file, 'text.echo', `{"q":"${n}"}`)),
    )
    assert.deepEqual(new Set(exits), new Set([0]))
    const { exit, calls } = await replay(here)
    assert.deepEqual([exit, calls.length], [0, 5])
  })
})

describe('the frames of a trace', () => {
  const ts = ''
  const asked = (id: string): TraceFrame => ({
    frame: 'CT_TOOL_CALL',
    ts,
    payload: {
      v: 1,
      call_id: id,
      tool: 't',
      arguments: {},
      attempt: 1,
      input_schema: null,
      result_schema: null,
      bundle: null,
    },
  })
  const answered = (id: string, tool = 't'): TraceFrame => ({
    frame: 'CT_TOOL_RESULT',
    ts,
    payload: { v: 1, call_id: id, tool, duration_ms: 1, replayed: false, ok: true, result: 1 },
  })
  const problem = (...frames: TraceFrame[]): string => {
    try {
      return exchangesOf(frames)
        .map(({ call, result }) => `${call.call_id}${result === undefined ? '?' : ''}`)
        .join()
    } catch (error) {
      if (error instanceof ReadProblem) return error.message
      throw error
    }
  }

  test('belong together by name, and may overlap', () => {
    assert.equal(problem(asked('a'), asked('b'), answered('b'), answered('a')), 'a,b')
    assert.equal(problem(asked('a'), asked('b'), answered('b')), 'a?,b')
  })

  test('that do not belong together are refused', () => {
    assert.equal(problem(asked('a'), asked('a')), 'two calls have the name "a"')
    assert.equal(problem(answered('a')), 'an answer names the call "a", which is not there')
    assert.equal(problem(asked('a'), answered('a'), answered('a')), 'the call "a" has two answers')
    assert.equal(problem(asked('a'), answered('a', 'u')), 'the answer to "a" is of another tool')
    assert.equal(problem(asked('__proto__'), answered('__proto__')), '__proto__')
  })
})

test('docs/trace.md has a line for each difference', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/trace.md'), 'utf8')
  const [, text = ''] = page.split('| difference |')
  const rows = [...text.matchAll(/^\| `([a-z_]+)` \| [a-z]/gm)].map(([, code]) => code)
  assert.deepEqual(rows, Object.keys(DIFFERENCES))
})
