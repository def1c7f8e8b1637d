// The verbs of the library that commands had alone, each on a small case: first what passes, then one change.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { KEYS, signed } from '../support/trust-world.ts'

const folder = temporary('library-verbs')
const TOOLS = [
  {
    id: 'say.mark',
    description: 'Say it',
    result_schema: true,
    input_schema: { type: 'object' },
    transport: { kind: 'exec', command: process.execPath, args: ['-e', 'console.log(1)'] },
  },
]
const FILES = {
  'policy.caps': `[capabilities]\nexec = [${JSON.stringify(process.execPath)}]\n`,
  'tools.json': JSON.stringify({ version: 1, tools: TOOLS }),
}
const tree = (version: string) => signed(agentTree({ version, files: FILES }), 'release')
const policy = (more = '') =>
  `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = { allow_caps = "any", allow_net = [], allow_exec = true }\n${more}`
const revoked = policy(`[revoked]
"${KEYS.release.anchor}" = { reason = "lost" }
`)

describe('tools of a folder', () => {
  test('added, changed and removed; a grant only where it is asked for', async () => {
    const cwd = folder('tools')
    writeTree(join(cwd, 'mini'), agentTree({ files: FILES }))
    const loaded = await rlp.loadBundle(bundleOf(tree('1.0.0')), {
      expect: 'mini',
      trustPolicy: policy(),
      home: false,
    })
    const [tool] = loaded.tools
    assert.ok(tool !== undefined)
    const needing = {
      ...tool,
      id: 'mail.send',
      transport: { ...tool.transport, command: '/bin/mail' } as rlp.Transport,
    }
    const added = await rlp.addTool('mini', needing, { cwd })
    assert.deepEqual([added.files, added.granted, added.missing.length], [['tools.json'], [], 1])
    const edited = await rlp.editTool(
      'mini',
      'mail.send',
      { description: 'Send one mail' },
      { cwd, grant: true },
    )
    assert.deepEqual(
      [edited.keys, edited.changed, edited.granted, edited.missing],
      [['description'], true, added.missing, []],
    )
    assert.match(readFileSync(join(cwd, 'mini/policy.caps'), 'utf8'), /\/bin\/mail/)
    assert.deepEqual(
      (await rlp.listTools('mini', { cwd, unverified: true })).tools.map(({ id }) => id),
      ['say.mark', 'mail.send'],
    )
    const { effective, tools } = await rlp.capsShow('mini', { cwd, home: 'home' })
    assert.deepEqual(effective?.['exec'], [process.execPath, '/bin/mail'])
    assert.deepEqual(
      tools?.map(({ granted }) => granted),
      [true, true],
    )
    mkdirSync(join(cwd, 'home/policy-overrides/mini'), { recursive: true })
    const overridden = async (text: string) => {
      writeFileSync(join(cwd, 'home/policy-overrides/mini/policy.caps'), text)
      const { overrides } = await rlp.capsShow('mini', { cwd, home: 'home' })
      return overrides[0]?.findings.map(({ rule }) => rule)
    }
    assert.deepEqual(await overridden('[capabilities]\nexce = []\n'), ['caps/unknown-family'])
    assert.deepEqual(await overridden('[capabilities]\ntime = true\n'), ['caps/override'])
    const removed = await rlp.removeTools('mini', ['mail.send'], { cwd })
    assert.equal(removed.unused.length, 1)
    await assert.rejects(rlp.removeTools('mini', ['mail.send'], { cwd }), { code: 'NOT_FOUND' })
    for (const [change, field] of [
      [{ transport: {} }, 'transport'],
      [{ tags: 'a' }, 'tags'],
    ] as const)
      await assert.rejects(rlp.addTool('mini', { ...tool, id: 'x.y', ...change } as never, { cwd }), {
        code: 'USAGE',
        field,
      })
  })
})

test('a trace, compared and run again; an answer, checked', async () => {
  const cwd = folder('replay')
  const given = { expect: 'mini', trustPolicy: policy(), home: false } as const
  const bundle = await rlp.loadBundle(bundleOf(tree('1.0.0')), given)
  await rlp.callTool(bundle, 'say.mark', {}, { cwd, trace: 'calls.ndjson' })
  const { calls } = await rlp.replay('calls.ndjson', { cwd })
  assert.deepEqual(
    calls.map(({ call, answer }) => [call.tool, answer?.ok]),
    [['say.mark', true]],
  )
  const live = await rlp.replay('calls.ndjson', { cwd, bundle, live: true })
  assert.deepEqual(live.calls[0]?.differences, [])
  const other = await rlp.loadBundle(bundleOf(tree('1.1.0')), given)
  const compared = await rlp.replay('calls.ndjson', { cwd, bundle: other })
  assert.deepEqual(
    compared.calls[0]?.differences.map(({ code }) => code),
    ['bundle_changed'],
  )
  await assert.rejects(rlp.replay('calls.ndjson', { cwd, live: true }), { code: 'USAGE' })
})

test('a gate answers this process, and others', async () => {
  const cwd = folder('gate')
  const path = join(cwd, 'mini-1.0.0.agent.bundle')
  writeFileSync(path, bundleOf(tree('1.0.0')))
  writeFileSync(join(cwd, 'policy.toml'), policy(), { mode: 0o600 })
  const gate = await rlp.openGate({
    cwd,
    home: false,
    trustPolicy: 'policy.toml',
    listen: { at: 'unix:gate', serve: [cwd] },
  })
  after(() => gate.close())
  assert.equal(gate.address, `unix:${join(cwd, 'gate')}`)
  const bytes = bundleOf(tree('1.0.0'))
  assert.equal((await gate.ask({ bundle: bytes, expect: 'mini' })).allow, true)
  assert.equal((await gate.ask({ bundle: bytes, expect: 'other' })).allow, false)
  await assert.rejects(gate.ask({ bundle: bytes }), { code: 'USAGE', message: /it does not say which agent/ })
  const asked = await new Promise<string>((resolve, reject) => {
    const options = { socketPath: join(cwd, 'gate'), path: '/v1/judge', method: 'POST' }
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const sent = request({ ...options, headers }, async answer => {
      let text = ''
      for await (const part of answer) text += part
      resolve(text)
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ bundle: path }))
  })
  assert.match(asked, /"allow":true/)
  // A policy that is new counts for the next question.
  writeFileSync(join(cwd, 'policy.toml'), revoked)
  assert.equal((await gate.ask({ bundle: path })).verdict, 'revoked')
  await gate.close()
  await assert.rejects(gate.ask({ bundle: path }), { code: 'USAGE' })
})

test('a time of the caller decides what has ended, and latest is no expectation', async () => {
  const own = { key: { kind: 'ed25519' as const, bytes: new Uint8Array(KEYS.release.raw) } }
  const { sign } = await import('node:crypto')
  const cwd = folder('now')
  writeFileSync(join(cwd, 'b'), bundleOf(agentTree({ files: FILES })))
  const key = {
    ...own,
    sign: async (message: Uint8Array) => new Uint8Array(sign(null, message, KEYS.release.private)),
  }
  await rlp.sign('b', { cwd, key, notAfter: '2100-01-01T00:00:00Z' })
  const bytes = readFileSync(join(cwd, 'b'))
  const given = { expect: 'mini', trustPolicy: policy(), home: false } as const
  const verdictAt = async (now?: Date) =>
    (await rlp.verifyBundle(bytes, { ...given, ...(now && { now }) })).verdict
  assert.equal(await verdictAt(), 'trusted')
  assert.equal(await verdictAt(new Date('2100-01-02T00:00:00Z')), 'expired')
  await assert.rejects(verdictAt(new Date(Number.NaN)), { code: 'USAGE', field: 'now' })
  await assert.rejects(rlp.verifyBundle(bytes, { ...given, expect: 'mini@latest' }), {
    code: 'USAGE',
    hint: /^Nothing is called latest here/,
  })
})
