// rlp agent sign: the bytes of docs/spec/signature.md, added to what is there, by keys here and outside, whole or not at all. Fewer
// sign at once than in `.ci/run`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, sign as signWith } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import type { Signer } from '../../src/model/signer.ts'
import { payloadFor, signingWith, withSignature } from '../../src/sign/sign.ts'
import { writeSignature } from '../../src/sign/write-signature.ts'
import { anchorString } from '../../src/signature/kinds/index.ts'
import { plainPem } from '../../src/signature/pem.ts'
import { assertSigned, withEnvelope } from '../../src/verify/sound.ts'
import { agentTree, bundleOf, type Tree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { memoryFiles } from '../support/memory.ts'
import { rlp } from '../support/run.ts'
import { IN_CI, slice, upTo } from '../support/runs.ts'
import {
  ASKING,
  installKeys,
  judge,
  KEYS,
  keyFile,
  preAuth,
  signatureFile,
  signed,
  wordsOf,
} from '../support/trust-world.ts'

const SIG = 'SIGNATURES/manifest.sig'
const END = '2027-11-20T00:00:00Z'
const NAME = 'mini-1.0.0.agent.bundle'
const folderFor = temporary('sign')
const openssl = (...args: string[]) => spawnSync('openssl', args)
const skip = openssl('version').status === 0 ? false : 'openssl is not here'

let cwd = ''
before(() => {
  const home = folderFor('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  cwd = folderFor('cwd')
})

async function json(...args: string[]) {
  const { exit, stdout, stderr } = await run([...args, '--json'], undefined, { cwd })
  return { exit, stderr, ...JSON.parse(stdout) }
}
const signing = (...args: string[]) => json('agent', 'sign', NAME, ...args)

function place(tree: Tree = ASKING): string {
  const path = join(cwd, NAME)
  writeFileSync(path, bundleOf(tree))
  return path
}

function unpack(tree: Tree = ASKING): string {
  return writeTree(join(folderFor('unpacked'), 'agent.bundle'), tree)
}

describe('the bytes', () => {
  test('are those that the document describes, and every other byte is as it was', async () => {
    const path = place()
    const { exit, result } = await signing('--key', 'release')
    assert.equal(exit, 0)
    const { identity } = (await judge(readFileSync(path))).report
    const one = { bundle: NAME, signer: KEYS.release.anchor, identity }
    assert.deepEqual(result, { changed: true, bundles: [{ ...one, changed: true }] })
    assert.deepEqual(readFileSync(path), bundleOf(signed(ASKING, 'release')))
    // The same key signs the same bytes again.
    const again = await signing('--key', 'release')
    assert.deepEqual(again.result, { changed: false, bundles: [{ ...one, changed: false }] })
    assert.deepEqual(readFileSync(path), bundleOf(signed(ASKING, 'release')))
    assert.deepEqual(wordsOf(await judge(readFileSync(path))), ['trusted', undefined])
  })

  test('with an end, and for a variant', async () => {
    const tree = agentTree({ name: 'mini', variant: 'pro' })
    const path = place(tree)
    assert.equal((await signing('--key', 'release', '--not-after', END)).exit, 0)
    assert.deepEqual(readFileSync(path), bundleOf(signed(tree, 'release', { notAfter: END })))
  })

  test('a key by name, by file, from the environment', async () => {
    const file = join(cwd, 'key.pem')
    copyFileSync(keyFile('release'), file)
    chmodSync(file, 0o600)
    for (const which of ['release', file, './key.pem']) {
      const path = place()
      assert.equal((await signing('--key', which)).exit, 0, which)
      assert.deepEqual(readFileSync(path), bundleOf(signed(ASKING, 'release')))
    }
    const path = place()
    const env = { CI_KEY: readFileSync(keyFile('release'), 'utf8') }
    assert.equal((await run(['agent', 'sign', NAME, '--key', 'env:CI_KEY'], undefined, { cwd, env })).exit, 0)
    assert.deepEqual(readFileSync(path), bundleOf(signed(ASKING, 'release')))
  })

  test('a folder of bundles: each of them, and the key is read once', async () => {
    const dist = folderFor('dist')
    for (const version of ['1.0.0', '1.1.0'])
      writeFileSync(
        join(dist, `mini-${version}.agent.bundle`),
        bundleOf(agentTree({ name: 'mini', version })),
      )
    const { exit, result } = await json('agent', 'sign', dist, '--key', 'release')
    assert.deepEqual([exit, result.bundles.length], [0, 2])
    for (const name of readdirSync(dist)) {
      const { report } = await judge(readFileSync(join(dist, name)))
      assert.deepEqual(report.signatures, [{ keyid: KEYS.release.anchor, result: 'valid' }])
    }
  })
})

describe('a second signature', () => {
  test('is over the same statement, sorted by key, in any order of signing', async () => {
    for (const keys of [
      ['release', 'security'],
      ['security', 'release'],
    ]) {
      const path = place()
      assert.equal((await signing('--key', keys[0] ?? '', '--not-after', END)).exit, 0)
      assert.equal((await signing('--key', keys[1] ?? '')).exit, 0)
      assert.deepEqual(
        readFileSync(path),
        bundleOf(signed(ASKING, ['release', 'security'], { notAfter: END })),
      )
    }
  })

  test('by the same key replaces its first', async () => {
    const path = place(signed(ASKING, ['release', 'security']))
    const was = readFileSync(path)
    assert.equal((await signing('--key', 'release')).exit, 0)
    assert.deepEqual(readFileSync(path), was)
  })

  test('with another end is refused', async () => {
    const path = place(signed(ASKING, ['release', 'security'], { notAfter: END }))
    const was = readFileSync(path)
    const other = '2028-01-01T00:00:00Z'
    const { exit, code, message } = await signing('--key', 'dev', '--not-after', other)
    assert.deepEqual([exit, code], [2, 'EXISTS'])
    assert.match(message, /is signed until 2027-11-20T00:00:00Z/)
    assert.deepEqual(readFileSync(path), was)
    // A time is meant as it is written, to the second.
    assert.equal((await signing('--key', 'dev', '--not-after', '2027-11-20T00:00:01Z')).code, 'EXISTS')
    assert.equal((await signing('--key', 'dev', '--not-after', END)).exit, 0)
  })

  test('beyond sixteen is refused, but for one that is there already', async () => {
    const tree = {
      ...ASKING,
      [SIG]: signatureFile(ASKING, [KEYS.release, ...Array.from({ length: 15 }, newKey)]),
    }
    const path = place(tree)
    const was = readFileSync(path)
    const { exit, code } = await signing('--key', 'security')
    assert.deepEqual([exit, code], [1, 'LIMIT_EXCEEDED'])
    assert.deepEqual(readFileSync(path), was)
    assert.equal((await signing('--key', 'release')).exit, 0)
  })

  test('an invalid end', async () => {
    const path = place()
    for (const end of [
      '2027-11-20',
      '2027-02-30T00:00:00Z',
      '2027-11-20T00:00:00.000Z',
      'tomorrow',
      '2027-11-20T24:00:00Z',
    ])
      assert.deepEqual((await signing('--key', 'release', '--not-after', end)).code, 'USAGE', end)
    assert.deepEqual(readFileSync(path), bundleOf(ASKING))
  })

  test('an end that is over is signed, and said', async () => {
    place()
    const { exit, stderr } = await run(
      ['agent', 'sign', NAME, '--key', 'release', '--not-after', '2020-01-01T00:00:00Z'],
      undefined,
      { cwd },
    )
    assert.equal(exit, 0)
    assert.match(stderr, /is over already/)
  })
})

describe('what does not verify is not signed', () => {
  const gzip = (bytes: Uint8Array) => spawnSync('gzip', ['-n'], { input: bytes }).stdout
  const cases: [what: string, bytes: () => Uint8Array, code: string][] = [
    ['a changed file', () => bundleOf({ ...ASKING, 'README.md': 'x' }), 'NOT_VERIFIED'],
    ['an unlisted file', () => bundleOf({ ...ASKING, more: 'x' }), 'NOT_VERIFIED'],
    ['an archive that is cut off', () => bundleOf(ASKING).subarray(0, -1), 'NOT_VERIFIED'],
    ['something else', () => Buffer.from('hello'), 'NOT_VERIFIED'],
    [
      'a bad signature',
      () => bundleOf(signed(ASKING, 'release', { envelope: { 'signatures/0/keyid': KEYS.dev.anchor } })),
      'NOT_VERIFIED',
    ],
    [
      'a signature of another bundle',
      () => bundleOf({ ...ASKING, [SIG]: signatureFile(agentTree(), [KEYS.release]) }),
      'NOT_VERIFIED',
    ],
    ['gzip', () => gzip(bundleOf(ASKING)), 'WRONG_FILE_TYPE'],
  ]
  for (const [what, bytes, code] of cases) {
    test(what, async () => {
      const path = place()
      assert.equal((await signing('--key', 'release')).exit, 0)
      const wrong = bytes()
      writeFileSync(path, wrong)
      const was = snapshot(cwd)
      for (const flags of [[], ['--renew', '90d', '--yes']]) {
        const refused = await signing('--key', 'release', ...flags)
        assert.deepEqual([refused.code, refused.exit], [code, code === 'NOT_VERIFIED' ? 1 : 2])
      }
      assert.equal((await json('agent', 'sign', NAME, '--export-payload', 'payload')).code, code)
      assert.deepEqual(snapshot(cwd), was)
    })
  }

  test('no key, and options that contradict each other', async () => {
    place()
    for (const args of [
      [],
      ['--key', 'release', '--export-payload', 'a', '--import-signature', 'b'],
      ['--import-signature', 'b'],
      ['--key', 'none'],
    ])
      assert.equal((await signing(...args)).exit, 2, args.join(' '))
  })
})

describe('a signer', () => {
  const agent = () => read(memoryFiles(ASKING), 'mini', 'bundle')

  test('with a false claim is found out before anything is written', async () => {
    const { raw, private: key } = KEYS.release
    const named = { kind: 'ed25519', bytes: raw } as const
    const liars = [
      () => new Uint8Array(64),
      () => new Uint8Array(0),
      (message: Uint8Array) => new Uint8Array(signWith(null, message, KEYS.dev.private)),
      (message: Uint8Array) =>
        new Uint8Array(signWith(null, Buffer.concat([message, Buffer.from(' ')]), key)),
    ]
    const honest = async (message: Uint8Array) => new Uint8Array(signWith(null, message, key))
    const signature = (signer: Signer) => signingWith(signer).signature(payloadFor(agent(), {}), 'sign "b"')
    assert.equal((await signature({ key: named, sign: honest })).length, 64)
    for (const lie of liars) {
      const signer = { key: named, sign: async (message: Uint8Array) => lie(message) }
      await assert.rejects(signature(signer), { code: 'NOT_VERIFIED' })
    }
  })

  test('with a key of small order, for which anybody can sign, is refused', () => {
    const key = { kind: 'ed25519', bytes: Buffer.from([1, ...Array(31).fill(0)]) } as const
    assert.throws(() => withSignature(agent(), new Uint8Array(1), key, new Uint8Array(64)), {
      code: 'NOT_VERIFIED',
    })
  })

  test('whose envelope is not in the bundle in the end is told', async () => {
    const candidate = await readBundle(bundleOf(ASKING), { keep: 'parsed' })
    const envelope = Buffer.from(String(signatureFile(ASKING, [KEYS.release])))
    await assertSigned(withEnvelope(candidate, envelope), KEYS.release.anchor)
    await assert.rejects(assertSigned(withEnvelope(candidate, envelope), KEYS.dev.anchor), {
      code: 'NOT_VERIFIED',
    })
    await assert.rejects(assertSigned(withEnvelope(candidate, Buffer.from('{}')), KEYS.release.anchor), {
      code: 'NOT_VERIFIED',
    })
    await assert.rejects(assertSigned(candidate, KEYS.release.anchor), { code: 'NOT_VERIFIED' })
  })
})

describe('a signer outside', { skip }, () => {
  test('openssl: export, sign, import', async () => {
    for (const base64 of [false, true]) {
      const path = place()
      const [payload, signature] = [join(cwd, 'payload'), join(cwd, 'signature')]
      const exported = await signing('--export-payload', 'payload', '--not-after', END)
      const { identity } = (await judge(readFileSync(path))).report
      // The second time, the file has these bytes already.
      const written = [{ bundle: NAME, identity, payload: 'payload', changed: !base64 }]
      assert.deepEqual([exported.exit, exported.result.bundles], [0, written])
      assert.deepEqual(readFileSync(path), bundleOf(ASKING), 'nothing is signed yet')
      assert.equal(
        openssl(
          'pkeyutl',
          '-sign',
          '-rawin',
          '-in',
          payload,
          '-inkey',
          keyFile('security'),
          '-out',
          signature,
        ).status,
        0,
      )
      if (base64) writeFileSync(signature, `${readFileSync(signature).toString('base64')}\n`)
      const given = ['--import-signature', 'signature', '--not-after', END]
      assert.equal((await signing(...given, '--key', keyFile('security', 'pub'))).exit, 0)
      assert.deepEqual(readFileSync(path), bundleOf(signed(ASKING, 'security', { notAfter: END })))
    }
  })

  test('the exported bytes are the pre-authentication encoding, of the statement that is there already', async () => {
    place(signed(ASKING, 'release', { notAfter: END }))
    assert.equal((await signing('--export-payload', 'there')).exit, 0)
    const { payload } = JSON.parse(String(signatureFile(ASKING, [], { notAfter: END })))
    assert.deepEqual(readFileSync(join(cwd, 'there')), preAuth(Buffer.from(payload, 'base64')))
  })

  test('a signature that is not one of this key over this bundle, or none at all', async () => {
    const path = place()
    const { payload } = JSON.parse(String(signatureFile(ASKING, [])))
    const message = preAuth(Buffer.from(payload, 'base64'))
    const good = signWith(null, message, KEYS.release.private)
    const flipped = Buffer.from(good)
    flipped[10] = (flipped[10] ?? 0) ^ 1
    const cases: [content: Uint8Array | string, key: string, code: string | undefined][] = [
      [flipped, KEYS.release.anchor, 'NOT_VERIFIED'],
      [good, KEYS.dev.anchor, 'NOT_VERIFIED'],
      [
        signWith(null, Buffer.from(payload, 'base64'), KEYS.release.private),
        KEYS.release.anchor,
        'NOT_VERIFIED',
      ],
      [good.subarray(1), KEYS.release.anchor, 'WRONG_FILE_TYPE'],
      ['', KEYS.release.anchor, 'WRONG_FILE_TYPE'],
      [`${good.toString('base64')}!`, KEYS.release.anchor, 'WRONG_FILE_TYPE'],
      [Buffer.alloc(100_000), KEYS.release.anchor, 'WRONG_FILE_TYPE'],
    ]
    for (const [content, key, code] of cases) {
      writeFileSync(join(cwd, 'outside'), content)
      assert.equal((await signing('--import-signature', 'outside', '--key', key)).code, code)
      assert.deepEqual(readFileSync(path), bundleOf(ASKING))
    }
    writeFileSync(join(cwd, 'outside'), good)
    assert.equal((await signing('--import-signature', 'outside', '--key', KEYS.release.anchor)).exit, 0)
  })

  test('the payload replaces no other file', async () => {
    const path = place()
    const refused = await signing('--export-payload', NAME)
    assert.deepEqual([refused.exit, refused.code], [2, 'EXISTS'])
    assert.deepEqual(readFileSync(path), bundleOf(ASKING))
    assert.equal((await signing('--export-payload', 'again')).exit, 0)
    assert.equal((await signing('--export-payload', 'again', '--not-after', END)).exit, 0)
  })
})

describe('an unpacked bundle', () => {
  test('gets the same signature, and nothing else in it or beside it changes', async () => {
    const folder = unpack()
    const parent = join(folder, '..')
    const was = snapshot(folder)
    assert.equal((await json('agent', 'sign', folder, '--key', 'release')).exit, 0)
    assert.equal(readFileSync(join(folder, SIG), 'utf8'), signatureFile(ASKING, [KEYS.release]))
    assert.equal((await json('agent', 'sign', folder, '--key', 'security')).exit, 0)
    assert.equal(
      readFileSync(join(folder, SIG), 'utf8'),
      signatureFile(ASKING, [KEYS.release, KEYS.security]),
    )
    const { [SIG]: _file, SIGNATURES: _folder, ...rest } = snapshot(folder)
    assert.deepEqual(rest, was)
    assert.deepEqual(readdirSync(parent), ['agent.bundle'])
    assert.deepEqual(wordsOf(await judge(folder)), ['trusted', undefined])
  })

  test('that does not verify is left as it is', async () => {
    const folder = unpack({ ...ASKING, 'README.md': 'x' })
    const was = snapshot(join(folder, '..'))
    assert.equal((await json('agent', 'sign', folder, '--key', 'release')).code, 'NOT_VERIFIED')
    assert.deepEqual(snapshot(join(folder, '..')), was)
  })

  test('is never invalid in between', async () => {
    const folder = unpack()
    let done = false
    const seen = new Set<string>()
    const watching = (async () => {
      while (!done) seen.add((await judge(folder)).report.verdict)
    })()
    try {
      for (const key of slice(['release', 'security', 'dev', 'second'], 4)) {
        assert.equal((await json('agent', 'sign', folder, '--key', key)).exit, 0)
      }
    } finally {
      done = true
      await Promise.allSettled([watching])
    }
    await watching
    for (const verdict of seen) assert.ok(['unsigned', 'trusted'].includes(verdict), verdict)
  })
})

describe('whole or not at all', () => {
  test('a link stays a link, and mode and owner stay', async () => {
    const path = place()
    chmodSync(path, 0o640)
    const link = join(folderFor('link'), NAME)
    symlinkSync(path, link)
    assert.equal((await json('agent', 'sign', link, '--key', 'release')).exit, 0)
    assert.ok(lstatSync(link).isSymbolicLink())
    assert.equal(statSync(path).mode & 0o777, 0o640)
    assert.deepEqual(readFileSync(path), bundleOf(signed(ASKING, 'release')))
  })

  test('a check that fails at the last moment leaves the old bundle and nothing beside it', async () => {
    const path = place()
    const was = snapshot(cwd)
    const envelope = Buffer.from(String(signatureFile(ASKING, [KEYS.release])))
    let made: Uint8Array | undefined
    const check = async (temporary: string) => {
      made = readFileSync(temporary)
      throw new Error('no')
    }
    await assert.rejects(writeSignature(path, envelope, { label: NAME, check }), { message: 'no' })
    assert.deepEqual(made, bundleOf(signed(ASKING, 'release')))
    assert.deepEqual(snapshot(cwd), was)
  })

  test('a bundle that changes meanwhile is not replaced', async () => {
    const path = place()
    const other = bundleOf(agentTree({ name: 'mini', version: '2.0.0' }))
    const envelope = Buffer.from(String(signatureFile(ASKING, [KEYS.release])))
    writeFileSync(path, other)
    const check = async (made: string) =>
      assertSigned(await readBundle(made, { keep: 'parsed' }), KEYS.release.anchor)
    await assert.rejects(writeSignature(path, envelope, { label: NAME, check }), { code: 'NOT_VERIFIED' })
    assert.deepEqual(readFileSync(path), other)
  })

  test('many at once with many keys: sixteen signatures, and the others are told', {
    timeout: 120_000,
  }, async () => {
    const before = Array.from({ length: IN_CI ? 0 : 11 }, newKey)
    const path = place(before.length === 0 ? ASKING : { ...ASKING, [SIG]: signatureFile(ASKING, before) })
    const keys = folderFor('many')
    const names = Array.from({ length: upTo(8, 50) }, (_, index) => {
      const { privateKey } = generateKeyPairSync('ed25519')
      const file = join(keys, `${index}.pem`)
      writeFileSync(file, plainPem(privateKey), { mode: 0o600 })
      return file
    })
    const apart = upTo(2, 4)
    const inProcess = names.slice(apart).map(key => signing('--key', key))
    const processes = names.slice(0, apart).map(async key => {
      const ran = await rlp(['agent', 'sign', NAME, '--key', key, '--json'], { cwd })
      return { exit: ran.exit, ...JSON.parse(ran.stdout) }
    })
    const all = await Promise.all([...inProcess, ...processes])
    const won = all.filter(({ exit }) => exit === 0).map(({ result }) => result.bundles[0].signer)
    assert.equal(won.length, 16 - before.length)
    assert.deepEqual(
      [...new Set(all.filter(({ exit }) => exit !== 0).map(({ code }) => code))],
      ['LIMIT_EXCEEDED'],
    )
    const { report } = await judge(readFileSync(path))
    assert.deepEqual(
      report.signatures.map(({ keyid }) => keyid),
      [...before.map(({ anchor }) => anchor), ...won].sort(),
    )
    assert.deepEqual(
      readdirSync(cwd).filter(name => name.includes('rlp-')),
      [],
    )
  })
})

test('a home without keys says what to do', async () => {
  place()
  const empty = folderFor('empty')
  const ran = await rlp(['agent', 'sign', NAME, '--key', 'release'], { cwd, env: { RUNLOOP_HOME: empty } })
  assert.equal(ran.exit, 2)
  assert.match(ran.stderr, /no such file/)
  assert.equal(existsSync(join(empty, 'keys')), false)
})

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { name: 'new', private: privateKey, raw, anchor: anchorString({ kind: 'ed25519', bytes: raw }) }
}
