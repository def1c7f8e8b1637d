// Answers of services of Sigstore, and tokens: whatever the bytes are, the readers give a value or say why not, and never throw.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { repeats } from '../../src/sign/keyless/service.ts'
import { readIdentityToken } from '../../src/sign/keyless/token.ts'
import { readSigningConfig } from '../../src/sigstore/signing-config.ts'
import { readEntry1, readEntry2, readTimeStamp } from '../../src/sigstore/time-proofs.ts'
import { type SigstoreServices, startSigstore } from '../support/sigstore-services.ts'

const PAYLOAD = Buffer.from('{}')

describe('an answer that was changed', () => {
  let services: SigstoreServices
  let made: { readonly stamp: Buffer; readonly entry: Record<string, unknown>; readonly signature: Buffer }
  before(async () => {
    services = await startSigstore()
    const { verificationMaterial: material, dsseEnvelope } = JSON.parse(
      await services.sign(PAYLOAD, { version: 2 }),
    )
    made = {
      stamp: Buffer.from(material.timestampVerificationData.rfc3161Timestamps[0].signedTimestamp, 'base64'),
      entry: material.tlogEntries[0],
      signature: Buffer.from(dsseEnvelope.signatures[0].sig, 'base64'),
    }
  })
  after(() => services.close())

  test('a time stamp says when, and of what; shorter by one byte it says nothing', () => {
    const read = readTimeStamp(made.stamp)
    assert.deepEqual(Buffer.from(read?.digest ?? []).toString('hex'), hash('sha256', made.signature, 'hex'))
    assert.ok(Math.abs((read?.time ?? 0) - Date.now()) < 60_000)
    for (let end = 0; end < made.stamp.length; end++)
      assert.equal(readTimeStamp(made.stamp.subarray(0, end)), undefined)
    for (let at = 0; at < made.stamp.length; at++) {
      const changed = Buffer.from(made.stamp)
      changed[at] = (changed[at] ?? 0) ^ 0x5a
      readTimeStamp(changed)
    }
  })

  test('an entry is about one signature over one payload', () => {
    const { signature, entry } = made
    const about = { payload: PAYLOAD, signature }
    const read = (value: unknown, of = about) => readEntry2(Buffer.from(JSON.stringify(value)), of)
    assert.deepEqual(read(entry), { entry })
    const other = { problem: 'it is about something else than what was signed' }
    assert.deepEqual(read(entry, { ...about, signature: Buffer.from('other') }), other)
    assert.deepEqual(read(entry, { ...about, payload: Buffer.from('[]') }), other)
    for (const name of Object.keys(entry))
      for (const value of [null, 7, '', 'AA', [], {}, { keyId: '-' }, '\u0000'])
        for (const reader of [readEntry1, readEntry2])
          for (const text of [{ ...entry, [name]: value }, { id: { ...entry, [name]: value } }])
            assert.ok(reader(Buffer.from(JSON.stringify(text)), about))
    for (const text of ['', 'null', '[]', '{"a":1,"b":2}', '{"a":{"__proto__":1}}', '\ufeff{}'])
      for (const reader of [readEntry1, readEntry2]) assert.ok('problem' in reader(Buffer.from(text), about))
  })
})

test('a signing config of any shape is read or refused', () => {
  for (const value of [
    null,
    7,
    '',
    [],
    {},
    [{}],
    [null],
    [{ url: 7 }],
    [{ url: 'https://a.example', validFor: 7 }],
  ])
    for (const name of ['mediaType', 'caUrls', 'rekorTlogUrls', 'tsaUrls', 'rekorTlogConfig', 'tsaConfig']) {
      const base = { mediaType: 'application/vnd.dev.sigstore.signingconfig.v0.2+json' }
      assert.equal(
        readSigningConfig(Buffer.from(JSON.stringify({ ...base, [name]: value })), new Date()).ok,
        false,
      )
    }
})

test('a token is read as its issuer wrote it, and says no more than who', () => {
  const tokenOf = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
  const claims = { iss: 'https://issuer.example', sub: 'me', exp: 2_000_000_000, aud: ['a', 'sigstore'] }
  const read = readIdentityToken(` ${tokenOf({ ...claims, jti: 'hidden-claim' })}\n`)
  assert.ok(read.ok)
  const { text: _, secrets, ...said } = read.token
  assert.deepEqual(said, {
    issuer: 'https://issuer.example',
    subject: 'me',
    isEmail: false,
    audiences: ['a', 'sigstore'],
    begins: undefined,
    ends: 2_000_000_000_000,
  })
  assert.ok(secrets.includes('hidden-claim'))
  for (const value of [null, 7, '', [], {}, 1e30, -1])
    for (const name of ['iss', 'sub', 'exp', 'aud', 'email', 'nbf'])
      readIdentityToken(tokenOf({ ...claims, [name]: value }))
  for (const text of ['', '..', 'a.b', 'a.b.c.d', 'a.é.c', `e30.${'A'.repeat(99)}.e30`])
    assert.equal(readIdentityToken(text).ok, false)
})

test('a text repeats a secret in any of the usual spellings; plain words do not', () => {
  const secret = 'abcDEF123456ghi'
  for (const text of [
    secret,
    `x ${secret.slice(3, 11)} y`,
    encodeURIComponent(secret).replace('a', '%61'),
    Buffer.from(secret).toString('base64'),
  ])
    assert.ok(repeats(text, [secret]), text)
  for (const text of ['', 'the token is over', secret.slice(0, 7)]) assert.ok(!repeats(text, [secret]), text)
})
