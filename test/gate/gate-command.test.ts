// rlp gate as a command, in this process: its exit codes, what it says once, and what it refuses before the first question.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Terminal } from '../../src/cli/main.ts'
import type { GateAnswer } from '../../src/gate/question-answer.ts'
import { channelWith, pinOf, publish, withHeartbeat, withRelease } from '../support/channel-world.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { good, made, policyText, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

const folder = temporary('gate-command')
const NAME = 'mini-1.0.0.agent.bundle'
const BYTES = made({}, RELEASE)
const GOOD = { bundle: NAME }

function withBundle(name: string): World {
  const here = world(folder(name))
  here.put(NAME, BYTES)
  return here
}

const lines = (questions: readonly object[]) => questions.map(one => `${JSON.stringify(one)}\n`).join('')

async function gate(
  here: World,
  words: readonly string[],
  questions: readonly object[] = [GOOD],
  more: Partial<Terminal> = {},
) {
  process.env['RUNLOOP_HOME'] = here.home
  const input = lines(questions)
  const ran = await run(['gate', ...words], undefined, { cwd: here.cwd, env: {}, input, ...more })
  const answers = ran.stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as GateAnswer)
  return { ...ran, answers, allows: answers.map(({ allow }) => allow) }
}

describe('questions on standard input', () => {
  test('end with 0, whatever the answers were, and nothing else is said', async () => {
    const here = withBundle('ends')
    here.put('stranger.bundle', made({}, STRANGER))
    const { exit, stderr, allows } = await gate(
      here,
      [],
      [GOOD, { bundle: 'stranger.bundle', expect: 'mini' }, { id: 1 }],
    )
    assert.deepEqual([exit, stderr, allows], [0, '', [true, false, false]])
    assert.deepEqual((await gate(here, [], [])).exit, 0)
  })

  test('are judged by the policy that is named', async () => {
    const here = withBundle('policy')
    writeFileSync(
      join(here.cwd, 'strict.toml'),
      policyText(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`),
    )
    const { answers } = await gate(here, ['--trust-policy', 'strict.toml'])
    assert.equal(answers[0]?.verdict, 'revoked')
  })

  test('are recorded, each with its decision', async () => {
    const here = withBundle('audit')
    const { exit, allows } = await gate(
      here,
      ['--audit', 'audit.log'],
      [GOOD, { bundle: NAME, expect: 'other' }],
    )
    assert.deepEqual([exit, allows], [0, [true, false]])
    const written = readFileSync(join(here.cwd, 'audit.log'), 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      written
        .map(line => JSON.parse(line))
        .map(({ command, target, accepted }) => [command, target, accepted]),
      [
        ['gate', NAME, true],
        ['gate', NAME, false],
      ],
    )
  })

  test('that cannot be recorded allow nothing: exit code 3, and the reason is said once', async () => {
    const here = withBundle('unrecorded')
    mkdirSync(join(here.cwd, 'log'))
    const { exit, stderr, answers } = await gate(here, ['--audit', 'log'], [GOOD, GOOD, GOOD])
    assert.equal(exit, 3)
    assert.deepEqual(
      answers.map(({ allow, reasons }) => `${allow} ${reasons[0]?.code}`),
      Array(3).fill('false not_recorded'),
    )
    assert.equal(stderr.match(/Cannot record the decision/g)?.length, 1)
  })

  test('end where the reader of the answers has gone', async () => {
    const here = withBundle('over')
    assert.equal((await gate(here, [], [GOOD, GOOD, GOOD], { isOver: () => true })).allows.length, 1)
    assert.equal((await gate(here, [], [GOOD, GOOD, GOOD], { isOver: () => false })).allows.length, 3)
  })
})

describe('a defect of the program', () => {
  /** Reading one variable of the environment fails as only a defect does. */
  const broken = () => {
    const env: Record<string, string> = { HOME: '/nowhere' }
    Object.defineProperty(env, 'NODE_USE_ENV_PROXY', {
      get: () => {
        throw new TypeError('a \u001b[31mdefect')
      },
    })
    return { env }
  }
  const question = { bundle: 'oci://127.0.0.1:1/agents/mini:1.0.0', expect: 'mini' }

  test('refuses its question with exit code 70, prints where it was, and the next question is answered', async () => {
    const here = withBundle('defect')
    const { exit, stderr, answers } = await gate(here, [], [question, GOOD], broken())
    assert.equal(exit, 70)
    assert.deepEqual(
      answers.map(({ allow, reasons }) => `${allow} ${reasons[0]?.code}`),
      ['false internal_error', 'true undefined'],
    )
    assert.match(stderr, /^rlp: Internal error, please report it\nTypeError: a \S*defect\n {4}at .*\n/)
    assert.ok(!stderr.includes('\u001b'))
  })

  test('decides the exit code, also where a decision is not recorded after it', async () => {
    const here = withBundle('defect-unrecorded')
    mkdirSync(join(here.cwd, 'log'))
    assert.equal((await gate(here, ['--audit', 'log'], [question, GOOD], broken())).exit, 70)
  })
})

describe('--update', () => {
  test('takes a time up to what a timer can wait, and refuses any other before the first answer', async () => {
    const here = withBundle('duration')
    for (const time of ['1m', '24d']) {
      const { exit, allows } = await gate(here, ['--update', time])
      assert.deepEqual([exit, allows], [0, [true]], time)
    }
    for (const time of ['15', '0m', '25d', '577h', '-1m', '1.5h']) {
      const { exit, stdout, stderr } = await gate(here, [`--update=${time}`])
      assert.deepEqual([exit, stdout], [2, ''], time)
      assert.match(stderr, /Cannot update every ".*": it is not .*, of at most 24 days\n/)
    }
  })

  /** A channel with a release that this home has not seen, and questions that wait until its update is told. */
  async function following(name: string, questions: readonly object[]) {
    const here = withBundle(name)
    const channel = `oci-layout:${join(here.cwd, 'house')}`
    const now = new Date()
    const first = channelWith(policyText(), now)
    await publish(first, channel)
    await good(here, 'trust', 'follow', channel, '--root', pinOf(first))
    const revoked = policyText(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`)
    await publish(withHeartbeat(withRelease(first, revoked, now), new Date(now.getTime() + 1000)), channel)
    let said = ''
    let tell = () => {}
    const updated = new Promise<void>(resolve => {
      tell = resolve
    })
    const stdin = async function* () {
      await updated
      yield Buffer.from(lines(questions))
    }
    const stderr = (text: string) => {
      said += text
      if (said.includes('house')) tell()
    }
    return { here, said: () => said, terminal: { stdin, stderr } }
  }

  test('what a channel revokes counts from the next question on, and is said', async () => {
    const { here, said, terminal } = await following('revoked', [GOOD])
    const { exit, answers } = await gate(here, ['--update', '1m'], [], terminal)
    assert.deepEqual([exit, answers[0]?.verdict], [0, 'revoked'])
    assert.match(said(), /house: updated: release 2/)
  })

  test('an update that cannot be recorded ends with 3, and is said', async () => {
    const { here, said, terminal } = await following('update-lost', [])
    mkdirSync(join(here.cwd, 'log'))
    const { exit, stdout } = await gate(here, ['--update', '1m', '--audit', 'log'], [], terminal)
    assert.deepEqual([exit, stdout], [3, ''])
    assert.match(said(), /Cannot record the decision/)
  })
})

describe('--listen', () => {
  let server: FakeRegistry
  before(async () => {
    server = await new FakeRegistry({ referrers: true }).start()
  })
  after(() => server.stop())

  const asked = (socketPath: string, body: object) =>
    new Promise<GateAnswer>((resolve, reject) => {
      const headers = { host: 'localhost', 'content-type': 'application/json' }
      const sent = request({ socketPath, path: '/v1/judge', method: 'POST', headers }, async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve(JSON.parse(text))
      })
      sent.once('error', reject)
      sent.end(JSON.stringify(body))
    })

  test('says where, answers about what a registry has, and ends with 0 when it is stopped', async () => {
    const here = withBundle('listens')
    const at = `oci://${server.host}/agents/mini`
    await good(here, 'agent', 'push', NAME, at)
    const stop = new AbortController()
    let ended: ReturnType<typeof gate> | undefined
    const said = await new Promise(resolve => {
      const words = ['--listen', 'unix:s', '--serve', at, '--audit', 'audit.log']
      ended = gate(here, words, [], { signal: stop.signal, stderr: resolve })
      // What ends before it listens fails here.
      void ended.then(({ exit }) => resolve(`it ended with ${exit}`))
    })
    const socket = join(here.cwd, 's')
    assert.equal(said, `listening at unix:${socket}\n`)
    const { allow, agent } = await asked(socket, { bundle: `${at}:1.0.0` })
    assert.deepEqual([allow, agent?.version], [true, '1.0.0'])
    const other = await asked(socket, { bundle: `oci://${server.host}/other/mini:1.0.0` })
    assert.deepEqual([other.allow, other.reasons[0]?.code], [false, 'bad_question'])
    stop.abort()
    const ran = await ended
    assert.deepEqual([ran?.exit, ran?.stdout], [0, ''])
    const log = readFileSync(join(here.cwd, 'audit.log'), 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      log.map(line => JSON.parse(line)).map(({ target, accepted }) => [target, accepted]),
      [
        [`${at}:1.0.0`, true],
        [`oci://${server.host}/other/mini:1.0.0`, false],
      ],
    )
  })

  test('is needed for what limits questions over HTTP', async () => {
    const here = withBundle('alone')
    const { exit, stdout, stderr } = await gate(here, ['--serve', '.'])
    assert.deepEqual([exit, stdout], [2, ''])
    assert.match(stderr, /Cannot use --serve without --listen/)
  })
})
