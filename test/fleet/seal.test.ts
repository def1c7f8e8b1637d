// A report that has to be signed, byte for byte: what is signed, what is not, and which of it is said.
import assert from 'node:assert/strict'
import { createHash, sign } from 'node:crypto'
import { test } from 'node:test'
import { demandSigned } from '../../src/fleet/seal.ts'
import { MAX_ENVELOPE_BYTES, MAX_SIGNATURES } from '../../src/model/limits.ts'
import { KEYS, preAuth, type TestKey } from '../support/trust-world.ts'

const TYPE = 'application/vnd.runloop.verification-report.v1+json'
const ours = { kind: 'ed25519', bytes: KEYS.second.raw } as const
const others = { kind: 'ed25519', bytes: KEYS.release.raw } as const

/** The line that signs what is before it. */
function signature(signed: string, key: TestKey = KEYS.second, more: object = {}): string {
  const sha256 = createHash('sha256').update(signed).digest('hex')
  const payload = Buffer.from(JSON.stringify({ sha256, bytes: Buffer.byteLength(signed) }))
  const sig = sign(null, preAuth(payload, TYPE), key.private).toString('base64')
  const envelope = { payloadType: TYPE, payload: payload.toString('base64'), signatures: [{ sig }], ...more }
  return `${JSON.stringify({ type: 'signature', ...envelope })}\n`
}

const sealed = (text: string, key?: TestKey) => text + signature(text, key)

/** Why it is refused; undefined if all of it is signed. */
function refusal(text: string | Uint8Array, keys = [ours] as never): string | undefined {
  try {
    demandSigned(Buffer.from(text as string), 'r', keys)
    return undefined
  } catch (error) {
    return (error as Error).message.replace('Cannot rely on "r": ', '')
  }
}

test('every part is signed by one of the keys', () => {
  const a = sealed('{"a":1}\n')
  const b = sealed('{"b":1}\n', KEYS.release)
  assert.equal(refusal(a), undefined)
  assert.equal(refusal(a + a), undefined)
  assert.equal(refusal(a + b, [ours, others] as never), undefined)
  assert.equal(refusal(signature('')), undefined)
  const unknown = `no key of --since-key has signed it (bytes ${a.length} to ${a.length + 8})`
  assert.equal(refusal(a + b), unknown)
  // A report may begin in the middle of what holds it.
  const whole = Buffer.from(`x${a}x`)
  demandSigned(whole.subarray(1, -1), 'r', [ours])
})

test('what is not signed is said with its place', () => {
  const a = sealed('{"a":1}\n')
  assert.equal(refusal(''), 'it is empty, so nothing in it is signed')
  assert.equal(refusal('{"a":1}\n'), 'it is not signed')
  assert.equal(refusal(a.slice(0, -1)), 'it is not signed')
  assert.equal(refusal(`${a}{"a":1}\n`), `what follows byte ${a.length} is not signed`)
  assert.equal(refusal(a.replace('1', '2')), 'it is not what was signed (bytes 0 to 8)')
})

test('a signature in any other form is damaged', () => {
  const text = '{"a":1}\n'
  const damaged = 'its signature is damaged (bytes 0 to 8)'
  const of = (more: object) => refusal(text + signature(text, KEYS.second, more))
  assert.equal(of({}), undefined)
  assert.equal(of({ payloadType: 'other' }), damaged)
  assert.equal(of({ signatures: {} }), damaged)
  const none = Array(MAX_SIGNATURES).fill({ sig: 'AAAA' })
  assert.match(of({ signatures: none }) ?? '', /^no key/)
  assert.equal(of({ signatures: [...none, { sig: 'AAAA' }] }), damaged)
  for (const one of [null, 'x', {}, { sig: 1 }, { sig: '!' }])
    assert.match(of({ signatures: [one] }) ?? '', /^no key/)
  const twice = signature(text).replace('"signature",', '"signature","x":1,"x":2,')
  assert.equal(refusal(text + twice), damaged)
  const fill = MAX_ENVELOPE_BYTES - signature(text, KEYS.second, { fill: '' }).length + 1
  assert.equal(of({ fill: 'x'.repeat(fill) }), undefined)
  assert.equal(of({ fill: 'x'.repeat(fill + 1) }), damaged)
})
