// How commands reach registries: each that takes a reference logs in with the file that REGISTRY_AUTH_FILE names and waits as config.toml says, and a
// password that is refused is sent once.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { GONE_OPTIONS } from '../../src/cli/parse.ts'
import { verifyBundle } from '../../src/library/generated/index.ts'
import { lockAdd, NotVerifiedError } from '../../src/library/generated/lock.ts'
import { RlpError } from '../../src/model/error.ts'
import { writeTree } from '../support/agent.ts'
import { channelWith, pinOf, publish } from '../support/channel-world.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, madeTree, policyText, RELEASE, world } from '../support/install-world.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'
import { authFile, registryTimeout } from '../support/registry-access.ts'
import { slice } from '../support/runs.ts'

const folder = temporary('reach')
const here = world(folder('world'))
here.put('b', made({}, RELEASE))
const CHANNEL = channelWith(policyText())
const PASSWORD = 'pw-17'
const BASIC = `Basic ${Buffer.from(`alice:${PASSWORD}`).toString('base64')}`

let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry({ referrers: true, login: `alice:${PASSWORD}` }).start()
  const ran = await rlp(['agent', 'push', 'b', `oci://${server.host}/agents/mini`])
  assert.equal(ran.exit, 0, ran.stderr)
  await publish(CHANNEL, `oci-layout:${join(here.cwd, 'house')}`)
  const pushed = await rlp(['channel', 'push', 'house', `oci://${server.host}/trust/house`])
  assert.equal(pushed.exit, 0, pushed.stderr)
  writeTree(join(here.cwd, 'mini'), madeTree())
  writeFileSync(join(here.cwd, 'trace'), '')
})
after(() => server.stop())

/** As in a pipeline that keeps no login. */
function rlp(words: readonly string[], input = '', password = PASSWORD, { host } = server) {
  process.env['RUNLOOP_HOME'] = here.home
  const env = {
    HOME: here.cwd,
    RUNLOOP_HOME: here.home,
    ...authFile(here.cwd, { [host]: `alice:${password}` }),
  }
  return run(words, undefined, { cwd: here.cwd, env, input })
}

/** The channel in the same registry. */
const channelAt = (at: string) => at.replace('/agents/mini:1.0.0', '/trust/house')

/** Where each command takes a reference, and what it reads from standard input. */
const TAKES: Readonly<Record<string, (reference: string) => readonly [words: string[], rest?: string]>> = {
  'agent pack': at => [['mini', '--check', at]],
  'agent push': at => [['b', at.replace(/:1\.0\.0$/, '')]],
  'agent detach': at => [[at, '--by', RELEASE.anchor, '--dry-run']],
  'agent copy': at => [[at, at.replace('/agents/', '/copies/')]],
  'agent pull': at => [[at, '--out-dir', 'out']],
  'agent verify': at => [['--bundles-from', '-'], `${at}\n`],
  'agent sign': at => [[at, '--expect', 'mini@1.0.0', '--export-payload', 'payload']],
  'agent install': at => [[at, '--yes']],
  'agent run': at => [[at], ''],
  'agent list': at => [[at.replace(/:1\.0\.0$/, '')]],
  'agent inspect': at => [[at]],
  'agent diff': at => [['b', at]],
  'agent sbom': at => [[at]],
  'lock add': at => [[at]],
  'lock check': () => [[]],
  'lock update': () => [[]],
  'lock outdated': () => [[]],
  'trust add': at => [['release', '--for', at, '--dry-run']],
  'trust revoke': at => [[at, '--dry-run']],
  'trust explain': at => [[at]],
  'trust follow': at => [[channelAt(at), '--root', pinOf(CHANNEL)]],
  // What the command before it follows.
  'trust update': () => [[]],
  'channel status': at => [[channelAt(at)]],
  'channel push': at => [['house', channelAt(at)]],
  'channel pull': at => [[channelAt(at), 'pulled']],
  'tool list': at => [[at]],
  'tool call': at => [['text.query', at, '--args', '-'], '{}'],
  'tool serve': at => [[at], ''],
  'tool replay': at => [['trace', '--bundle', at]],
  'tool export': at => [[at, '--to', 'mcp']],
  gate: at => [[], `${JSON.stringify({ bundle: at })}\n`],
}

/** By day one of four is shown a registry that does not answer. */
const waiting = new Set(slice(Object.keys(TAKES), 4))

describe('a command that takes a reference', () => {
  for (const { name, load } of REGISTRY.commands) {
    const takes = TAKES[name]
    if (name === 'login') continue
    test(`${name}: ${takes === undefined ? 'takes none' : 'logs in, and waits as long as config.toml says'}`, async () => {
      server.asked.length = 0
      if (takes === undefined) {
        const { positionals = [] } = (await load()).command
        await rlp([...name.split(' '), ...positionals.map(() => `oci://${server.host}/agents/mini:1.0.0`)])
        assert.deepEqual(server.asked, [])
        return
      }
      const [words, rest] = takes(`oci://${server.host}/agents/mini:1.0.0`)
      const line = [...name.split(' '), ...words]
      const ran = await rlp(line, rest)
      assert.ok(
        server.asked.some(({ authorization }) => authorization === BASIC),
        `${JSON.stringify(server.asked)}\n${ran.stderr}${ran.stdout}`,
      )
      // The last question was answered as well: the token was taken.
      assert.notEqual(server.asked.at(-1)?.authorization, undefined)
      if (!waiting.has(name)) return
      server.meddle = () => true
      const begun = performance.now()
      registryTimeout(here.home, 1)
      const late = await rlp(line, rest)
      registryTimeout(here.home, undefined)
      server.meddle = undefined
      assert.ok(performance.now() - begun < 5000)
      assert.match(`${late.stdout}${late.stderr}`.replace(/\s+/g, ' '), /took longer than 1 s in all/)
    })
  }

  test('that is named here is one', () => {
    const names = REGISTRY.commands.map(({ name }) => name)
    for (const name of Object.keys(TAKES)) assert.ok(names.includes(name), name)
  })
})

describe('a name and a password that are refused', () => {
  const list = () =>
    `${Array.from({ length: 10 }, () => `oci://${server.host}/agents/mini:1.0.0`).join('\n')}\n`
  const tries = () =>
    server.asked.filter(({ authorization = '' }) => authorization.startsWith('Basic ')).length

  test('are sent once for a list, and each line says why', async () => {
    server.asked.length = 0
    const words = ['agent', 'verify', '--bundles-from', '-']
    const right = await rlp(words, list())
    assert.equal(right.exit, 0, right.stdout)
    assert.ok(tries() >= 1)
    server.asked.length = 0
    const wrong = await rlp([...words, '--format', 'ndjson'], list(), 'wrong')
    assert.equal(wrong.exit, 3)
    assert.equal(tries(), 1)
    const records = wrong.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(({ type }) => type === 'bundle')
    assert.equal(records.length, 10)
    for (const { verdict, reasons } of records) {
      assert.equal(verdict, 'indeterminate')
      assert.match(reasons[0].message, /the registry refused this name and password/)
      assert.match(reasons[0].hint, /log in again with rlp login HOST$/)
    }
  })

  test('where the registry wants them with each request, too', async () => {
    const basic = await new FakeRegistry({
      meddle: ({ headers }, response) => {
        if (headers.authorization === BASIC) return false
        response.setHeader('www-authenticate', 'Basic realm="x"')
        return say(response, 401, '{}')
      },
    }).start()
    try {
      const at = `oci://${basic.host}/agents/mini`
      assert.equal((await rlp(['agent', 'push', 'b', at], '', PASSWORD, basic)).exit, 0)
      basic.asked.length = 0
      const words = ['agent', 'verify', ...Array(10).fill(`${at}:1.0.0`), '--json']
      const wrong = JSON.parse((await rlp(words, '', 'wrong', basic)).stdout)
      const sent = basic.asked.filter(({ authorization }) => authorization !== undefined)
      assert.equal(sent.length, 1, JSON.stringify(basic.asked))
      assert.match(JSON.stringify(wrong), /the registry refused this name and password/)
    } finally {
      await basic.stop()
    }
  })

  test('are told to a program once, too', async t => {
    const at = `oci://${server.host}/agents/mini:1.0.0`
    const env = authFile(here.cwd, { [server.host]: 'alice:wrong' })
    Object.assign(process.env, env)
    t.after(() => delete process.env['REGISTRY_AUTH_FILE'])
    const report = await verifyBundle(at, { expect: 'mini', home: here.home })
    assert.match(report.reasons[0]?.message ?? '', /the registry refused this name and password/)
    assert.doesNotMatch(JSON.stringify(report), /wrong/)
    server.meddle = () => true
    const home = folder('another home')
    registryTimeout(home, 1)
    const slow = await verifyBundle(at, { expect: 'mini', home })
    server.meddle = undefined
    assert.equal(slow.reasons[0]?.code, 'timed_out')
    assert.match(slow.reasons[0]?.hint ?? '', /timeout under \[registries\] in config\.toml/)
    server.asked.length = 0
    await assert.rejects(
      lockAdd([at, at, at], { env, home: here.home, cwd: here.cwd, lock: 'other.lock' }),
      (error: unknown) => error instanceof NotVerifiedError || error instanceof RlpError,
    )
    assert.equal(tries(), 1)
  })
})

test('an option that went names what does its job now, and is sent nowhere', async () => {
  const at = `oci://${server.host}/agents/mini:1.0.0`
  for (const [option, hint] of Object.entries(GONE_OPTIONS)) {
    server.asked.length = 0
    const { exit, stdout } = await rlp(['agent', 'verify', at, `--${option}`, 'x', '--json'], `${PASSWORD}\n`)
    const said = JSON.parse(stdout)
    assert.deepEqual(
      [exit, said.message, said.hint, server.asked],
      [2, `Cannot read "--${option}": "rlp agent verify" has no such option`, hint, []],
    )
  }
})
