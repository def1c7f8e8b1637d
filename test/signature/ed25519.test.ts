// Keys and signatures against the public vectors.
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ed25519KeyProblem, isEd25519Signature, rawPublicKey } from '../../src/signature/ed25519.ts'
import { anchorString, readAnchor } from '../../src/signature/kinds/index.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const VECTORS = join(import.meta.dirname, '../../fixtures/vectors')
const accepts = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) =>
  ed25519KeyProblem(key) === undefined && isEd25519Signature(key, message, signature)

describe('signatures', () => {
  test('of speccheck only case 3 passes', () => {
    const cases = JSON.parse(readFileSync(`${VECTORS}/ed25519-speccheck.json`, 'utf8')) as Record<
      string,
      string
    >[]
    const passed = cases.map(one =>
      accepts(hex(one['pub_key'] ?? ''), hex(one['message'] ?? ''), hex(one['signature'] ?? '')),
    )
    assert.deepEqual(
      passed,
      cases.map((_, index) => index === 3),
    )
  })

  test('Wycheproof', () => {
    const { testGroups } = JSON.parse(readFileSync(`${VECTORS}/ed25519-wycheproof.json`, 'utf8')) as {
      testGroups: {
        publicKey: { pk: string }
        tests: { tcId: number; msg: string; sig: string; result: string }[]
      }[]
    }
    let count = 0
    for (const { publicKey, tests } of testGroups) {
      for (const { tcId, msg, sig, result } of tests) {
        count++
        assert.equal(accepts(hex(publicKey.pk), hex(msg), hex(sig)), result === 'valid', `test ${tcId}`)
      }
    }
    assert.equal(count, 151)
  })

  test('every bit counts', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const key = rawPublicKey(publicKey)
    assert.ok(key)
    const message = Buffer.from('hello')
    const signature = sign(null, message, privateKey)
    assert.equal(accepts(key, message, signature), true)
    for (let bit = 0; bit < 512; bit++) {
      const changed = Buffer.from(signature)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(accepts(key, message, changed), false, `bit ${bit}`)
    }
  })
})

describe('keys', () => {
  /** The eight points of small order, and encodings beyond p (from the vectors' own literature: RFC 8032 §5.1.3). */
  const SMALL = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  ]
  for (const key of SMALL)
    test(`small order: ${key.slice(0, 8)}…${key.slice(-2)}`, () =>
      assert.match(ed25519KeyProblem(hex(key)) ?? '', /small order/))

  const BROKEN = [
    ['y = p', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['y = p + 1', 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['x = 0 with a sign', '0100000000000000000000000000000000000000000000000000000000000080'],
    ['not on the curve', 'ab'.repeat(32)],
  ] as const
  for (const [what, key] of BROKEN)
    test(what, () => assert.match(ed25519KeyProblem(hex(key)) ?? '', /canonical encoding/))

  test('anchor strings', () => {
    const text = 'ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
    const read = readAnchor(text)
    assert.ok('key' in read)
    assert.equal(anchorString(read.key), text)
    assert.deepEqual(
      readAnchor('ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'),
      read,
    )
    for (const bad of [
      'ABCD',
      'ed25519:',
      'ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      `${text}=`,
      text.replace('1', '\n1'),
      'ed25519:AAAA',
    ]) {
      assert.ok('problem' in readAnchor(bad), bad)
    }
  })
})
