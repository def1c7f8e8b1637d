// rlp tool list and rlp tool call, on real bundles and with real programs: who may be called, what is printed, and how it ends.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { runCall } from '../../src/call/call-command.ts'
import { CONFIRM_VARIABLE } from '../../src/call/confirmation.ts'
import { parse } from '../../src/cli/parse.ts'
import { width } from '../../src/cli/render/layout.ts'
import { serveTools } from '../../src/library/generated/index.ts'
import { NOT_ENFORCED } from '../../src/model/sandbox.ts'
import { agentTree, type Tree, writeTree } from '../support/agent.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { isGone, PATH, program, until } from '../support/host.ts'
import { made, RELEASE, STRANGER, world } from '../support/install-world.ts'
import { writing } from '../support/mcp.ts'
import { PROGRAM } from '../support/run.ts'
import { type Line, STOP, scripted } from '../support/scripted-prompter.ts'
import { leaveUnheld } from '../support/unheld.ts'

const folder = temporary('tool-call')
const POSIX = process.platform === 'win32' ? 'programs are run on POSIX systems only' : false
const CANARY = 'c4nary/of+the mine"7'

const ECHO = {
  id: 'text.echo',
  description: 'Say \u202eit\u001b[2J again',
  transport: { kind: 'exec', command: program('print-arguments.sh') },
  input_schema: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false },
  result_schema: { $ref: 'schema:echo.v1' },
}
const SPILL = {
  id: 'text.spill',
  description: 'Tell everything',
  transport: { kind: 'exec', command: program('spill-secret.mjs'), args: ['{{input.status}}'] },
  input_schema: { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] },
  result_schema: true,
  secrets: ['runloop/mail/key'],
}
const ASK = { ...ECHO, id: 'text.ask', requires_confirmation: true }
const NET = {
  id: 'net.get',
  description: 'Get',
  transport: { kind: 'http', method: 'GET', url: 'https://api.mail.example/x' },
  input_schema: {},
  result_schema: true,
}
const WAIT = {
  id: 'text.wait',
  description: 'Never end',
  transport: { kind: 'exec', command: program('wait.sh'), args: ['{{input.file}}'] },
  input_schema: { type: 'object', properties: { file: { type: 'string' } } },
  result_schema: true,
  'x-rlp': { stdin: true },
}

const STUBBORN = {
  ...WAIT,
  id: 'text.stubborn',
  transport: { ...WAIT.transport, command: program('ignore-term.sh') },
}

const FILES: Tree = {
  'tools.json': JSON.stringify({ version: 1, tools: [ECHO, SPILL, ASK, NET, WAIT, STUBBORN] }),
  'policy.caps': `[capabilities]\nexec = [${['print-arguments.sh', 'spill-secret.mjs', 'wait.sh', 'ignore-term.sh'].map(name => JSON.stringify(program(name)))}]\nsecrets = ["runloop/mail/key"]\n`,
  'schemas/echo.v1.json': '{"type":"object","properties":{"n":{"type":"integer","maximum":9}}}',
}
const BUNDLE = made({ files: FILES }, RELEASE)

function place(name: string) {
  const here = world(folder(name))
  leaveUnheld(here.home)
  here.put('mini.agent.bundle', BUNDLE)
  writeTree(join(here.cwd, 'source'), agentTree({ files: FILES }))
  const env = { PATH, HOME: here.home, RUNLOOP_MAIL_KEY: CANARY, RUNLOOP_HOME: here.home }
  const say = (...args: string[]) => {
    process.env['RUNLOOP_HOME'] = here.home
    return run(['tool', ...args], undefined, { cwd: here.cwd, env })
  }
  const json = async (...args: string[]) => {
    const { exit, stdout } = await say(...args, '--json')
    return { exit, envelope: JSON.parse(stdout) }
  }
  return { ...here, env, say, json }
}

function assertHidden(text: string): void {
  const bytes = Buffer.from(CANARY)
  const forms = [
    'c4nary',
    encodeURIComponent(CANARY),
    bytes.toString('hex'),
    bytes.toString('base64').slice(0, 20),
  ]
  for (const form of forms) assert.ok(!text.includes(form), `${form} is in ${text.slice(0, 400)}`)
}

describe('tools of bundles', { skip: POSIX }, () => {
  const here = place('bundles')

  test('list: what may be called; what lacks a grant is not there', async () => {
    const { exit, stdout, stderr } = await here.say('list', 'mini.agent.bundle', '--table')
    assert.equal(exit, 0)
    assert.match(
      stdout,
      /^mini 1\.0\.0\n {2}tool +\| kind \| asks \| description\n {2}text\.echo +\| exec \| no {3}\| Say \\u\{202e\}it\\u\{1b\}/,
    )
    assert.match(stdout, /text\.ask +\| exec \| yes/)
    assert.doesNotMatch(stdout, /net\.get/)
    assert.match(stderr, /1 tool of mini\.agent\.bundle is not granted what it needs/)
    const { envelope } = await here.json('list', 'mini.agent.bundle')
    const [agent] = envelope.result.agents
    assert.deepEqual(
      [agent.agent, agent.version, agent.isTrusted, agent.denied.length, agent.tools.length],
      ['mini', '1.0.0', true, 1, 5],
    )
    assert.deepEqual(agent.tools[0].inputSchema, ECHO.input_schema)
    assert.match(agent.identity, /^blake3:[0-9a-f]{64}$/)
  })

  test('call: the envelope with --json, the result for people', async () => {
    assert.deepEqual(await here.json('call', 'text.echo', 'mini.agent.bundle', '--args', '{"n":"3"}'), {
      exit: 0,
      envelope: { ok: true, result: { n: 3 }, tool: 'text.echo', enforced: NOT_ENFORCED },
    })
    const { exit, stdout, stderr } = await here.say(
      'call',
      'text.echo',
      'mini.agent.bundle',
      '--args',
      '{"n":3}',
    )
    assert.deepEqual([exit, stdout, stderr], [0, '{\n  "n": 3\n}\n', ''])
  })

  test('arguments from a file and from standard input, and none at all', async () => {
    writeFileSync(join(here.cwd, 'in.json'), '{"n": 4}\n')
    const { envelope } = await here.json('call', 'text.echo', 'mini.agent.bundle', '--args', '@in.json')
    assert.deepEqual(envelope.result, { n: 4 })
    const piped = await run(
      ['tool', 'call', 'text.echo', 'mini.agent.bundle', '--args', '-', '--json'],
      undefined,
      {
        cwd: here.cwd,
        env: here.env,
        input: '{"n":5}',
      },
    )
    assert.deepEqual(JSON.parse(piped.stdout).result, { n: 5 })
    assert.deepEqual((await here.json('call', 'text.echo', 'mini.agent.bundle')).envelope.result, {})
    const bad = await here.json('call', 'text.echo', 'mini.agent.bundle', '--args', '@nothing.json')
    assert.deepEqual([bad.exit, bad.envelope.code], [2, 'NOT_FOUND'])
  })

  const refused: readonly (readonly [
    what: string,
    args: string[],
    kind: string,
    reason: string | undefined,
  ])[] = [
    [
      'arguments that do not fit',
      ['text.echo', 'mini.agent.bundle', '--args', '{"m":1}'],
      'invalid_args',
      undefined,
    ],
    [
      'a result that does not fit',
      ['text.echo', 'mini.agent.bundle', '--args', '{"n":10}'],
      'execution_error',
      'result_schema',
    ],
    ['a tool that is not there', ['text.nope', 'mini.agent.bundle'], 'tool_not_found', undefined],
    ['a tool that is not granted', ['net.get', 'mini.agent.bundle'], 'rejected', 'no_hosts'],
    [
      'a tool that asks, and no person there',
      ['text.ask', 'mini.agent.bundle'],
      'user_denied',
      'nobody_to_ask',
    ],
    [
      'no secret',
      ['text.spill', 'mini.agent.bundle', '--args', '{"status":"0"}', '--secrets-from', 'dir:.'],
      'unavailable',
      'secret_unknown',
    ],
  ]
  for (const [what, args, kind, reason] of refused) {
    test(`exit 1 and an envelope: ${what}`, async () => {
      const { exit, envelope } = await here.json('call', ...args)
      assert.deepEqual(
        [exit, envelope.ok, envelope.kind, envelope.reason, envelope.tool],
        [1, false, kind, reason, args[0]],
      )
      const forPeople = await here.say('call', ...args)
      assert.deepEqual([forPeople.exit, forPeople.stdout], [1, ''])
      assert.match(forPeople.stderr, new RegExp(`^${kind}: `))
    })
  }

  test('security.confirm_external_actions, from its variable, switches the question off', async () => {
    const asked = async (value?: string) => {
      const env = { ...here.env, ...(value !== undefined && { [CONFIRM_VARIABLE]: value }) }
      const line = ['tool', 'call', 'text.ask', 'mini.agent.bundle', '--json']
      const { exit, stdout } = await run(line, undefined, { cwd: here.cwd, env })
      return [exit, JSON.parse(stdout).reason ?? JSON.parse(stdout).kind ?? 'ok']
    }
    assert.deepEqual(await asked('false'), [0, 'ok'])
    for (const value of [undefined, 'true']) assert.deepEqual(await asked(value), [1, 'nobody_to_ask'])
    // A typing error must not decide.
    for (const value of ['', 'False', '0', 'off', 'no', ' false'])
      assert.deepEqual(await asked(value), [2, 'invalid_args'], value)
  })

  test('security.confirm_external_actions, from config.toml: false says yes, and true lets nothing say yes beforehand', async () => {
    const there = place('config')
    const asked = async (value: boolean | undefined, args: string[] = [], variable?: string) => {
      if (value !== undefined)
        writeFileSync(
          join(there.home, 'config.toml'),
          `[security]\nsandbox = "off"\nconfirm_external_actions = ${value}\n`,
        )
      const env = { ...there.env, ...(variable !== undefined && { [CONFIRM_VARIABLE]: variable }) }
      const line = ['tool', 'call', 'text.ask', 'mini.agent.bundle', '--json', ...args]
      const { exit, stdout } = await run(line, undefined, { cwd: there.cwd, env })
      const { ok, reason, message } = JSON.parse(stdout)
      return [exit, reason ?? (ok ? 'ok' : message)]
    }
    const refused = /^Cannot say yes beforehand: .*config\.toml says confirm_external_actions = true$/
    assert.deepEqual(await asked(undefined), [1, 'nobody_to_ask'])
    assert.deepEqual(await asked(undefined, ['--yes']), [0, 'ok'])
    assert.deepEqual(await asked(false), [0, 'ok'])
    assert.deepEqual(await asked(false, [], 'true'), [1, 'nobody_to_ask'])
    assert.deepEqual(await asked(true), [1, 'nobody_to_ask'])
    assert.deepEqual(await asked(true, [], 'false'), [1, 'nobody_to_ask'])
    const [exit, message] = await asked(true, ['--yes'])
    assert.equal(exit, 2)
    assert.match(message, refused)
    const served = await run(['tool', 'serve', 'mini.agent.bundle', '--yes'], undefined, {
      cwd: there.cwd,
      env: there.env,
    })
    assert.equal(served.exit, 2)
    assert.match(served.stderr, /Cannot say yes beforehand/)
    const options = { input: (async function* () {})(), output: writing(), home: there.home, yes: true }
    await assert.rejects(
      serveTools([join(there.cwd, 'mini.agent.bundle')], { ...options, expect: ['mini'] }),
      {
        code: 'USAGE',
        message: refused,
      },
    )
  })

  test('--yes confirms, --timeout limits, --cwd places', async () => {
    assert.equal((await here.json('call', 'text.ask', 'mini.agent.bundle', '--yes')).exit, 0)
    const file = join(here.cwd, 'wait.pid')
    const args = ['text.wait', 'mini.agent.bundle', '--args', JSON.stringify({ file })]
    const { exit, envelope } = await here.json('call', ...args, '--timeout', '0.2')
    assert.deepEqual(
      [exit, envelope.kind, envelope.message],
      [1, 'timeout', "Tool 'text.wait' exceeded the 0.2s execution budget."],
    )
    assert.ok(isGone(Number(readFileSync(file, 'utf8'))))
    const nowhere = await here.json('call', 'text.echo', 'mini.agent.bundle', '--cwd', 'nowhere')
    assert.deepEqual([nowhere.exit, nowhere.envelope.field], [2, 'cwd'])
  })

  test('installed agents: by name, and by nothing but the tool', async () => {
    assert.equal((await here.install('mini.agent.bundle', '--yes')).exit, 0)
    assert.deepEqual((await here.json('call', 'text.echo', 'mini', '--args', '{"n":1}')).envelope.result, {
      n: 1,
    })
    assert.deepEqual((await here.json('call', 'text.echo', '--args', '{"n":2}')).envelope.result, { n: 2 })
    assert.equal((await here.json('call', 'text.nope')).envelope.kind, 'tool_not_found')
    assert.match((await here.say('list', '--table')).stdout, /^mini 1\.0\.0\n/)
    // One that stops being trusted is neither listed nor called, and hides no other.
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`)
    const listed = await here.json('list')
    assert.deepEqual(
      [listed.exit, listed.envelope.result.agents, listed.envelope.result.refused[0].verdict],
      [1, [], 'revoked'],
    )
    const called = await here.json('call', 'text.echo', 'mini')
    assert.deepEqual(
      [called.exit, called.envelope.code, called.envelope.verdict],
      [1, 'NOT_VERIFIED', 'revoked'],
    )
    assert.equal((await here.json('call', 'text.echo')).envelope.kind, 'tool_not_found')
    here.policy()
  })
})

test('a description of many lines is one: whole for programs that read the list, as long as the terminal is wide for people', async () => {
  const here = place('long')
  const long = { ...ECHO, description: `First line.\n\n\tSecond: ${'日本 👍🏽🚀 '.repeat(40)}` }
  const tools = JSON.stringify({ version: 1, tools: [long] })
  here.put('long.bundle', made({ files: { ...FILES, 'tools.json': tools } }, RELEASE))
  process.env['RUNLOOP_HOME'] = here.home
  const list = async (isWide: boolean, columns: number) => {
    const { exit, stdout, stderr } = await run(['tool', 'list', 'long.bundle', '--table'], undefined, {
      cwd: here.cwd,
      env: { RUNLOOP_HOME: here.home, NO_COLOR: '1' },
      isTTY: { stdin: isWide, stdout: isWide, stderr: isWide },
      columns,
    })
    assert.equal(exit, 0, stderr)
    return stdout.trimEnd().split('\n')
  }
  const whole = await list(false, 40)
  assert.equal(whole.length, 3)
  assert.match(whole[2] ?? '', /\| First line\. Second: 日本 .*🚀$/u)
  // Where even the facts do not fit, each tool is a block.
  const narrow = await list(true, 20)
  assert.ok(narrow.length > 4)
  for (const line of narrow) assert.ok(width(line) <= 20, line)
  assert.match(narrow.join(' '), /text\.echo.*First line\..*Second:/)
  for (const columns of [40, 41, 80]) {
    const lines = await list(true, columns)
    assert.equal(lines.length, 3)
    for (const line of lines) assert.ok(width(line) <= columns, `${width(line)} > ${columns}: ${line}`)
    assert.match(lines[2] ?? '', /…$/)
    assert.doesNotMatch(lines.join(''), /\\u\{/)
  }
})

describe('what is not trusted', { skip: POSIX }, () => {
  const here = place('untrusted')
  const call = (target: string, ...more: string[]) =>
    here.json('call', 'text.spill', target, '--args', '{"status":"0"}', ...more)

  test('positive control: the trusted bundle gets its secret', async () => {
    const { exit, envelope } = await call('mini.agent.bundle')
    assert.equal(exit, 0, JSON.stringify(envelope))
    assert.equal(envelope.result.spilt.RUNLOOP_MAIL_KEY[0], '***REDACTED***')
  })
  const bundles: readonly (readonly [what: string, bytes: Uint8Array, verdict: string, exit: number])[] = [
    ['unsigned', made({ files: FILES }), 'unsigned', 1],
    ['signed by a stranger', made({ files: FILES }, STRANGER), 'untrusted', 1],
    ['changed', Buffer.from(BUNDLE).fill(0x41, 700, 701), 'invalid', 1],
  ]
  for (const [what, bytes, verdict, exit] of bundles) {
    test(`${what}: nothing runs, nothing is listed`, async () => {
      here.put('bad.bundle', bytes)
      const called = await call('bad.bundle')
      assert.deepEqual([called.exit, called.envelope.ok, called.envelope.verdict], [exit, false, verdict])
      assert.equal((await here.json('list', 'bad.bundle')).envelope.verdict, verdict)
    })
  }
  test('an unsigned one by name of the flag: without secrets, or with', async () => {
    here.put('unsigned.bundle', made({ files: FILES }))
    const without = await call('unsigned.bundle', '--allow-unsigned')
    assert.deepEqual([without.exit, without.envelope.reason], [1, 'secret_unusable'])
    assert.equal((await call('unsigned.bundle', '--allow-unsigned', '--with-secrets')).exit, 0)
  })
  test('nor where a signature is required: then no hint waives it', async () => {
    const free = await call('unsigned.bundle')
    assert.match(free.envelope.hint, /--allow-unsigned/)
    here.policy('[require]\nsignatures = 1\n')
    const { exit, envelope } = await call('unsigned.bundle', '--allow-unsigned')
    here.policy()
    assert.deepEqual([exit, envelope.verdict], [1, 'unsigned'])
    assert.match(envelope.message, /A signature is required here/)
    assert.doesNotMatch(envelope.hint, /--allow-unsigned/)
  })
  test('of a source folder without a list of tools it is said that it has none', async () => {
    const { 'tools.json': _, ...rest } = agentTree({ files: FILES })
    writeTree(join(here.cwd, 'bare'), rest)
    const { exit, envelope } = await here.json('list', 'bare', '--unverified')
    assert.deepEqual([exit, envelope.code], [1, 'LINT_FAILED'])
    assert.match(envelope.message, /"bare": it has no tools\.json$/)
  })
  test('a name that is not installed is a slip, and no bundle that could not be judged', async () => {
    for (const verb of ['list', 'call'] as const) {
      const { exit, envelope } = await here.json(verb, ...(verb === 'call' ? ['text.spill'] : []), 'absent')
      assert.deepEqual([exit, envelope.code], [2, 'NOT_FOUND'])
      assert.match(envelope.message, /"absent": no agent of this name is installed$/)
    }
    const path = await here.json('list', './absent')
    assert.deepEqual([path.exit, path.envelope.verdict], [3, 'indeterminate'])
  })
  test('a source folder: only with --unverified, and without secrets', async () => {
    const refused = await call('source')
    assert.deepEqual([refused.exit, refused.envelope.code], [1, 'NOT_VERIFIED'])
    assert.equal((await call('source', '--unverified')).envelope.reason, 'secret_unusable')
    assert.equal((await call('source', '--unverified', '--with-secrets')).exit, 0)
    assert.deepEqual(
      (await here.json('list', 'source', '--unverified')).envelope.result.agents[0].isTrusted,
      false,
    )
  })
  test('a source folder under its policy, and only one that lint can read', async () => {
    assert.equal((await here.json('call', 'net.get', 'source', '--unverified')).envelope.reason, 'no_hosts')
    const bad = { ...FILES, 'tools.json': JSON.stringify({ version: 1, tools: [ECHO, ECHO] }) }
    writeTree(join(here.cwd, 'twice'), agentTree({ files: bad }))
    const { exit, envelope } = await here.json('call', 'text.echo', 'twice', '--unverified')
    assert.deepEqual([exit, envelope.code], [1, 'LINT_FAILED'])
  })
  test('an override on this host takes a tool away', async () => {
    mkdirSync(join(here.home, 'policy-overrides/mini'), { recursive: true })
    writeFileSync(join(here.home, 'policy-overrides/mini/policy.caps'), '[capabilities]\nexec = false\n')
    for (const args of [['mini.agent.bundle'], ['source', '--unverified']]) {
      const { envelope } = await here.json('call', 'text.echo', ...args)
      assert.deepEqual(
        [envelope.kind, envelope.reason],
        ['rejected', 'cap_missing'],
        JSON.stringify(envelope),
      )
    }
    writeFileSync(join(here.home, 'policy-overrides/mini/policy.caps'), '[capabilities')
    assert.equal((await here.json('call', 'text.echo', 'mini.agent.bundle')).exit, 3)
    assert.equal((await here.json('call', 'text.echo', 'source', '--unverified')).exit, 3)
  })
  test('--unverified is for source folders', async () => {
    const { exit, envelope } = await call('mini.agent.bundle', '--unverified')
    assert.deepEqual([exit, envelope.code], [2, 'USAGE'])
  })
})

describe('secrets', { skip: POSIX }, () => {
  const here = place('canary')
  const audit = () => readFileSync(join(here.cwd, 'audit.log'), 'utf8')

  for (const status of ['0', '3']) {
    test(`are in nothing that leaves the call of a tool that tells them all and ends with ${status}`, async () => {
      const args = [
        'text.spill',
        'mini.agent.bundle',
        '--args',
        JSON.stringify({ status }),
        '--audit',
        'audit.log',
      ]
      const forPrograms = await here.say('call', ...args, '--json')
      const forPeople = await here.say('call', ...args)
      assert.deepEqual([forPrograms.exit, forPeople.exit], status === '0' ? [0, 0] : [1, 1])
      for (const { stdout, stderr } of [forPrograms, forPeople]) assertHidden(stdout + stderr)
      assert.match(forPrograms.stdout, /REDACTED/)
      assert.match(forPeople.stderr, /stderr │ .*REDACTED|execution_error: .*REDACTED/)
      assertHidden(audit())
    })
  }
  test('nor in a dry run, which looks none up', async () => {
    const args = [
      'text.spill',
      'mini.agent.bundle',
      '--args',
      '{"status":"0"}',
      '--dry-run',
      '--secrets-from',
      'cmd:/nowhere/get',
    ]
    const { exit, stdout, stderr } = await here.say('call', ...args)
    assert.equal(exit, 0)
    assert.match(stdout, /secret +RUNLOOP_MAIL_KEY=\*{3} \(runloop\/mail\/key\)/)
    assertHidden(stdout + stderr)
    const { envelope } = await here.json('call', ...args)
    assert.deepEqual(envelope.result.plan.secrets, [{ id: 'runloop/mail/key', variable: 'RUNLOOP_MAIL_KEY' }])
    assert.equal(envelope.result.is, 'planned')
  })
  test('come from a folder or a program as well', async () => {
    writeFileSync(join(here.cwd, 'get'), `#!/bin/sh\necho "value of $1"\n`, { mode: 0o755 })
    mkdirSync(join(here.cwd, 'store/runloop/mail'), { recursive: true })
    writeFileSync(join(here.cwd, 'store/runloop/mail/key'), CANARY, { mode: 0o600 })
    for (const source of ['dir:store', `cmd:${join(here.cwd, 'get')}`]) {
      const { exit, stdout } = await here.say(
        'call',
        'text.spill',
        'mini.agent.bundle',
        '--args',
        '{"status":"0"}',
        '--secrets-from',
        source,
        '--json',
      )
      assert.equal(exit, 0)
      assert.doesNotMatch(stdout, /value of|c4nary/)
    }
    for (const source of ['vault', 'dir', 'dir:', 'env:x', "cmd:'", 'cmd: ']) {
      const { exit, envelope } = await here.json(
        'call',
        'text.spill',
        'mini.agent.bundle',
        '--secrets-from',
        source,
      )
      assert.deepEqual([exit, envelope.field], [2, 'secrets-from'], source)
    }
  })
  test('the audit log is its owner’s, and one that cannot be written stops the call', async () => {
    assert.equal((statSync(join(here.cwd, 'audit.log')).mode & 0o777).toString(8), '600')
    const lines = audit()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.deepEqual(Object.keys(lines[0]), [
      'ts',
      'tool',
      'argv',
      'cwd',
      'exit',
      'ms',
      'stdoutBytes',
      'stderrBytes',
      'truncated',
      'envKeys',
      'enforced',
    ])
    assert.deepEqual(lines[0].envKeys, ['RUNLOOP_MAIL_KEY'])
    const file = join(here.cwd, 'never.pid')
    const { exit } = await here.json(
      'call',
      'text.wait',
      'mini.agent.bundle',
      '--args',
      JSON.stringify({ file }),
      '--audit',
      'no/such/folder/log',
    )
    assert.deepEqual([exit, existsSync(file)], [2, false])
  })
  test('a pattern of GOAGENT_REDACT masks, and one that could not is refused before anything runs', async () => {
    const args = ['tool', 'call', 'text.echo', 'mini.agent.bundle', '--args', '{"n":1}']
    process.env['RUNLOOP_HOME'] = here.home
    const called = (pattern: string, ...more: string[]) =>
      run([...args, ...more], undefined, { cwd: here.cwd, env: { ...here.env, GOAGENT_REDACT: pattern } })
    assert.equal((await called('print-[[:alpha:]]+\\.sh\\z', '--audit', 'masked.log')).exit, 0)
    const log = readFileSync(join(here.cwd, 'masked.log'), 'utf8')
    assert.match(log, /\*\*\*REDACTED\*\*\*/)
    assert.doesNotMatch(log, /print-arguments/)
    const refused = await called('print-(?=a)', '--audit', 'unmasked.log')
    assert.equal(refused.exit, 2)
    assert.match(refused.stderr, /Cannot mask what GOAGENT_REDACT names: .*\(\?=, which is not read here/)
    assert.equal(existsSync(join(here.cwd, 'unmasked.log')), false)
  })
})

describe('confirmation on a terminal', { skip: POSIX }, () => {
  const here = place('confirm')

  async function asked(reply: string, id = 'text.ask', args = '{"n":1}') {
    process.env['RUNLOOP_HOME'] = here.home
    const { command } = await import('../../src/call/call-command.ts')
    const lines: Line[] = [['Run it?', reply]]
    const { prompter, log, left } = scripted(lines)
    const { terminal, written } = fakeTerminal({
      cwd: here.cwd,
      columns: 200,
      env: { ...here.env, NO_COLOR: '1' },
      isTTY: { stdin: true, stdout: true, stderr: true },
    })
    const parsed = parse(command, [id, 'mini.agent.bundle', '--args', args])
    const exit = await runCall(parsed as never, { ...terminal, color: false }, async () => prompter)
    return { exit, written, log: log.join('\n'), left }
  }

  test('shows the command, the bundle and the arguments, and runs after a yes', async () => {
    const { exit, written, log } = await asked('yes')
    assert.deepEqual([exit, written.stdout], [0, '{\n  "n": 1\n}\n'])
    assert.match(log, /# text\.ask of mini 1\.0\.0\n/)
    assert.match(log, /command +\S*print-arguments\.sh \{arguments\.json\}/)
    assert.match(log, /manifest blake3:[0-9a-f]{12}…/)
    assert.match(log, /"n": 1/)
    assert.ok(!/[\u202e\u001b]/.test(log))
  })
  test('a no, and Ctrl-C, run nothing', async () => {
    for (const reply of ['no', 'nah', '', STOP]) {
      const { exit, written } = await asked(reply)
      assert.deepEqual([exit, written.stdout], [130, ''])
      assert.match(written.stderr, /user_denied: .*declined by the operator/)
    }
  })
  test('arguments that do not fit are no question', async () => {
    const { exit, left } = await asked('yes', 'text.ask', '{"m":1}')
    assert.deepEqual([exit, left.length], [1, 1])
  })
})

describe('the process', { skip: POSIX }, () => {
  const here = place('process')

  function start(
    id: string,
    file: string,
  ): {
    child: ChildProcess
    ended: Promise<{ exit: number | null; stdout: string }>
  } {
    const args = ['tool', 'call', id, 'mini.agent.bundle', '--args', JSON.stringify({ file }), '--json']
    const child = spawn(process.execPath, [...PROGRAM, ...args], {
      cwd: here.cwd,
      env: { ...here.env, TMPDIR: here.cwd },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let stdout = ''
    child.stdout?.setEncoding('utf8').on('data', chunk => {
      stdout += chunk
    })
    return { child, ended: new Promise(resolve => child.on('close', exit => resolve({ exit, stdout }))) }
  }
  const pid = (file: string) => Number(readFileSync(file, 'utf8'))
  const isRunning = (file: string) => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')
  const leftovers = () => readdirSync(here.cwd).filter(name => name.startsWith('rlp-call-'))

  test('Ctrl-C ends the tool, and the envelope says so', async () => {
    const file = join(here.cwd, 'one.pid')
    const { child, ended } = start('text.wait', file)
    await until('it runs', () => isRunning(file))
    child.kill('SIGINT')
    const { exit, stdout } = await ended
    assert.equal(exit, 130)
    const { kind, message, retryable } = JSON.parse(stdout)
    assert.deepEqual(
      [kind, message, retryable],
      ['execution_error', "Tool 'text.wait' was cancelled.", false],
    )
    assert.ok(isGone(pid(file)))
    assert.deepEqual(leftovers(), [])
  })
  test('a second Ctrl-C ends everything at once', async () => {
    const file = join(here.cwd, 'two.pid')
    const { child, ended } = start('text.stubborn', file)
    await until('it runs', () => isRunning(file))
    child.kill('SIGINT')
    await new Promise(resolve => setTimeout(resolve, 100))
    child.kill('SIGINT')
    assert.equal((await ended).exit, 130)
    await until('it is gone', () => isGone(pid(file)))
    assert.deepEqual(leftovers(), [])
  })
})
