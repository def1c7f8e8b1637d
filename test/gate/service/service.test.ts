// A gate that listens: one positive control, and every way in which a request is refused. What answers is what answers lines.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { judgedAnswer } from '../../../src/gate/judge.ts'
import { type Answered, type GateQuestion, noVerdict, undecided } from '../../../src/gate/question-answer.ts'
import { runService, type ServiceRun } from '../../../src/gate/service/run-service.ts'
import { RlpError } from '../../../src/model/error.ts'
import { GATE_LIMITS, SERVICE_LIMITS } from '../../../src/model/limits.ts'
import { tokenHash } from '../../../src/net/serve/asker.ts'
import { bundleOf } from '../../support/agent.ts'
import { builtProgram } from '../../support/built.ts'
import { run } from '../../support/fake-terminal.ts'
import { temporary } from '../../support/folder.ts'
import { until } from '../../support/host.ts'
import { upTo } from '../../support/runs.ts'
import { ASKING, POLICY, signed } from '../../support/trust-world.ts'

const folder = temporary('service')
const NAME = 'mini-1.0.0.agent.bundle'
const BYTES = bundleOf(signed(ASKING, 'release'))
const TOKEN = 'a-token-of-at-least-thirty-two-characters'

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A home that trusts the bundle, and folders beside the one that is served. */
function world(name: string) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
  for (const path of ['served', 'served-not', 'served/below']) mkdirSync(join(cwd, path))
  for (const path of ['served', 'served-not', 'served/below']) writeFileSync(join(cwd, path, NAME), BYTES)
  symlinkSync('below', join(cwd, 'served/linked'))
  symlinkSync(NAME, join(cwd, 'served/other-1.0.0.agent.bundle'))
  process.env['RUNLOOP_HOME'] = home
  return { cwd, home, bundle: join(cwd, 'served', NAME) }
}

interface Started {
  readonly cwd: string
  readonly bundle: string
  /** Sends exactly this. */
  ask(given?: Asking): Promise<Reply>
  stop(): Promise<void>
  readonly place: { socketPath: string } | { host: string; port: number }
  readonly host: string
}

interface Asking {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string | string[] | undefined>
  readonly body?: string | Uint8Array | object
}

async function started(
  t: TestContext,
  name: string,
  more: Partial<ServiceRun> = {},
  isTcp = false,
): Promise<Started> {
  const { cwd, bundle } = world(name)
  const stop = new AbortController()
  let where = ''
  let ended: Promise<void> = Promise.resolve()
  await new Promise<void>((resolve, reject) => {
    const { signal } = new AbortController()
    const onDefect = (error: unknown) => assert.fail(error as Error)
    ended = runService({
      address: isTcp ? { is: 'tcp', host: '127.0.0.1', port: 0 } : { is: 'unix', path: 'socket' },
      cwd,
      token: isTcp ? tokenHash(TOKEN) : undefined,
      served: {
        folders: [join(cwd, 'served')],
        references: ['oci://registry.example/agents'],
        locks: new Map([['house', join(cwd, 'rlp.lock')]]),
        attestations: new Map(),
      },
      judge: question => judgedAnswer({ ok: true, question }, { cwd, signal, trust: {}, onDefect }),
      onDefect,
      onListening(at) {
        where = at
        resolve()
      },
      signal: stop.signal,
      ...more,
    })
    ended.catch(reject)
  })
  const end = async () => {
    stop.abort()
    await ended
  }
  t.after(end)
  const port = Number(where.slice(where.lastIndexOf(':') + 1))
  const place = isTcp ? { host: '127.0.0.1', port } : { socketPath: join(cwd, 'socket') }
  const host = isTcp ? where : 'localhost'
  const ask = ({ method = 'POST', path = '/v1/judge', headers = {}, body }: Asking = {}) =>
    new Promise<Reply>((resolve, reject) => {
      const all = {
        host,
        'content-type': 'application/json',
        ...(isTcp && { authorization: `Bearer ${TOKEN}` }),
        ...headers,
      }
      const said = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
      const sent = request({ ...place, method, path, headers: said as Record<string, string> }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => {
          text += chunk
        })
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
        response.once('error', reject)
      })
      sent.once('error', reject)
      const given = body ?? (method === 'POST' ? { bundle } : undefined)
      sent.end(
        given === undefined || typeof given === 'string' || given instanceof Uint8Array
          ? given
          : JSON.stringify(given),
      )
    })
  return { cwd, bundle, ask, stop: end, place, host }
}

const allows = ({ status, text }: Reply) => [status, JSON.parse(text).allow]

describe('a gate that listens', () => {
  test('answers as one that reads lines, and says how it is', async t => {
    const here = await started(t, 'answers')
    const { status, headers, text } = await here.ask({ body: { id: 7, bundle: here.bundle } })
    const answer = JSON.parse(text)
    assert.deepEqual([status, answer.id, answer.allow, answer.verdict], [200, 7, true, 'trusted'])
    assert.equal(headers['content-type'], 'application/json')
    assert.ok(answer.sha256 && answer.identity)
    const bytes = { bytes: BYTES.toString('base64'), expect: answer.identity }
    assert.deepEqual(allows(await here.ask({ body: bytes })), [200, true])
    const other = { ...bytes, expect: `blake3:${'0'.repeat(64)}` }
    assert.deepEqual(allows(await here.ask({ body: other })), [200, false])
    assert.deepEqual(
      [
        (await here.ask({ method: 'GET', path: '/healthz' })).text,
        statSync(join(here.cwd, 'socket')).mode & 0o777,
      ],
      ['ok\n', 0o600],
    )
    const metrics = (await here.ask({ method: 'GET', path: '/metrics' })).text
    assert.match(metrics, /^rlp_gate_answers_total\{verdict="trusted"\} 2$/m)
    assert.match(metrics, /^rlp_gate_answer_seconds_count 3$/m)
    for (const line of metrics.trimEnd().split('\n')) assert.match(line, /^(?:# (?:HELP|TYPE) )?rlp_gate_\w+/)
  })

  const REFUSED: Readonly<Record<string, [Asking, number]>> = {
    'another host': [{ headers: { host: 'localhost.example' } }, 403],
    'the host with a port': [{ headers: { host: 'localhost:80' } }, 403],
    'an origin': [{ headers: { origin: 'https://page.example' } }, 403],
    'the origin null': [{ headers: { origin: 'null' } }, 403],
    'what browsers say of themselves': [{ headers: { 'sec-fetch-site': 'none' } }, 403],
    'no JSON': [{ headers: { 'content-type': 'text/plain' } }, 415],
    'a form': [{ headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    'no type': [{ headers: { 'content-type': undefined } }, 415],
    'another path': [{ path: '/v1/judge/' }, 404],
    'a path with a question': [{ path: '/v1/judge?x=1' }, 404],
    'a name of the language': [{ path: '/constructor' }, 404],
    'another method': [{ method: 'GET' }, 405],
    OPTIONS: [{ method: 'OPTIONS' }, 405],
    'a body that is no JSON': [{ body: '{' }, 400],
    'a member twice': [{ body: '{"id":1,"id":2}' }, 400],
    'more than a question may have': [
      { headers: { 'content-length': `${GATE_LIMITS.lineBytes + 1}` }, body: '' },
      413,
    ],
  }
  test('refuses some questions, and answers those before and after them', async t => {
    const here = await started(t, 'refused')
    assert.deepEqual(allows(await here.ask()), [200, true])
    for (const [what, [asking, status]] of Object.entries(REFUSED)) {
      const got = await here.ask(asking).catch((error: NodeJS.ErrnoException) => error.code)
      assert.ok(typeof got === 'object', `${what}: ${got}`)
      assert.deepEqual(allows(got), [status, false], what)
    }
    assert.deepEqual(allows(await here.ask()), [200, true])
  })

  test('refuses bundles and files that it was not started for', async t => {
    const here = await started(t, 'places')
    const at = (path: string) => join(here.cwd, path)
    spawnSync('mkfifo', [at('served/mini-2.0.0.agent.bundle')])
    for (const [what, bundle] of Object.entries({
      'beside it': at(`served-not/${NAME}`),
      'above it': `${at('served')}/../served-not/${NAME}`,
      'with a dot': `${at('served')}/./${NAME}`,
      'with two slashes': `${at('served')}//${NAME}`,
      relative: `served/${NAME}`,
      'by a link': at(`served/linked/${NAME}`),
      'a link': at('served/other-1.0.0.agent.bundle'),
      'the folder': at('served'),
      'another host': 'oci://other.example/agents/mini:1.0.0',
      'another repository': 'oci://registry.example/agents-of-others/mini:1.0.0',
      'a layout beside it': `oci-layout:${at('served-not')}:1.0.0`,
    })) {
      const reply = await here.ask({ body: { bundle, expect: 'mini' } })
      assert.deepEqual(allows(reply), [403, false], `${what}: ${reply.text}`)
    }
    assert.deepEqual(allows(await here.ask({ body: { bundle: at(`served/below/${NAME}`) } })), [200, true])
    const fifo = await here.ask({ body: { bundle: at('served/mini-2.0.0.agent.bundle') } })
    assert.deepEqual([...allows(fifo), JSON.parse(fifo.text).reasons[0].code], [200, false, 'unreadable'])
    for (const named of [{ lock: 'rlp.lock' }, { lock: 'other' }, { attestations: 'x' }])
      assert.deepEqual(allows(await here.ask({ body: { bundle: here.bundle, ...named } })), [403, false])
    // A lock that is named and not there decides nothing.
    assert.deepEqual(allows(await here.ask({ body: { bundle: here.bundle, lock: 'house' } })), [200, false])
  })

  test('at a port wants its token, and shows without one that it runs', async t => {
    const here = await started(t, 'tcp', {}, true)
    assert.deepEqual(allows(await here.ask()), [200, true])
    for (const authorization of [
      undefined,
      'Bearer',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
      TOKEN,
    ]) {
      const reply = await here.ask({ headers: { authorization } })
      assert.deepEqual(allows(reply), [401, false], authorization)
      const metrics = await here.ask({ method: 'GET', path: '/metrics', headers: { authorization } })
      assert.equal(metrics.status, 401)
    }
    const health = await here.ask({ method: 'GET', path: '/healthz', headers: { authorization: undefined } })
    assert.deepEqual([health.status, health.text], [200, 'ok\n'])
    const rebound = await here.ask({ method: 'GET', path: '/healthz', headers: { host: 'page.example' } })
    assert.equal(rebound.status, 403)
  })
})

describe('many questions at once', () => {
  /** Judges when it is told to. */
  function waiting() {
    const open: (() => void)[] = []
    const judge = (question: GateQuestion) =>
      new Promise<Answered>(resolve =>
        open.push(() => resolve(undecided(noVerdict(question.id, 'unreadable', 'as asked'), null))),
      )
    return { open, judge }
  }

  test('none waits for another, and no more are taken than there is room for', async t => {
    const { open, judge } = waiting()
    const here = await started(t, 'many', { judge })
    const { underWay } = SERVICE_LIMITS
    const asked = Array.from({ length: underWay }, (_, id) => here.ask({ body: { id, bundle: here.bundle } }))
    await until('all of them are judged', () => open.length === underWay)
    const metrics = await here.ask({ method: 'GET', path: '/metrics' })
    assert.match(metrics.text, new RegExp(`^rlp_gate_under_way ${underWay}$`, 'm'))
    assert.deepEqual(allows(await here.ask()), [503, false])
    // The last one first.
    open.pop()?.()
    assert.equal(JSON.parse((await asked.at(-1))?.text ?? '').id, underWay - 1)
    for (const answer of open) answer()
    const ids = (await Promise.all(asked)).map(({ text }) => JSON.parse(text).id)
    assert.deepEqual(
      ids,
      Array.from({ length: underWay }, (_, id) => id),
    )
  })

  test('what is under way is answered when it is told to stop, and nothing new is taken', async t => {
    const { open, judge } = waiting()
    const here = await started(t, 'stop', { judge })
    const asked = here.ask()
    await until('it is judged', () => open.length === 1)
    const stopped = here.stop()
    await until('the socket is gone', () => !existsSync(join(here.cwd, 'socket')))
    await assert.rejects(here.ask(), { code: 'ENOENT' })
    open[0]?.()
    const { status, headers } = await asked
    assert.deepEqual([status, headers.connection], [200, 'close'])
    await stopped
  })

  test('bodies that come slowly, or that are larger than they say, take no more than they may', async t => {
    const here = await started(t, 'bodies')
    const socket = connect('socketPath' in here.place ? { path: here.place.socketPath } : here.place)
    socket.on('error', () => {})
    const head =
      'POST /v1/judge HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    socket.write(head)
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    const piece = Buffer.alloc(1024 * 1024, ' ')
    for (let sent = 0; sent <= GATE_LIMITS.lineBytes / piece.length && answer === ''; sent++) {
      const isDrained = socket.write(
        Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
      )
      if (isDrained) continue
      const stop = new AbortController()
      const waits = ['drain', 'data', 'close'].map(name => once(socket, name, { signal: stop.signal }))
      await Promise.race(waits)
      stop.abort()
      await Promise.allSettled(waits)
    }
    await until('it is refused', () => answer.startsWith('HTTP/1.1 413'))
    socket.destroy()
    assert.deepEqual(allows(await here.ask()), [200, true])
  })

  test('a decision that is not recorded allows nothing', async t => {
    const record = () => {
      throw new RlpError('IO', 'Cannot write "audit.log": the disk is full')
    }
    const here = await started(t, 'unrecorded', { record })
    const reply = await here.ask()
    assert.deepEqual([...allows(reply), JSON.parse(reply.text).reasons[0].code], [200, false, 'not_recorded'])
  })
})

describe('the command', () => {
  /** One that listens all the same is stopped, which is no refusal. */
  const gate = (cwd: string, ...args: string[]) =>
    run(['gate', ...args], undefined, { cwd, signal: AbortSignal.timeout(20_000) })

  test('refuses what would let others ask', async t => {
    const { cwd } = world('command')
    writeFileSync(join(cwd, 'token'), `${TOKEN}\n`, { mode: 0o600 })
    writeFileSync(join(cwd, 'short'), 'abc\n', { mode: 0o600 })
    mkdirSync(join(cwd, 'open'))
    chmodSync(join(cwd, 'open'), 0o777)
    writeFileSync(join(cwd, 'open/token'), `${TOKEN}\n`)
    writeFileSync(join(cwd, 'file'), '')
    for (const [args, said] of [
      [['--listen', '0.0.0.0:80', '--token-file', 'token'], /no port of this machine alone/],
      [['--listen', 'localhost:8080', '--token-file', 'token'], /no port of this machine alone/],
      [['--listen', '127.0.0.1:99999', '--token-file', 'token'], /no port/],
      [['--listen', '127.0.0.1:0'], /without a token/],
      [['--listen', '127.0.0.1:0', '--token-file', 'short'], /fewer than 32/],
      [['--listen', '127.0.0.1:0', '--token-file', 'none'], /it is not there/],
      [['--listen', '127.0.0.1:0', '--token-file', 'open/token'], /others|everybody|write/i],
      [['--listen', 'unix:s', '--token-file', 'token'], /its mode says who may ask/],
      [['--listen', 'unix:open/s'], /open/],
      [['--listen', 'unix:file'], /something else is there/],
      [['--listen', `unix:${'x'.repeat(120)}`], /at most 103 bytes/],
      [['--listen', 'unix:s', '--serve', 'oci://registry.example/a:tag'], /a tag or a digest/],
      [['--listen', 'unix:s', '--serve', 'none'], /none/],
      [['--listen', 'unix:s', '--serve-lock', 'rlp.lock'], /NAME=FILE/],
      [['--listen', 'unix:s', '--serve-lock', 'a=x', '--serve-lock', 'a=y'], /twice/],
      [['--serve', '.'], /without --listen/],
    ] as const) {
      const { exit, stderr } = await gate(cwd, ...args)
      assert.match(stderr, said, args.join(' '))
      assert.ok(exit !== 0 && exit !== 70, `${args.join(' ')}: ${exit}`)
    }
    t.diagnostic('each ends before it listens')
  })

  test('names no bundle outside while a folder that it serves is exchanged with a link', async t => {
    const { cwd, home } = world('exchanged')
    const [below, kept] = [join(cwd, 'served/below'), join(cwd, 'served/kept')]
    const outside = bundleOf(signed({ ...ASKING, 'README.md': 'outside' }, 'release'))
    writeFileSync(join(cwd, 'served-not', NAME), outside)
    const env = { ...process.env, RUNLOOP_HOME: home }
    // Threads of the sources would not start.
    const words = [builtProgram(), 'gate', '--listen', 'unix:s', '--serve', 'served']
    const child = spawn(process.execPath, words, { cwd, env })
    t.after(() => child.kill('SIGKILL'))
    await once(child.stderr, 'data')
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
    const asked = () =>
      new Promise<{ sha256: string | null; allow: boolean }>((resolve, reject) => {
        const headers = { host: 'localhost', 'content-type': 'application/json' }
        const options = { socketPath: join(cwd, 's'), method: 'POST', path: '/v1/judge', headers }
        const sent = request(options, async response => resolve(JSON.parse(await text(response))))
        sent.once('error', reject)
        sent.end(JSON.stringify({ id: 1, bundle: join(below, NAME) }))
      })
    const control = await asked()
    assert.deepEqual([control.sha256, control.allow], [sha256(BYTES), true])
    const exchange = `const { renameSync: move, symlinkSync: link, rmSync: remove } = require('node:fs')
      for (const end = Date.now() + 60000; Date.now() < end;) {
        move(${JSON.stringify(below)}, ${JSON.stringify(kept)}); link(${JSON.stringify(join(cwd, 'served-not'))}, ${JSON.stringify(below)})
        remove(${JSON.stringify(below)}); move(${JSON.stringify(kept)}, ${JSON.stringify(below)})
      }`
    const swapping = spawn(process.execPath, ['-e', exchange])
    t.after(() => swapping.kill('SIGKILL'))
    const seen = new Map<string | null, number>()
    for (let round = 0; round < upTo(60, 400); round++)
      for (const { sha256 } of await Promise.all(Array.from({ length: 8 }, asked)))
        seen.set(sha256, (seen.get(sha256) ?? 0) + 1)
    assert.equal(seen.get(sha256(outside)) ?? 0, 0, `of ${[...seen.values()]}`)
    assert.ok((seen.get(sha256(BYTES)) ?? 0) > 0)
    assert.deepEqual(
      [...seen.keys()].filter(one => one !== null && one !== sha256(BYTES)),
      [],
    )
  })

  test('listens in place of one that was killed, beside none that runs, and ends with 0', async t => {
    const { cwd, home, bundle } = world('killed')
    const env = { ...process.env, RUNLOOP_HOME: home }
    const start = () => {
      // Threads of the sources would not start.
      const child = spawn(
        process.execPath,
        [builtProgram(), 'gate', '--listen', 'unix:s', '--serve', 'served'],
        {
          cwd,
          env,
        },
      )
      t.after(() => child.kill('SIGKILL'))
      return child
    }
    const first = start()
    assert.match(String((await once(first.stderr, 'data'))[0]), /^listening at unix:.*\/s\n$/)
    assert.match((await gate(cwd, '--listen', 'unix:s')).stderr, /another program does/)
    first.kill('SIGKILL')
    await once(first, 'close')
    const second = start()
    await once(second.stderr, 'data')
    const asked = (id: number, named: string) =>
      new Promise<boolean>((resolve, reject) => {
        const headers = { host: 'localhost', 'content-type': 'application/json' }
        const options = { socketPath: join(cwd, 's'), method: 'POST', path: '/v1/judge', headers }
        const sent = request(options, response => {
          let text = ''
          response.on('data', chunk => {
            text += chunk
          })
          response.once('end', () => {
            const answer = JSON.parse(text)
            assert.equal(answer.id, id)
            resolve(answer.allow)
          })
        })
        sent.once('error', reject)
        sent.end(JSON.stringify({ id, bundle: named }))
      })
    // By threads, on every core: there is one bundle, and the others are missing.
    const all = Array.from({ length: 60 }, (_, id) =>
      asked(id, id % 2 === 0 ? bundle : bundle.replace('1.0.0', '2.0.0')),
    )
    assert.deepEqual(
      await Promise.all(all),
      all.map((_, id) => id % 2 === 0),
    )
    second.kill('SIGTERM')
    const [status] = await once(second, 'close')
    assert.equal(status, 0)
    assert.equal(readFileSync(join(home, 'trust-policy.toml'), 'utf8'), POLICY)
  })
})
