// A token is sent only while it is valid by the clock of this machine, to the second.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SigningExchange } from '../../../src/sign/keyless/service.ts'
import { usableToken } from '../../../src/sign/keyless/token.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const SECOND = NOW.getTime() / 1000
const exchange = { doing: 'sign "b"' } as SigningExchange

function used(claims: Readonly<Record<string, unknown>>) {
  const all = { iss: 'https://i.example', sub: 'me', aud: 'sigstore', exp: SECOND + 600, ...claims }
  const parts = [{ alg: 'none' }, all].map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return usableToken(
    { text: `${parts.join('.')}.AA`, where: 'that was given', isRenewed: false },
    exchange,
    NOW,
  )
}

describe('a token', () => {
  test('is used up to the second in which it ends', () => {
    assert.equal(used({ exp: SECOND + 1 }).subject, 'me')
    assert.throws(() => used({ exp: SECOND }), {
      code: 'SIGNER',
      message: /that was given ended at 2026-11-20T12:00:00Z/,
    })
  })

  test('may begin a minute from now, because clocks differ, and no later', () => {
    assert.equal(used({ nbf: SECOND + 60 }).subject, 'me')
    assert.throws(() => used({ nbf: SECOND + 61 }), {
      code: 'SIGNER',
      message: /begins at 2026-11-20T12:01:01Z/,
    })
  })

  test('has to be for sigstore, among others or alone', () => {
    assert.equal(used({ aud: ['x', 'sigstore'] }).subject, 'me')
    assert.throws(() => used({ aud: ['x', 'y'] }), { code: 'WRONG_FILE_TYPE', message: /it is for "x, y"/ })
    assert.throws(() => used({ aud: [] }), { code: 'WRONG_FILE_TYPE', message: /it is for no audience/ })
    // As many characters as people read, and no more.
    assert.throws(() => used({ aud: ['x'.repeat(500)] }), {
      message: /it is for "x{200}(?!x)/,
    })
  })
})
