// What went wrong with a service: each kind of answer and of failure has its code and its hint, and no message has what was told in confidence.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RlpError } from '../../../src/model/error.ts'
import { NotTaken } from '../../../src/net/ask-service.ts'
import {
  type ServiceQuestion,
  type SigningExchange,
  serviceEnded,
  serviceRefused,
  serviceUnreached,
} from '../../../src/sign/keyless/service.ts'

const question: ServiceQuestion = {
  service: 'Fulcio',
  method: 'POST',
  url: new URL('https://f.example/x'),
  mostBytes: 9,
  hint: 'the hint of the question',
}
const exchange = { doing: 'sign "b"', secrets: ['a-secret-of-the-token'] } as unknown as SigningExchange
const refused = (status: number, body: string | Buffer = '') =>
  serviceRefused(question, exchange, { status, headers: {}, bytes: Buffer.from(body) })

describe('an answer that refuses', () => {
  const cases: readonly (readonly [status: number, code: string, hint: RegExp])[] = [
    [300, 'SIGNER', /ask who keeps the service$/],
    [399, 'SIGNER', /ask who keeps the service$/],
    [400, 'SIGNER', /^the hint of the question$/],
    [401, 'NO_PERMISSION', /^the hint of the question$/],
    [402, 'SIGNER', /^the hint of the question$/],
    [403, 'NO_PERMISSION', /^the hint of the question$/],
    [404, 'SIGNER', /^the hint of the question$/],
    [429, 'UNREACHABLE', /too many requests in a short time/],
    [430, 'SIGNER', /^the hint of the question$/],
    [499, 'SIGNER', /^the hint of the question$/],
    [500, 'UNREACHABLE', /a problem of its own/],
    [503, 'UNREACHABLE', /a problem of its own/],
  ]
  for (const [status, code, hint] of cases)
    test(`${status}: ${code}`, () => {
      const error = refused(status)
      assert.equal(error.code, code)
      assert.match(error.hint ?? '', hint)
      const said = status < 400 ? /it is a redirect \(\d+\), and none is followed$/ : /answered \d+$/
      assert.match(error.message, said)
      assert.ok(error.message.includes(String(status)))
    })

  test('says what the service says: a message, an error, or a text', () => {
    for (const body of ['{"message":"why not"}', '{"error":"why not"}', '  why not\n'])
      assert.equal(refused(400, body).message, 'Cannot sign "b": Fulcio at f.example answered 400: why not')
  })

  test('says nothing of a page, of what is no text, and of what repeats a secret', () => {
    const bodies = ['<html>x', ' <p>', '{"message":7}', '{}', '[]', '7', '  ', 'no a-secret-of-the-token']
    for (const body of bodies)
      assert.equal(refused(400, body).message, 'Cannot sign "b": Fulcio at f.example answered 400', body)
  })
})

describe('a service that is not reached', () => {
  const cases: readonly (readonly [cause: Error, code: string, message: RegExp, hint: RegExp])[] = [
    [new NotTaken('place', 'f leads to 10.0.0.1'), 'UNREACHABLE', /is not used: f leads to 10/, /looks up/],
    [new NotTaken('answer', 'its answer is compressed'), 'SIGNER', /is not used: its answer is/, /looks up/],
    [
      failed('ECONNREFUSED', 'connect'),
      'UNREACHABLE',
      /no connection to Fulcio at f\.example \(ECONNREFUSED\)/,
      /proxy/,
    ],
    [failed('HPE_INVALID_CONSTANT'), 'UNREACHABLE', /no connection to .* \(HPE_INVALID_CONSTANT\)/, /proxy/],
    [failed('ECONNRESET'), 'UNREACHABLE', /no connection to .* \(ECONNRESET\)/, /proxy/],
    [failed('ERR_STREAM_DESTROYED'), 'UNREACHABLE', /no connection to .* \(ERR_STREAM/, /proxy/],
    [
      failed('CERT_HAS_EXPIRED'),
      'UNREACHABLE',
      /the certificate of Fulcio at f\.example does not hold/,
      /CA_CERTS/,
    ],
    [failed('EPROTO', 'write'), 'UNREACHABLE', /the certificate of .* \(EPROTO\)/, /CA_CERTS/],
    [failed('ERR_TLS_CERT_ALTNAME_INVALID'), 'UNREACHABLE', /the certificate of/, /CA_CERTS/],
  ]
  for (const [cause, code, message, hint] of cases)
    test(`${cause.message}: ${code}`, () => {
      const error = serviceUnreached(question, exchange, cause)
      assert.ok(error instanceof RlpError)
      assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message)
      assert.match(error.hint ?? '', hint)
    })

  test('a defect of the program stays what it is', () => {
    for (const cause of [
      new TypeError('x is no function'),
      failed('SOME_CODE'),
      Object.assign(new Error(), { code: 7 }),
    ])
      assert.equal(serviceUnreached(question, exchange, cause), cause)
  })
})

test('time that is over is told with its length; a caller who gives up has cancelled', () => {
  const late = serviceEnded(question, exchange, { why: 'late', ms: 30_000, part: 'one answer' })
  assert.deepEqual(
    [late.code, late.message],
    ['TIMED_OUT', 'Cannot sign "b": Fulcio at f.example took longer than 30 s'],
  )
  for (const over of [undefined, { why: 'cancelled' }] as const)
    assert.equal(serviceEnded(question, exchange, over).code, 'CANCELLED')
})

function failed(code: string, syscall?: string): Error {
  return Object.assign(new Error(code), { code, ...(syscall !== undefined && { syscall }) })
}
