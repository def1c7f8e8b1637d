// Signed reports: verdicts are taken from an earlier report only as it was signed, also if others can replace the file. What was demanded and is missing
// ends the call before anything is judged.
import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { agentTree, bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { installKeys, KEYS, keyFile, POLICY, preAuth, signed } from '../support/trust-world.ts'

const folder = temporary('fleet-signed')
const TYPE = 'application/vnd.runloop.verification-report.v1+json'

function world(name: string) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), POLICY.replace(', agents = ["mini"]', ''), { mode: 0o600 })
  for (const side of ['a', 'b']) {
    mkdirSync(join(cwd, side))
    for (const at of [1, 2]) {
      const bundle = bundleOf(signed(agentTree({ name: `${side}_${at}` }), 'release'))
      writeFileSync(join(cwd, side, `${side}_${at}-1.0.0.agent.bundle`), bundle)
    }
  }
  process.env['RUNLOOP_HOME'] = home
  return cwd
}

async function verify(cwd: string, args: readonly string[]) {
  const ran = await run(['agent', 'verify', ...args, '--format', 'ndjson'], undefined, { cwd })
  return { ...ran, reused: ran.stdout.match(/"reused":true/g)?.length ?? 0 }
}

/** A signed report of one machine. */
async function report(cwd: string, side: string, key: string): Promise<string> {
  const { exit, stdout, stderr } = await verify(cwd, [side, '--key', key])
  assert.equal(exit, 0, stderr)
  return stdout
}

/** Verifies everything since a report. */
async function since(cwd: string, text: string | Buffer, ...more: string[]) {
  writeFileSync(join(cwd, 'report.ndjson'), text, { mode: 0o600 })
  return verify(cwd, ['a', 'b', '--since', 'report.ndjson', ...more])
}

test('the last line is a DSSE envelope over the bytes before it', async t => {
  // Two reports at one time: each line says when it was judged.
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-01T12:00:00Z') })
  const cwd = world('envelope')
  const text = await report(cwd, 'a', 'second')
  const begins = text.lastIndexOf('\n', text.length - 2) + 1
  const content = text.slice(0, begins)
  assert.equal(content, (await verify(cwd, ['a'])).stdout)
  const line = JSON.parse(text.slice(begins))
  assert.deepEqual([line.type, line.payloadType], ['signature', TYPE])
  const payload = Buffer.from(line.payload, 'base64')
  const { createHash } = await import('node:crypto')
  const sha256 = createHash('sha256').update(content).digest('hex')
  assert.equal(payload.toString(), JSON.stringify({ sha256, bytes: Buffer.byteLength(content) }))
  const sig = sign(null, preAuth(payload, TYPE), KEYS.second.private).toString('base64')
  assert.deepEqual(line.signatures, [{ keyid: KEYS.second.anchor, sig }])
})

test('as signed it is used, by any spelling of the key; reports of several machines are put together', async () => {
  const cwd = world('used')
  const a = await report(cwd, 'a', 'second')
  const b = await report(cwd, 'b', 'dev')
  for (const key of ['second', KEYS.second.anchor, keyFile('second', 'pub')]) {
    const { exit, reused } = await since(cwd, a, '--since-key', key)
    assert.deepEqual([exit, reused], [0, 2], key)
  }
  const both = await since(cwd, a + b + a, '--since-key', 'second', '--since-key', 'dev')
  assert.deepEqual([both.exit, both.reused], [0, 4])
  // Without the demand, signatures are not looked at.
  assert.equal((await since(cwd, a.replace('"sig":"', '"sig":"AAAA'))).reused, 2)
  // A new report signs what it took from a signed one.
  const next = await since(cwd, a + b, '--since-key', 'second', '--since-key', 'dev', '--key', 'second')
  assert.equal((await since(cwd, next.stdout, '--since-key', 'second')).reused, 4)
})

test('unsigned, altered, cut off, by another key: nothing is judged', async () => {
  const cwd = world('refused')
  const a = await report(cwd, 'a', 'second')
  const b = await report(cwd, 'b', 'stranger')
  const unsigned = (await verify(cwd, ['a'])).stdout
  const lines = a.split('\n').slice(0, -1)
  const joined = (...kept: (string | undefined)[]) => kept.map(line => `${line}\n`).join('')
  assert.equal((await since(cwd, a, '--since-key', 'second')).reused, 2)
  const wrong: Readonly<Record<string, string>> = {
    empty: '',
    unsigned,
    'cut off before the signature': joined(...lines.slice(0, -1)),
    'cut off in the signature': a.slice(0, -1),
    'cut off in a line': a.slice(0, 100),
    'a line is missing': joined(...lines.slice(1)),
    'a line is there twice': joined(lines[0], ...lines),
    'other order': joined(lines[1], lines[0], ...lines.slice(2)),
    'another verdict': a.replace('"verdict":"trusted"', '"verdict":"revoked"'),
    'one byte': a.replace('"reused":false', '"reused":true '),
    'with an unsigned one behind': a + unsigned,
    'with an unsigned one before': unsigned + a,
    'with one of another key': a + b,
    'of another key': b,
    'with half of itself': a + a.slice(0, 50),
    'signature of the other': a.slice(0, a.lastIndexOf('{"type":"signature"')) + b.split('\n').at(-2),
    'other payload type': a.replace('verification-report.v1', 'verification-report.v2'),
    'no signatures': a.replace(/"signatures":\[.*\]/, '"signatures":[]'),
    'a damaged signature': a.replace(/"sig":"./, '"sig":"!'),
    'member twice': a.replace('"signatures":', '"signatures":[],"signatures":'),
  }
  for (const [what, text] of Object.entries(wrong)) {
    const { exit, stdout, stderr } = await since(cwd, text, '--since-key', 'second')
    assert.deepEqual([exit, stdout], [2, ''], what)
    assert.match(stderr, /Cannot rely on "report\.ndjson"/, what)
  }
  for (let at = 0; at < a.length; at += 37) {
    const bytes = Buffer.from(a)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    const { exit, reused } = await since(cwd, bytes, '--since-key', 'second')
    // The key id alone is not signed, and decides nothing.
    const isKeyId = at > a.indexOf('"keyid"') && at < a.indexOf('"sig"')
    assert.ok(exit === 2 || (isKeyId && exit === 0 && reused === 2), `byte ${at}: exit ${exit}`)
  }
})

test('flags that contradict each other, and a key that is not there', async () => {
  const cwd = world('flags')
  const a = await report(cwd, 'a', 'second')
  for (const [args, says] of [
    [['a', '--since-key', 'second'], /Cannot use --since-key: no report is named/],
    [['a', '--key', 'second', '--verifier', 'https://v.example'], /Cannot attest with --format ndjson/],
    [['a', '--bundles-from', '-', '--key', '-'], /standard input at once/],
    [['a', '--key', 'missing'], /missing/],
  ] as const) {
    const { exit, stdout, stderr } = await verify(cwd, args)
    assert.deepEqual([exit, stdout, says.test(stderr)], [2, '', true], stderr)
  }
  // Its signature would vouch for verdicts that anybody could have written.
  const laundered = await since(cwd, a, '--key', 'second')
  assert.deepEqual([laundered.exit, laundered.stdout], [2, ''])
  assert.match(laundered.stderr, /hint: Demand its signature with --since-key KEY/)
  const unknown = await since(cwd, a, '--since-key', 'missing')
  assert.deepEqual([unknown.exit, unknown.stdout], [2, ''])
})
