// The parts of signing, each by itself: what a caller of the library asks for, what a program is asked, and what a person types.
import assert from 'node:assert/strict'
import { sign as signWith } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, describe, mock, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { ReadHandle } from '../../src/io/read/read-file.ts'
import { sign } from '../../src/library/generated/index.ts'
import { askPassphrase, newPassphrase } from '../../src/sign/ask-key.ts'
import { generateKey } from '../../src/sign/new-key.ts'
import { payloadFor, withSignature } from '../../src/sign/sign.ts'
import { programSigner } from '../../src/sign/signers/program.ts'
import { writeSignature } from '../../src/sign/write-signature.ts'
import { readEnvelope, readStatement } from '../../src/signature/envelope.ts'
import { bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { ASKING, KEYS, preAuth, signed, type TestKey } from '../support/trust-world.ts'

const folder = temporary('sign-parts')
const END = '2027-11-20T00:00:00Z'
const LATER = '2028-05-20T00:00:00Z'
afterEach(() => mock.restoreAll())

const signerOf = (key: TestKey) => ({
  key: { kind: 'ed25519', bytes: key.raw } as const,
  sign: async (message: Uint8Array) => new Uint8Array(signWith(null, message, key.private)),
})

async function agentIn(path: string) {
  const { agent } = await outline(await readBundle(path, { keep: 'parsed' }))
  return agent
}

/** Until when a bundle is signed, and by how many. */
async function signedUntil(path: string) {
  const read = readEnvelope(
    (await agentIn(path)).files.get('SIGNATURES/manifest.sig')?.bytes ?? new Uint8Array(),
  )
  assert.ok(read.ok)
  const statement = readStatement(read.value.payload)
  assert.ok(statement.ok)
  return [statement.value.notAfter, read.value.signatures.length]
}

test('a caller of the library sets an end, adds a signature, and renews them', async () => {
  const path = join(folder('given'), 'mini-1.0.0.agent.bundle')
  writeFileSync(path, bundleOf(ASKING))
  await sign(path, { key: signerOf(KEYS.release), notAfter: END })
  assert.deepEqual(await signedUntil(path), [END, 1])
  await sign(path, { key: signerOf(KEYS.dev) })
  assert.deepEqual(await signedUntil(path), [END, 2])
  await sign(path, { key: signerOf(KEYS.second), renew: LATER, home: false })
  assert.deepEqual(await signedUntil(path), [LATER, 1])
  const both = { key: signerOf(KEYS.second), renew: LATER, notAfter: LATER, home: false } as const
  await assert.rejects(sign(path, both), {
    code: 'USAGE',
    message: 'Cannot use notAfter with renew: each names an end',
  })
})

test('a bundle that shrinks while it is copied ends there, and what checks the copy decides', async () => {
  const path = join(folder('shrinks'), 'mini-1.0.0.agent.bundle')
  writeFileSync(path, bundleOf({ ...ASKING, 'bin/data': Buffer.alloc(3 * 1024 * 1024, 'abc') }))
  const { readNow } = ReadHandle.prototype
  mock.method(ReadHandle.prototype, 'readNow', function (this: ReadHandle, buffer: Uint8Array, from: number) {
    if (from > 1024 * 1024) truncateSync(path, 1024 * 1024)
    return readNow.call(this, buffer, from)
  })
  const sizes: number[] = []
  const writing = writeSignature(path, Buffer.from('{}'), {
    label: 'it',
    check: async copy => {
      sizes.push(statSync(copy).size)
      throw new Error('checked')
    },
  })
  await assert.rejects(writing, /^Error: checked$/)
  // One block for the header of the signature and one for its content.
  assert.deepEqual(
    sizes.map(size => size - 1024 >= 1024 * 1024 && size - 1024 < 3 * 1024 * 1024),
    [true],
  )
})

test('a stored bundle is countersigned, not signed', async () => {
  const key = signerOf(KEYS.release)
  for (const place of ['oci://registry.invalid/agents/mini:1.0.0', 'oci-layout:store:1.0.0'])
    await assert.rejects(sign(place, { key }), {
      code: 'USAGE',
      message: `Cannot sign "${place}": it is stored already`,
    })
})

test('what an identity has signed is what a key signs, unless the bundle states something itself', async () => {
  const path = join(folder('judged'), 'bundle')
  writeFileSync(path, bundleOf(ASKING))
  const judged = Buffer.from('what was judged')
  assert.equal(payloadFor(await agentIn(path), {}, judged), judged)
  writeFileSync(path, bundleOf(signed(ASKING, ['release'])))
  const agent = await agentIn(path)
  assert.deepEqual(payloadFor(agent, {}, judged), payloadFor(agent, {}))
})

test('a signature is checked before it is added', async () => {
  const path = join(folder('checked'), 'bundle')
  writeFileSync(path, bundleOf(signed(ASKING, ['release'])))
  const agent = await agentIn(path)
  const payload = payloadFor(agent, {})
  const { key } = signerOf(KEYS.dev)
  const by = (one: TestKey) => new Uint8Array(signWith(null, preAuth(payload), one.private))
  const made = readEnvelope(withSignature(agent, payload, key, by(KEYS.dev)))
  assert.ok(made.ok)
  assert.equal(made.value.signatures.length, 2)
  for (const wrong of [by(KEYS.second), new Uint8Array(64)])
    assert.throws(() => withSignature(agent, payload, key, wrong), { code: 'NOT_VERIFIED' })
})

test('no key is opened if no bundle can be signed', async () => {
  const cwd = folder('gzip')
  const names = ['a.agent.bundle', 'b.agent.bundle']
  for (const name of names) writeFileSync(join(cwd, name), gzipSync(bundleOf(ASKING)))
  const { exit, stderr } = await run(['agent', 'sign', ...names, '--key', 'none'], undefined, { cwd })
  assert.equal(exit, 2)
  assert.match(stderr, /it is wrapped in gzip/)
  assert.doesNotMatch(stderr, /none/)
})

test('a folder is signed without what is wrapped in it, and that is said', async () => {
  const cwd = folder('wrapped')
  mkdirSync(join(cwd, 'dist'))
  writeFileSync(join(cwd, 'dist/a.agent.bundle'), bundleOf(ASKING))
  writeFileSync(join(cwd, 'dist/a.agent.bundle.gz'), gzipSync(bundleOf(ASKING)))
  const key = join(cwd, 'key.pem')
  writeFileSync(key, KEYS.release.private.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  const signing = (...what: string[]) => run(['agent', 'sign', ...what, '--key', key], undefined, { cwd })
  const { exit, stdout, stderr } = await signing('dist')
  assert.equal(exit, 0, stderr)
  assert.match(stdout, /^✓ dist\/a\.agent\.bundle signed by [^\n]*\n$/)
  assert.match(stderr, /^dist\/a\.agent\.bundle\.gz was left out/)
  // A person who names it wants it, and so does a folder with nothing else.
  assert.match((await signing('dist/a.agent.bundle.gz')).stderr, /it is wrapped in gzip/)
  rmSync(join(cwd, 'dist/a.agent.bundle'))
  assert.match((await signing('dist')).stderr, /it is wrapped in gzip/)
})

test('signing without a key names the option', async () => {
  const cwd = folder('no-key')
  writeFileSync(join(cwd, 'mini-1.0.0.agent.bundle'), bundleOf(ASKING))
  const { exit, stderr } = await run(['agent', 'sign', 'mini-1.0.0.agent.bundle'], undefined, { cwd })
  assert.equal(exit, 2)
  assert.match(stderr, /Cannot sign: --key is missing/)
})

test('a program is asked in version 1, for its key and for a signature', async () => {
  const place = folder('program')
  const path = join(place, 'signer')
  const answer = `{"key":"${KEYS.release.anchor}"}`
  writeFileSync(path, `#!/bin/sh\ncat >> ${join(place, 'asked')}\necho '${answer}'\n`, { mode: 0o755 })
  const query = { which: `command:${path}`, cwd: '/', env: {}, ask: async () => '' }
  const { sign: ask } = await programSigner(query)
  await assert.rejects(async () => ask(Buffer.from('message')), { code: 'SIGNER' })
  const asked = readFileSync(join(place, 'asked'), 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    asked.map(line => JSON.parse(line)),
    [
      { rlp: 1, do: 'public-key' },
      { rlp: 1, do: 'sign', payload: Buffer.from('message').toString('base64') },
    ],
  )
})

test('of what a killed run left only its own half is removed', async () => {
  const home = folder('halves')
  process.env['RUNLOOP_HOME'] = home
  const keys = join(home, 'keys')
  mkdirSync(keys, { mode: 0o700 })
  const left = (name: string) => join(keys, `.${name}.pub.rlp-999999999-0123456789ab`)
  // Put in place by the killed run, and by another program.
  writeFileSync(left('ours'), 'ours')
  linkSync(left('ours'), join(keys, 'ours.pub'))
  writeFileSync(left('theirs'), 'ours')
  writeFileSync(join(keys, 'theirs.pub'), 'theirs')
  // Whose private half is there.
  writeFileSync(left('whole'), 'whole')
  linkSync(left('whole'), join(keys, 'whole.pub'))
  writeFileSync(join(keys, 'whole.pem'), 'private')
  await generateKey('next', undefined)
  const isThere = (name: string) => {
    try {
      return readFileSync(join(keys, name), 'utf8')
    } catch {
      return undefined
    }
  }
  assert.deepEqual(['ours.pub', 'theirs.pub', 'whole.pub'].map(isThere), [undefined, 'theirs', 'whole'])
})

describe('a typed passphrase', () => {
  /** A person who types these lines. */
  function typing(...lines: readonly string[]) {
    const stdin = Object.assign(new PassThrough(), { setRawMode: () => {} })
    mock.getter(process, 'stdin', () => stdin)
    const shown: string[] = []
    const left = [...lines]
    mock.method(process.stderr, 'write', (text: string) => {
      shown.push(String(text))
      if (String(text).endsWith(': ')) setImmediate(() => stdin.write(left.shift() ?? '\u0003'))
      return true
    })
    const io = {
      env: {},
      isTTY: { stdin: true, stderr: true },
      stderr: (text: string) => void shown.push(text),
    } as unknown as Parameters<typeof newPassphrase>[0]
    return { io, shown }
  }

  test('for a new key is typed twice, until both are the same', async () => {
    const { io, shown } = typing(
      'short\r',
      'long enough\r',
      'another one\r',
      'long enough\r',
      'long enough\r',
    )
    assert.equal(await newPassphrase(io, 'a', 'generate'), 'long enough')
    assert.equal(shown.filter(text => text === 'The two differ: type both again\n').length, 1)
    assert.equal(shown.filter(text => text.startsWith('At least 8 characters')).length, 1)
    assert.doesNotMatch(shown.join(''), /long enough/)
  })

  test('is one line, without what was taken back', async () => {
    const { io } = typing('wronx\u007fg\r')
    assert.equal(await askPassphrase(io)('a'), 'wrong')
  })

  for (const [name, key] of Object.entries({ 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004', Escape: '\u001b' })) {
    test(`is given up with ${name}`, async () => {
      await assert.rejects(askPassphrase(typing(`abc${key}`).io)('a'), { code: 'CANCELLED' })
    })
  }
})
