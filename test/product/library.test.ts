// Every verb of the library, as an embedder calls it. That none of them prints, the architecture test holds, and the examples of docs/library.md.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { sign as signBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { agentTree, bundleOf, EMPTY_TOOLS, writeTree } from '../support/agent.ts'
import { builtProgram } from '../support/built.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { writing } from '../support/mcp.ts'
import { ASKING, KEYS, keyFile, POLICY, signed } from '../support/trust-world.ts'

const folderFor = temporary('library')
const HOSTILE = folderFor('hostile')
writeFileSync(join(HOSTILE, 'trust-policy.toml'), 'this is no policy', { mode: 0o600 })

process.env['RUNLOOP_HOME'] = HOSTILE

const SIGNED = signed(ASKING, 'release')

describe('a folder', () => {
  test('is scaffolded, whole or not at all', async () => {
    const cwd = folderFor('scaffold')
    const options = { cwd, net: ['api.mail.example'], model: false } as const
    await assert.rejects(rlp.scaffold('mailer', { ...options, signal: AbortSignal.abort() }), {
      code: 'CANCELLED',
    })
    await assert.rejects(rlp.scaffold('Mailer', options), { code: 'USAGE' })
    await assert.rejects(rlp.scaffold('mailer', { cwd, net: ['no host'] }), { code: 'USAGE' })
    assert.deepEqual(readdirSync(cwd), [])
    const { path, files } = await rlp.scaffold('mailer', options)
    assert.equal(path, join(cwd, 'agents/mailer'))
    assert.deepEqual([...files].sort(), [
      'README.md',
      'bin/mailer.wasm',
      'manifest.toml',
      'policy.caps',
      'tools.json',
    ])
    assert.match(readFileSync(join(path, 'policy.caps'), 'utf8'), /api\.mail\.example/)
    assert.equal((await rlp.lint(path)).counts.errors, 0)
    await assert.rejects(rlp.scaffold('mailer', options), { code: 'EXISTS' })
    assert.deepEqual((await rlp.scaffold('mailer', { ...options, force: true })).path, path)
  })

  test('gets an opening too, which is never lost', async () => {
    const cwd = folderFor('opening')
    const file = join(cwd, 'examples/openings/mailer.yaml')
    assert.equal((await rlp.scaffold('plain', { cwd })).opening, undefined)
    assert.equal((await rlp.scaffold('mailer', { cwd, opening: true })).opening, file)
    assert.match(readFileSync(file, 'utf8'), /"run the mailer agent"[\s\S]*"prompt": /)
    const more = { cwd, root: 'more', opening: { goal: 'sort the mail', param: 'box' } }
    await assert.rejects(rlp.scaffold('mailer', more), { code: 'EXISTS' })
    assert.equal(existsSync(join(cwd, 'more')), false)
    await rlp.scaffold('mailer', { ...more, force: true })
    assert.match(readFileSync(file, 'utf8'), /"sort the mail"[\s\S]*"box": /)
    for (const opening of [{ param: 'a-b' }, { goal: '' }, { path: 'agents/other/opening.yaml' }])
      await assert.rejects(rlp.scaffold('other', { cwd, opening }), { code: 'USAGE' })
    assert.equal(existsSync(join(cwd, 'agents/other')), false)
  })

  test('is linted, and mended where that was asked for', async () => {
    const agent = writeTree(
      join(folderFor('lint'), 'mini'),
      agentTree({ files: { 'README.md': '# mini\n' } }),
    )
    const clean = await rlp.lint(agent)
    assert.deepEqual([clean.findings, clean.counts.errors, clean.changed], [[], 0, false])
    writeFileSync(join(agent, 'README.md'), '# other\n')
    const { findings } = await rlp.lint(pathToFileURL(agent))
    assert.deepEqual(
      findings.map(({ rule }) => rule),
      ['manifest/digest-stale'],
    )
    const off = await rlp.lint(agent, { rules: { 'manifest/*': 'off' } })
    assert.equal(off.counts.errors, 0)
    await assert.rejects(rlp.lint(agent, { rules: { nothing: 'off' } }), { code: 'USAGE' })
    await assert.rejects(rlp.lint(join(agent, 'none')), { code: 'NOT_FOUND' })
  })

  test('is packed, and told how far', async () => {
    const cwd = folderFor('pack')
    writeTree(join(cwd, 'mini'), agentTree())
    const seen: rlp.Progress[] = []
    const onProgress = (progress: rlp.Progress) => void seen.push(progress)
    const packed = await rlp.pack('mini', { cwd, onProgress })
    assert.equal(packed.bundle, 'dist/mini-1.0.0.agent.bundle')
    assert.deepEqual(readFileSync(join(cwd, packed.bundle)), bundleOf(agentTree()))
    assert.deepEqual([seen.at(-1)?.done, seen.at(-1)?.total], [packed.bytes, packed.bytes])
    const out = pathToFileURL(join(cwd, 'other.bin'))
    assert.equal((await rlp.pack('mini', { cwd, out })).bundle, join(cwd, 'other.bin'))
    const same = await rlp.pack('mini', { cwd, check: packed.bundle, onProgress })
    assert.deepEqual([seen.at(-1)?.done, seen.at(-1)?.unit], [seen.at(-1)?.total, 'bytes'])
    assert.deepEqual(same, { agent: 'mini', bundle: packed.bundle, difference: undefined, changed: false })
    const again = await rlp.pack('mini', { cwd })
    assert.deepEqual([packed.changed, again.changed], [true, false])
    await assert.rejects(rlp.pack('mini', { cwd, check: 'none' }), { code: 'NOT_FOUND' })
    writeFileSync(join(cwd, 'mini/policy.caps'), '[capabilities]\nmodel = true\n')
    const { difference } = await rlp.pack('mini', { cwd, check: out })
    assert.deepEqual([difference?.path, difference?.what], ['policy.caps', 'content'])
    await assert.rejects(rlp.pack('mini', { cwd }), { code: 'DIGEST_STALE' })
    await assert.rejects(rlp.pack('mini', { cwd, signal: AbortSignal.abort() }), { code: 'CANCELLED' })
  })
})

describe('a bundle', () => {
  test('is inspected and compared', async () => {
    const cwd = folderFor('compare')
    writeFileSync(join(cwd, 'one'), bundleOf(SIGNED))
    const more = agentTree({
      name: 'mini',
      version: '1.0.1',
      files: { 'policy.caps': '[capabilities]\nmodel = true\n' },
    })
    writeFileSync(join(cwd, 'two'), bundleOf(more))
    const alone = { cwd, trustPolicy: POLICY, state: false } as const
    const seen = await rlp.inspect('one', alone)
    assert.deepEqual([seen.report.verdict, seen.wrong, seen.tools], ['trusted', undefined, []])
    assert.ok(seen.permissions?.some(line => line.includes('drafts')))
    await assert.rejects(rlp.inspect('none', alone), { code: 'NOT_FOUND' })
    const { widened, before, after } = await rlp.diff('one', pathToFileURL(join(cwd, 'two')), alone)
    assert.deepEqual([before.verdict, after.verdict], ['trusted', 'unsigned'])
    assert.ok(widened.length > 0)
    assert.deepEqual((await rlp.diff('one', 'one', alone)).widened, [])
  })
})

describe('a call', () => {
  const cwd = folderFor('calls')
  const tool = (id: string, command: string, args: readonly string[], more = {}) => ({
    id,
    description: id,
    transport: { kind: 'exec', command, args },
    result_schema: true,
    'x-rlp': { stdin: true },
    ...more,
    input_schema: { type: 'object', additionalProperties: false },
  })
  const PRINTS = ['-e', 'process.stdout.write(JSON.stringify({ length: process.env.MAIL?.length }))']
  const files = {
    'policy.caps': `[capabilities]\nexec = [${JSON.stringify(process.execPath)}]\nsecrets = ["mail"]\n`,
    'tools.json': JSON.stringify({
      version: 1,
      tools: [
        tool('secret.length', process.execPath, PRINTS, { secrets: ['mail'] }),
        tool('sleep.long', process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']),
      ],
    }),
  }
  const bundle = join(cwd, 'mini.bundle')
  writeFileSync(bundle, bundleOf(signed(agentTree({ files }), 'release')))
  const trustPolicy = POLICY.replace('["kb_read:drafts"]', '"any"').replace(
    'allow_exec = false',
    'allow_exec = true',
  )
  const trust = { expect: 'mini', trustPolicy, home: false } as const
  const load = () => rlp.loadBundle(bundle, trust)

  test('takes secrets as an object or a function, and checks them alike', async () => {
    const loaded = await load()
    const call = async (secrets?: rlp.SecretsGiven) => {
      const { envelope } = await rlp.callTool(loaded, 'secret.length', {}, secrets && { secrets })
      return envelope.ok ? envelope.result : envelope['reason']
    }
    const value = 'twelve chars'
    assert.deepEqual(await call({ mail: value }), { length: 12 })
    assert.deepEqual(await call(async () => ({ ok: true, value })), { length: 12 })
    assert.deepEqual(await call(), 'secret_unknown')
    assert.deepEqual(await call({ other: value }), 'secret_unknown')
    for (const wrong of ['a', 'with\0nul', 7 as unknown as string]) {
      assert.deepEqual(await call({ mail: wrong }), 'secret_unusable')
      assert.deepEqual(await call(async () => ({ ok: true, value: wrong })), 'secret_unusable')
    }
  })

  test('is shown before it is made', async () => {
    const loaded = await load()
    const audit = join(cwd, 'audit.ndjson')
    const plan = await rlp.callTool(loaded, 'sleep.long', {}, { dryRun: true, audit })
    assert.ok(plan.is === 'planned')
    assert.deepEqual([plan.arguments, plan.requiresConfirmation], [{}, false])
    assert.match(JSON.stringify(plan.plan), /setTimeout/)
    const refused = await rlp.callTool(loaded, 'sleep.long', { more: 1 }, { dryRun: true })
    assert.equal(refused.is, 'refused')
    assert.equal(existsSync(audit), false)
  })

  test('ends with the program that made it', async () => {
    const script = join(cwd, 'host.mjs')
    writeFileSync(
      script,
      `import { existsSync, readFileSync } from 'node:fs'
import { callTool, loadBundle } from ${JSON.stringify(join(builtProgram(), '../../library/index.js'))}
const bundle = await loadBundle(${JSON.stringify(bundle)}, ${JSON.stringify(trust)})
void callTool(bundle, 'sleep.long', {})
const children = '/proc/self/task/' + process.pid + '/children'
const pids = () => (existsSync(children) ? readFileSync(children, 'utf8').trim() : '')
const before = pids()
for (let turn = 0; turn < 500 && pids() === before; turn++) await new Promise(go => setTimeout(go, 10))
process.stdout.write(pids().split(' ').filter(pid => !before.split(' ').includes(pid)).join(' '))
process.exit(0)
`,
    )
    if (!existsSync(`/proc/self/task/${process.pid}/children`)) return
    const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    assert.match(stdout, /^\d+$/, stderr)
    for (let turn = 0; turn < 200 && existsSync(`/proc/${stdout}`); turn++)
      await new Promise(go => setTimeout(go, 10))
    assert.equal(existsSync(`/proc/${stdout}`), false)
  })
})

describe('tools', () => {
  test('come from another system, and go to it', async () => {
    const cwd = folderFor('convert')
    writeTree(join(cwd, 'mini'), agentTree({ files: { 'tools.json': EMPTY_TOOLS } }))
    const list = [
      {
        type: 'function',
        function: { name: 'clock', description: 'the time', parameters: { type: 'object', properties: {} } },
      },
    ]
    writeFileSync(join(cwd, 'functions.json'), JSON.stringify(list))
    const options = { cwd, agent: 'mini', run: { is: 'command', command: '/usr/bin/date' } } as const
    const dry = await rlp.importTools('functions.json', { ...options, dryRun: true })
    assert.deepEqual([dry.tools, dry.files, dry.missing.length > 0], [['clock'], [], true])
    const done = await rlp.importTools('functions.json', { ...options, grant: true })
    assert.deepEqual([done.files, done.missing], [['policy.caps', 'tools.json'], []])
    const { document, verdict } = await rlp.exportTools('mini', { cwd, to: 'openai' })
    assert.equal(verdict, 'source')
    assert.deepEqual(
      (document as { function: { name: string } }[]).map(tool => tool.function.name),
      ['clock'],
    )
    await assert.rejects(rlp.exportTools('mini', { cwd, to: 'none' as never }), { code: 'USAGE' })
    writeFileSync(join(cwd, 'one'), bundleOf(SIGNED))
    await assert.rejects(rlp.exportTools('one', { cwd, to: 'mcp', home: false }), {
      name: 'NotVerifiedError',
    })
    const out = await rlp.importTools('functions.json', { cwd, out: 'new.json', run: options.run })
    assert.deepEqual(out.files, ['new.json'])
  })

  test('that lint refuses are named in an error of ours', async () => {
    const cwd = folderFor('refused')
    writeTree(join(cwd, 'mini'), agentTree({ files: { 'tools.json': EMPTY_TOOLS } }))
    const inputSchema = { type: 'object', properties: { n: { exclusiveMinimum: true, minimum: 0 } } }
    writeFileSync(join(cwd, 'tools.json'), JSON.stringify({ tools: [{ name: 'pages', inputSchema }] }))
    const run = { is: 'command', command: '/usr/bin/date' } as const
    await assert.rejects(rlp.importTools('tools.json', { cwd, agent: 'mini', run }), {
      code: 'LINT_FAILED',
      message: /^Cannot add the tool "pages"/,
    })
  })
})

describe('a signer and a server', () => {
  test('a sound bundle is signed, a changed one is not and stays as it is', async () => {
    const cwd = folderFor('sign')
    const bundle = join(cwd, 'mini.bundle')
    writeFileSync(bundle, bundleOf(ASKING))
    // Not readable by others, as the one of a checkout is.
    writeFileSync(join(cwd, 'release.pem'), readFileSync(keyFile('release')), { mode: 0o600 })
    const options = { cwd, key: 'release.pem' }
    const { signer, bundle: named } = await rlp.sign('mini.bundle', options)
    assert.equal(named, 'mini.bundle')
    assert.equal(signer, KEYS.release.anchor)
    const trust = { expect: 'any', trustPolicy: POLICY, home: false, allowDev: false } as const
    assert.equal((await rlp.verifyBundle(bundle, trust)).verdict, 'trusted')
    const bytes = readFileSync(bundle)
    bytes[700] = (bytes[700] ?? 0) ^ 1
    writeFileSync(bundle, bytes)
    await assert.rejects(rlp.sign('mini.bundle', options), { code: 'NOT_VERIFIED' })
    assert.deepEqual(readFileSync(bundle), bytes)
    await assert.rejects(rlp.sign('mini.bundle', { ...options, key: 'nowhere.pem' }), { code: 'NOT_FOUND' })
    await assert.rejects(rlp.sign('none.bundle', options), { code: 'NOT_FOUND' })
  })

  test('a signer of the caller’s own is asked for exactly the bytes, and believed only if they verify', async () => {
    const cwd = folderFor('own-signer')
    const bundle = join(cwd, 'mini.bundle')
    writeFileSync(bundle, bundleOf(ASKING))
    const before = readFileSync(bundle)
    const key = { kind: 'ed25519', bytes: new Uint8Array(KEYS.release.raw) } as const
    const liar = { key, sign: async () => new Uint8Array(64) }
    await assert.rejects(rlp.sign(bundle, { key: liar }), { code: 'NOT_VERIFIED' })
    assert.deepEqual(readFileSync(bundle), before)
    const honest = {
      key,
      sign: async (message: Uint8Array) => new Uint8Array(signBytes(null, message, KEYS.release.private)),
    }
    assert.equal((await rlp.sign(bundle, { key: honest })).signer, KEYS.release.anchor)
  })

  test('the tools of a trusted bundle are served, and of another none', async () => {
    const bundle = join(folderFor('serve'), 'mini.bundle')
    const look = {
      id: 'mail.look',
      description: 'Looks for mail',
      transport: { kind: 'http', method: 'GET', url: 'https://api.mail.example/mail' },
      input_schema: { type: 'object', additionalProperties: false },
      result_schema: true,
    }
    const files = {
      'policy.caps': '[capabilities]\nnet = ["api.mail.example:443"]\n',
      'tools.json': JSON.stringify({ version: 1, tools: [look] }),
    }
    writeFileSync(bundle, bundleOf(signed(agentTree({ files }), 'release')))
    const said: string[] = []
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ]
    async function* input() {
      for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`)
      // The input of a client stays open until it has its answers.
      for (let turn = 0; turn < 200 && said.length < 2; turn++) await new Promise(go => setTimeout(go, 10))
    }
    const output = () => writing(text => said.push(text))
    await rlp.serveTools([bundle], { input: input(), output: output(), trustPolicy: POLICY, home: false })
    const answers = said.map(
      text => JSON.parse(text) as { id: number; result: { tools?: { name: string }[] } },
    )
    const listed = answers.find(({ id }) => id === 2)?.result.tools?.map(({ name }) => name)
    assert.deepEqual(listed, ['mail.look'], said.join(''))
    await assert.rejects(
      rlp.serveTools([bundle], { input: input(), output: output(), home: false }),
      (error: Error) => error instanceof rlp.NotVerifiedError && error.verdict === 'indeterminate',
    )
  })
})
