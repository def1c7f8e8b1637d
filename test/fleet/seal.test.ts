// A report that has to be signed, byte for byte: what is signed, what is not, and which of it is said.
import assert from 'node:assert/strict'
import { createHash, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readReport } from '../../src/fleet/report-lines.ts'
import { MAX_ENVELOPE_BYTES, MAX_SIGNATURES } from '../../src/model/limits.ts'
import { temporary } from '../support/folder.ts'
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

const path = join(temporary('seal')('report'), 'report')
const A = '{"type":"summary",1}\n'
const B = '{"type":"summary",2}\n'

/** Why it is refused; undefined if all of it is signed. */
async function refusal(text: string, keys = [ours] as never): Promise<string | undefined> {
  writeFileSync(path, text, { mode: 0o600 })
  try {
    const { signal } = new AbortController()
    await readReport({ path, label: 'r' }, { keys, signal, onBundle: () => assert.fail('no bundle') })
    return undefined
  } catch (error) {
    return (error as Error).message.replace('Cannot rely on "r": ', '')
  }
}

test('every part is signed by one of the keys', async () => {
  const a = sealed(A)
  const b = sealed(B, KEYS.release)
  assert.equal(await refusal(a), undefined)
  assert.equal(await refusal(a + a), undefined)
  assert.equal(await refusal(a + b, [ours, others] as never), undefined)
  assert.equal(await refusal(signature('')), undefined)
  const unknown = `no key of --since-key has signed it (bytes ${a.length} to ${a.length + B.length})`
  assert.equal(await refusal(a + b), unknown)
})

test('what is not signed is said with its place', async () => {
  const a = sealed(A)
  assert.equal(await refusal(''), 'it is empty, so nothing in it is signed')
  assert.equal(await refusal(A), 'it is not signed')
  assert.equal(await refusal(a.slice(0, -1)), 'it is not signed')
  assert.equal(await refusal(a + A), `what follows byte ${a.length} is not signed`)
  assert.equal(await refusal(a.replace('1', '2')), `it is not what was signed (bytes 0 to ${A.length})`)
})

test('a signature in any other form is damaged', async () => {
  const text = A
  const damaged = `its signature is damaged (bytes 0 to ${A.length})`
  const of = (more: object) => refusal(text + signature(text, KEYS.second, more))
  assert.equal(await of({}), undefined)
  assert.equal(await of({ payloadType: 'other' }), damaged)
  assert.equal(await of({ signatures: {} }), damaged)
  const none = Array(MAX_SIGNATURES).fill({ sig: 'AAAA' })
  assert.match((await of({ signatures: none })) ?? '', /^no key/)
  assert.equal(await of({ signatures: [...none, { sig: 'AAAA' }] }), damaged)
  for (const one of [null, 'x', {}, { sig: 1 }, { sig: '!' }])
    assert.match((await of({ signatures: [one] })) ?? '', /^no key/)
  const twice = signature(text).replace('"signature",', '"signature","x":1,"x":2,')
  assert.equal(await refusal(text + twice), damaged)
  const fill = MAX_ENVELOPE_BYTES - signature(text, KEYS.second, { fill: '' }).length + 1
  assert.equal(await of({ fill: 'x'.repeat(fill) }), undefined)
  assert.equal(await of({ fill: 'x'.repeat(fill + 1) }), damaged)
})
