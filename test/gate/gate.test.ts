// rlp gate: one line in, one line out, and nothing but a trusted bundle is allowed. The examples of docs/gate.md are run as they are written.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Gate, runGate } from '../../src/gate/gate.ts'
import type { GateAnswer } from '../../src/gate/question-answer.ts'
import { RlpError } from '../../src/model/error.ts'
import { GATE_LIMITS } from '../../src/model/limits.ts'
import { bundleOf, writeTree } from '../support/agent.ts'
import { channelWith, pinOf, publish, withHeartbeat, withRelease } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { PYTHON } from '../support/python.ts'
import { PROGRAM } from '../support/run.ts'
import { LATE } from '../support/runs.ts'
import { ASKING, KEYS, POLICY, signed } from '../support/trust-world.ts'

const PAGE = readFileSync('docs/gate.md', 'utf8')
const folder = temporary('gate')
const NAME = 'mini-1.0.0.agent.bundle'
const BYTES = bundleOf(signed(ASKING, 'release'))
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A folder with a trusted bundle, and the home that trusts it. */
function world(name: string) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  const policy = join(home, 'trust-policy.toml')
  writeFileSync(policy, POLICY, { mode: 0o600 })
  writeFileSync(join(cwd, NAME), BYTES)
  process.env['RUNLOOP_HOME'] = home
  return { cwd, home, policy }
}

/** Lines as the gate gets them: a value is written as JSON. */
type Line = string | Uint8Array | object

const written = (line: Line) =>
  typeof line === 'string' || line instanceof Uint8Array ? line : `${JSON.stringify(line)}\n`

/** Each step may change the world before it gives a line. */
async function asked(cwd: string, lines: Iterable<Line>, more: Partial<Gate> = {}): Promise<GateAnswer[]> {
  const answers: string[] = []
  await runGate({
    questions: (async function* () {
      for (const line of lines) yield Buffer.from(written(line) as string)
    })(),
    answer: line => void answers.push(line),
    unread: () => 0,
    isOver: () => false,
    onDefect: error => assert.fail(error as Error),
    cwd,
    signal: new AbortController().signal,
    trust: {},
    ...more,
  })
  for (const line of answers) assert.match(line, /^\{[^\n]*\}\n$/)
  return answers.map(line => JSON.parse(line) as GateAnswer)
}

/** Verdict and first code of each answer; none of them may allow. */
function refusals(answers: readonly GateAnswer[]): string[] {
  for (const answer of answers) assert.equal(answer.allow, false, JSON.stringify(answer))
  return answers.map(({ verdict, reasons }) => `${verdict} ${reasons[0]?.code}`)
}

test('a path and bytes: the bytes that were judged are named, and each verdict is told', async () => {
  const { cwd } = world('verdicts')
  writeFileSync(join(cwd, `${NAME}.gz`), gzipSync(BYTES))
  writeFileSync(join(cwd, 'stranger.bundle'), bundleOf(signed(ASKING, 'stranger')))
  writeTree(join(cwd, 'mini'), signed(ASKING, 'release'))
  const changed = Uint8Array.from(BYTES)
  changed.set([changed[600] === 65 ? 66 : 65], 600)
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  const [path, bytes, gzip, ...others] = await asked(cwd, [
    { id: 'a', bundle: NAME },
    { id: 2, bytes: base64(BYTES), expect: 'mini@^1.0' },
    { bundle: `${NAME}.gz`, expect: 'any' },
    { bundle: NAME, expect: 'other' },
    { bundle: 'stranger.bundle', expect: 'mini' },
    { bytes: base64(changed), expect: 'mini' },
    { bytes: base64(bundleOf(ASKING)), expect: 'mini' },
    { bundle: 'mini', expect: 'mini' },
    { bundle: 'missing.bundle', expect: 'mini' },
  ])
  assert.deepEqual(path, {
    id: 'a',
    allow: true,
    verdict: 'trusted',
    reasons: [],
    sha256: sha256(BYTES),
    identity: path?.identity,
    agent: { name: 'mini', version: '1.0.0' },
  })
  assert.match(path?.identity ?? '', /^blake3:[0-9a-f]{64}$/)
  assert.deepEqual(bytes, { ...path, id: 2 })
  assert.deepEqual(gzip, { ...path, id: null, sha256: sha256(readFileSync(join(cwd, `${NAME}.gz`))) })
  assert.deepEqual(refusals(others), [
    'untrusted unexpected_agent',
    'untrusted no_counted_signature',
    'invalid statement_mismatch',
    'unsigned no_signature',
    'indeterminate no_bytes',
    'indeterminate unreadable',
  ])
})

describe('what is no bundle', () => {
  test('digests name bytes only if their form is sound', async () => {
    const { cwd } = world('digests')
    const small = ['', 'x', 'secret\n', 'y'.repeat(511)]
    const large = [readFileSync('/etc/passwd'), Buffer.alloc(5000, 'z'), BYTES.subarray(0, -1)]
    const contents = [...small.map(text => Buffer.from(text)), ...large]
    contents.forEach((bytes, at) => {
      writeFileSync(join(cwd, `f${at}`), bytes)
    })
    mkdirSync(join(cwd, 'folder'))
    writeFileSync(join(cwd, 'folder/manifest.toml'), 'token = "secret"\n')
    const questions = [
      ...contents.map((_, at) => ({ bundle: `f${at}`, expect: 'any' })),
      ...contents.map(bytes => ({ bytes: bytes.toString('base64'), expect: 'any' })),
      { bundle: 'folder', expect: 'any' },
    ]
    const [good, ...answers] = await asked(cwd, [{ bundle: NAME }, ...questions])
    assert.deepEqual([good?.allow, good?.sha256], [true, sha256(BYTES)])
    refusals(answers)
    for (const [at, answer] of answers.entries())
      assert.deepEqual([answer.sha256, answer.identity], [null, null], JSON.stringify(questions[at]))
    // A bundle that is not trusted is named all the same: its form is sound.
    const stranger = bundleOf(signed(ASKING, 'stranger'))
    const [other] = await asked(cwd, [{ bytes: stranger.toString('base64'), expect: 'any' }])
    assert.equal(other?.sha256, sha256(stranger))
    assert.match(other?.identity ?? '', /^blake3:/)
  })

  test('links, pipes and devices are not opened, also as statements', async () => {
    const { cwd } = world('not-opened')
    const pipe = (name: string) => spawnSync('mkfifo', [join(cwd, name)])
    pipe('pipe')
    symlinkSync(NAME, join(cwd, 'link'))
    symlinkSync('.', join(cwd, 'folder-link'))
    const names = ['pipe', 'link', 'folder-link', '/dev/tty', '/dev/null', '/dev/zero', '/proc/kmsg']
    const began = performance.now()
    // A program that writes into a pipe waits until it is opened for reading: this one must not be woken.
    const writer = spawn('sh', ['-c', 'echo opened > pipe'], { cwd })
    const answers = await asked(
      cwd,
      names.map(bundle => ({ bundle, expect: 'mini' })),
    )
    refusals(answers)
    assert.ok(performance.now() - began < 5000)
    const says = answers.map(({ reasons }) => reasons[0]?.message ?? '')
    assert.deepEqual(
      says.map(text => /symbolic link|regular file|is empty|cut off/.exec(text)?.[0]),
      ['regular file', 'symbolic link', 'symbolic link', ...Array(3).fill('regular file'), 'is empty'],
    )
    // Statements that a policy asks for, in a pipe or behind a link: not read, and not waited for.
    const attested = await asked(cwd, [
      { bundle: NAME, attestations: 'pipe' },
      { bundle: NAME, attestations: 'link' },
    ])
    assert.deepEqual(
      attested.map(({ allow }) => allow),
      [true, true],
    )
    assert.equal(writer.exitCode, null)
    writer.kill()
  })
})

test('a line that is no question gets an answer, and the next one is read', async () => {
  const { cwd } = world('bad-lines')
  const good = { id: 1, bundle: NAME }
  const long = Buffer.alloc(GATE_LIMITS.lineBytes + 1, 'x')
  const bad: Line[] = [
    '\n',
    'nonsense\n',
    '[]\n',
    '{"id":1,"id":2,"bundle":"x"}\n',
    '{"id":1,"__proto__":{},"bundle":"x"}\n',
    Buffer.from([0xff, 0x0a]),
    { id: { a: 1 }, bundle: NAME },
    { id: 0.5, bundle: NAME },
    { id: 'x'.repeat(201), bundle: NAME },
    { id: 1 },
    { id: 1, bundle: NAME, bytes: '' },
    { id: 1, bundle: NAME, allow_unsigned: true },
    { id: 1, bundle: '' },
    { id: 1, bundle: 'a\0b', expect: 'mini' },
    { id: 1, bundle: 'x'.repeat(5000), expect: 'mini' },
    { id: 1, bundle: NAME, expect: 'not/a name' },
    { id: 1, bundle: 'stranger.bundle' },
    { id: 1, bytes: 'AAAA' },
    { id: 1, bytes: 'AA A=', expect: 'mini' },
    { id: 1, bundle: NAME, within_ms: 0 },
    { id: 1, bundle: NAME, within_ms: '5' },
    { id: 1, bundle: NAME, within_ms: 1e9 },
    { id: 1, bundle: 'oci-layout:here:1' },
    `[${'[],'.repeat(1000)}[]]\n`,
    Buffer.concat([long, Buffer.from('\n')]),
  ]
  const lines = bad.flatMap(line => [line, good])
  const answers = await asked(cwd, lines)
  assert.equal(answers.length, lines.length)
  assert.ok(answers.every(({ allow }, at) => allow === (at % 2 === 1)))
  const refused = refusals(answers.filter((_, at) => at % 2 === 0))
  assert.deepEqual([...new Set(refused)], ['indeterminate bad_question'])
  // The last line needs no newline, and half a line is no question.
  const cut = await asked(cwd, [JSON.stringify(good)])
  assert.deepEqual([cut[0]?.allow, cut.length], [true, 1])
  assert.deepEqual(refusals(await asked(cwd, [JSON.stringify(good).slice(0, -1)])), [
    'indeterminate bad_question',
  ])
})

test('policies and revocations are read for each question', async () => {
  const { cwd, policy } = world('changes')
  const changes = [
    () => {},
    () => writeFileSync(policy, `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = "lost" }\n`),
    () => writeFileSync(policy, 'nonsense'),
    () => chmodSync(policy, 0o666),
    () => {
      writeFileSync(policy, POLICY)
      chmodSync(policy, 0o600)
    },
  ]
  const answers = await asked(
    cwd,
    (function* () {
      for (const change of changes) {
        change()
        yield { bundle: NAME }
      }
    })(),
  )
  assert.deepEqual(
    answers.map(({ allow, verdict }) => `${allow} ${verdict}`),
    ['true trusted', 'false revoked', 'false indeterminate', 'false indeterminate', 'true trusted'],
  )
})

describe('what cannot be told in time is refused', () => {
  test('a pipe, a device and a folder of neither do not hold it up', async () => {
    const { cwd } = world('odd')
    spawnSync('mkfifo', [join(cwd, 'pipe')])
    const names = ['pipe', '/dev/zero', '/dev/tty', 'home', 'oci-layout:home:1.0.0']
    const answers = await asked(cwd, [...names.map(bundle => ({ bundle, expect: 'mini' })), { bundle: NAME }])
    assert.equal(answers.pop()?.allow, true)
    assert.equal(refusals(answers).length, names.length)
  })

  test('a registry that does not answer', async t => {
    const { cwd } = world('registry')
    const server = createServer(() => {})
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    t.after(() => server.close())
    const { port } = server.address() as { port: number }
    const began = performance.now()
    const answers = await asked(cwd, [
      { id: 1, bundle: `oci://127.0.0.1:${port}/mini:1.0.0`, within_ms: 150 },
      { id: 2, bundle: NAME },
    ])
    assert.ok(performance.now() - began < 5_000)
    assert.equal(answers[1]?.allow, true)
    assert.deepEqual(refusals(answers.slice(0, 1)), ['indeterminate out_of_time'])
  })

  test('a large file', async () => {
    const { cwd } = world('large')
    // The header of a large file; what follows is read and digested.
    const large = bundleOf({ ...ASKING, 'data.bin': new Uint8Array(600_000) })
    const at = large.indexOf('agent.bundle/data.bin')
    large.write('04000000000\0', at + 124, 'latin1')
    const header = large.subarray(at, at + 512)
    header.fill(' ', 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    large.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148, 'latin1')
    writeFileSync(join(cwd, 'large.bundle'), large)
    truncateSync(join(cwd, 'large.bundle'), 60_000_000)
    const question = { bundle: 'large.bundle', expect: 'mini' }
    const [late, inTime] = await asked(cwd, [
      { ...question, within_ms: 5 },
      { ...question, within_ms: 60_000 },
    ])
    assert.deepEqual(refusals([late as GateAnswer, inTime as GateAnswer]), [
      'indeterminate out_of_time',
      'invalid not_canonical',
    ])
  })
})

test('a defect of the program refuses the question, and is told', async () => {
  const { cwd } = world('defect')
  const defects: unknown[] = []
  const trust = {
    get trustPolicy(): string {
      throw new TypeError('a defect')
    },
  }
  const question = { bundle: NAME }
  assert.equal((await asked(cwd, [question]))[0]?.allow, true)
  const answers = await asked(cwd, [question], { trust, onDefect: error => void defects.push(error) })
  assert.deepEqual(
    [refusals(answers), defects.map(String)],
    [['indeterminate internal_error'], ['TypeError: a defect']],
  )
})

test('of more than 20 reasons the last says how many are left out', async () => {
  const { cwd } = world('more-reasons')
  const reasonsOf = async (count: number) => {
    const files = Array.from({ length: count }, (_, at) => [`f${at}`, ''] as const)
    writeFileSync(
      join(cwd, 'odd.bundle'),
      bundleOf({ ...signed(ASKING, 'release'), ...Object.fromEntries(files) }),
    )
    const [answer] = await asked(cwd, [{ bundle: 'odd.bundle', expect: 'mini' }])
    return answer?.reasons.map(({ code, message }) => [code, message]) ?? []
  }
  const all = await reasonsOf(20)
  assert.deepEqual([all.length, all.at(-1)?.[0]], [20, 'manifest/digest-missing'])
  const some = await reasonsOf(25)
  assert.deepEqual([some.length, some.at(-1)], [21, ['more', '… and 5 more']])
})

test('a stop ends it without an answer, and a reader that is gone without reading on', async () => {
  const { cwd } = world('ends')
  const stop = new AbortController()
  const lines = function* () {
    yield { bundle: NAME }
    stop.abort()
    yield { bundle: NAME }
  }
  const isCancelled = (error: unknown) => error instanceof RlpError && error.code === 'CANCELLED'
  await assert.rejects(asked(cwd, lines(), { signal: stop.signal }), isCancelled)
  let read = 0
  const counted = function* () {
    for (; read < 9; read++) yield { bundle: NAME }
  }
  await asked(cwd, counted(), { isOver: () => read > 1 })
  assert.ok(read < 4)
})

describe('the program, as docs/gate.md shows it', { skip: LATE }, () => {
  const { cwd, home } = world('page')
  mkdirSync(join(cwd, 'bin'))
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
  const line = [process.execPath, ...PROGRAM].map(quote).join(' ')
  writeFileSync(join(cwd, 'bin/rlp'), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 })
  writeFileSync(join(cwd, 'stranger.bundle'), bundleOf(signed(ASKING, 'stranger')))
  const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: cwd, RUNLOOP_HOME: home }
  const start = (program: string, args: readonly string[], input = '') =>
    spawnSync(program, args, { cwd, env, input, encoding: 'utf8', timeout: 30_000 })
  const has = (program: string) => spawnSync(program, ['--version']).error === undefined
  const block = (language: string, first: string) =>
    new RegExp(`\`\`\`${language}\n(# ${first}[\\s\\S]*?)\`\`\``).exec(PAGE)?.[1] ?? assert.fail(first)

  test('exit code 0 after the last question, and whole lines for a reader that leaves', () => {
    const question = JSON.stringify({ bundle: NAME })
    const ended = start('sh', ['-c', 'rlp gate'], `${question}\nnonsense\n${question}`)
    assert.deepEqual([ended.status, ended.stderr], [0, ''])
    assert.equal(ended.stdout.match(/"allow":true/g)?.length, 2)
    assert.equal(start('sh', ['-c', `yes '${question}' | rlp gate | head -1`]).stdout.match(/\n/g)?.length, 1)
    const full = start('sh', ['-c', 'rlp gate > /dev/full'], `${question}\n`)
    assert.deepEqual([full.status, /ENOSPC/.test(full.stderr)], [3, true])
  })

  test('from a shell', t => {
    if (!has('jq')) return t.skip('jq is not installed')
    writeFileSync(join(cwd, 'ask.sh'), block('sh', 'ask.sh'))
    assert.deepEqual(start('sh', ['ask.sh', NAME, 'mini']).status, 0)
    const refused = start('sh', ['ask.sh', 'stranger.bundle', 'mini'])
    assert.deepEqual([refused.status, refused.stderr.split('\n')[0]], [1, 'untrusted'])
  })

  test('from Python', t => {
    if (!has(PYTHON)) return t.skip('python3 is not installed')
    writeFileSync(join(cwd, 'ask.py'), block('python', 'ask.py'))
    assert.equal(start(PYTHON, ['ask.py', NAME, 'mini']).stdout, `${sha256(BYTES)}\n`)
    assert.equal(start(PYTHON, ['ask.py', 'stranger.bundle', 'mini']).status, 1)
  })

  test('behind HTTP', async () => {
    const script = resolve('fixtures/gate/admission.mjs')
    assert.ok(PAGE.includes(`(../fixtures/gate/admission.mjs)`) && dirname(script).endsWith('fixtures/gate'))
    const service = spawn(process.execPath, [script, '0', 'rlp', 'gate'], { cwd, env })
    try {
      const address = await listening(service)
      const post = async (body: string) => {
        const { status, ...response } = await answerOf(address, body)
        return [status, response.body.allow]
      }
      assert.deepEqual(await post(JSON.stringify({ bundle: NAME })), [200, true])
      assert.deepEqual(await post(JSON.stringify({ bundle: 'stranger.bundle', expect: 'mini' })), [
        403,
        false,
      ])
      assert.deepEqual(await post('nonsense'), [400, false])
      const many = Array.from({ length: 5 }, () => post(JSON.stringify({ bundle: NAME })))
      for (const one of await Promise.all(many)) assert.deepEqual(one, [200, true])
    } finally {
      service.kill('SIGTERM')
    }
  })

  test('of more questions than the gate answers, the rest is a no at once, and those after them are answered', async () => {
    // Answers what it was asked when it is told to.
    const slow = `
      const { createInterface } = require('node:readline'), asked = []
      createInterface({ input: process.stdin }).on('line', line => asked.push(JSON.parse(line).id))
      process.on('SIGUSR2', () => asked.splice(0).forEach(id => console.log(JSON.stringify({ id, allow: true }))))
      require('node:fs').writeFileSync('slow.pid', String(process.pid))`
    const script = resolve('fixtures/gate/admission.mjs')
    const service = spawn(process.execPath, [script, '0', process.execPath, '-e', slow], { cwd, env })
    try {
      const address = await listening(service)
      const ask = () => answerOf(address, JSON.stringify({ bundle: NAME }))
      const statuses: number[] = []
      const all = Array.from({ length: 80 }, async () => {
        const { status, body } = await ask()
        statuses.push(status)
        assert.equal(body.allow, status === 200)
      })
      // The service is stopped before those that wait are answered, if this test fails.
      for (const one of all) void Promise.allSettled([one])
      const end = Date.now() + 5000
      while (statuses.length < 16 && Date.now() < end) await new Promise(done => setTimeout(done, 10))
      assert.deepEqual(statuses, Array(16).fill(503))
      const timer = setInterval(() => {
        process.kill(Number(readFileSync(join(cwd, 'slow.pid'), 'utf8')), 'SIGUSR2')
      }, 50)
      await Promise.all(all)
      assert.deepEqual(statuses.slice(16), Array(64).fill(200))
      assert.equal((await ask()).status, 200)
      clearInterval(timer)
    } finally {
      service.kill('SIGTERM')
    }
  })

  test('a gate that ends is a no', async () => {
    const service = spawn(process.execPath, [resolve('fixtures/gate/admission.mjs'), '0', 'true'], {
      cwd,
      env,
    })
    try {
      const address = await listening(service)
      const { status, body } = await answerOf(address, JSON.stringify({ bundle: NAME }))
      assert.deepEqual([status, body.allow], [503, false])
    } finally {
      service.kill('SIGTERM')
    }
  })
})

async function listening(service: ChildProcess): Promise<string> {
  for await (const chunk of service.stdout ?? []) {
    const port = /port ([0-9]+)/.exec(String(chunk))?.[1]
    if (port !== undefined) return `http://127.0.0.1:${port}/admit`
  }
  return assert.fail('the service has ended')
}

async function answerOf(address: string, body: string) {
  const response = await fetch(address, { method: 'POST', body })
  return { status: response.status, body: (await response.json()) as { allow: boolean } }
}

describe('gate --update', () => {
  test('channels are updated while questions are answered, and a revocation counts from the next one on', async () => {
    const cwd = folder('updated')
    const home = join(cwd, 'home')
    mkdirSync(home, { mode: 0o700 })
    writeFileSync(join(cwd, NAME), BYTES)
    const channel = `oci-layout:${join(cwd, 'house')}`
    const now = new Date()
    const first = channelWith(POLICY, now)
    await publish(first, channel)
    const env = { ...process.env, RUNLOOP_HOME: home }
    const follow = ['trust', 'follow', channel, '--root', pinOf(first)]
    assert.equal((await rlpHere(follow, { cwd, env: { RUNLOOP_HOME: home } })).exit, 0)
    const revoked = `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = "laptop lost" }\n`
    await publish(withHeartbeat(withRelease(first, revoked, now), new Date(now.getTime() + 1000)), channel)
    const gate = spawn(process.execPath, [...PROGRAM, 'gate', '--update', '1m'], { cwd, env })
    let said = ''
    gate.stderr.setEncoding('utf8').on('data', text => {
      said += text
    })
    const updated = new Promise<void>(resolve => gate.stderr.on('data', () => resolve()))
    await updated
    const answer = new Promise<string>(resolve => gate.stdout.setEncoding('utf8').once('data', resolve))
    gate.stdin.write(`{"bundle":"${NAME}","expect":"any"}\n`)
    const { allow, verdict } = JSON.parse(await answer)
    gate.stdin.end()
    const ended = await new Promise(resolve => gate.once('exit', resolve))
    assert.deepEqual([allow, verdict, ended], [false, 'revoked', 0])
    assert.match(said, /house: updated: release 2/)
  })

  test('what is no duration is refused', async () => {
    const { exit, stderr } = await rlpHere(['gate', '--update', '15'], { cwd: folder('duration') })
    assert.equal(exit, 2)
    assert.match(stderr, /Cannot update every "15": it is not a whole number with d, h or m behind it/)
  })
})
