// The times that a keyless signature is about: of its certificate, of its proofs, and of the token that is used again. Each limit is held to the millisecond.
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { Deadline } from '../../../src/io/wait/deadline.ts'
import { certificateFor } from '../../../src/sign/keyless/certificate.ts'
import { openKeyless } from '../../../src/sign/keyless/keyless.ts'
import { proveTime } from '../../../src/sign/keyless/proofs.ts'
import { readIdentityToken } from '../../../src/sign/keyless/token.ts'
import { preAuthEncoding } from '../../../src/signature/envelope.ts'
import { temporary } from '../../support/folder.ts'
import { signingWorld } from '../../support/signing-world.ts'

const world = signingWorld('keyless-times')
const folder = temporary('keyless-times-tokens')
const NONE = new AbortController().signal
const exchange = () => ({ doing: 'sign "b"', deadline: new Deadline(NONE), env: {}, secrets: [] })
afterEach(() => {
  world.services.meddle = undefined
  world.services.setTime()
})

/** A certificate that Fulcio gave, and the key that it is for. */
async function certified() {
  const { services } = world
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const read = readIdentityToken(services.token())
  assert.ok(read.ok)
  const at = (now: () => Date) =>
    certificateFor(read.token, privateKey, new URL(services.urls.fulcio), exchange(), now)
  return { privateKey, at, made: await at(() => new Date()) }
}

describe('a certificate', () => {
  test('may begin a minute from now, and is used up to its last moment', async () => {
    const { at, made } = await certified()
    const body = JSON.stringify({ signedCertificateEmbeddedSct: { chain: { certificates: [made.pem] } } })
    world.services.meddle = (_, response) => {
      response.writeHead(201).end(body)
      return true
    }
    for (const time of [made.from - 60_000, made.until])
      assert.equal((await at(() => new Date(time))).pem, made.pem)
    for (const time of [made.from - 60_001, made.until + 1])
      await assert.rejects(
        at(() => new Date(time)),
        { code: 'SIGNER', message: /the certificate is valid from/ },
      )
  })
})

describe('a proof of time', () => {
  test('is of use up to five minutes from the clock here, and within the life of the certificate', async () => {
    const { services } = world
    const { privateKey, made } = await certified()
    const payload = Buffer.from('{}')
    const signature = sign('sha256', preAuthEncoding(payload), privateKey)
    const time = made.from + 60_000
    services.setTime(new Date(time))
    const urls = { fulcio: new URL(services.urls.fulcio), tsa: undefined }
    const rekor = { url: new URL(services.urls.rekor), version: 1 } as const
    const proved = (life: { from?: number; until?: number } = {}, now = time) => {
      const just = { payload, signature, certified: { ...made, ...life } }
      return proveTime(just, { ...urls, rekor }, exchange(), () => new Date(now))
    }
    for (const now of [time - 300_000, time + 300_000]) assert.equal((await proved({}, now)).time, time)
    for (const now of [time - 300_001, time + 300_001])
      await assert.rejects(proved({}, now), { code: 'SIGNER', message: /and the clock of this machine says/ })
    assert.equal((await proved({ from: time, until: time })).time, time)
    for (const life of [{ from: time + 1 }, { until: time - 1 }])
      await assert.rejects(proved(life), { code: 'SIGNER', message: /when no certificate is valid$/ })
  })

  test('is the earlier one, where log and time stamp authority say different times', async () => {
    const { services } = world
    const { privateKey, made } = await certified()
    const payload = Buffer.from('{}')
    const signature = sign('sha256', preAuthEncoding(payload), privateKey)
    const [early, late] = [made.from + 10_000, made.from + 20_000]
    for (const first of ['rekor', 'tsa'] as const) {
      services.meddle = ({ service }) => {
        services.setTime(new Date(service === first ? early : late))
        return false
      }
      const urls = { fulcio: new URL(services.urls.fulcio), tsa: new URL(services.urls.tsa) }
      const rekor = { url: new URL(services.urls.rekor), version: 1 } as const
      const just = { payload, signature, certified: made }
      const proofs = await proveTime(just, { ...urls, rekor }, exchange(), () => new Date(early))
      assert.equal(proofs.time, early, first)
      assert.ok(proofs.entry !== undefined && proofs.stamp !== undefined)
    }
  })
})

describe('a token for many bundles', () => {
  const NOW = Date.parse('2026-11-20T12:00:00Z')
  const lasting = (sub: string, ms: number) =>
    world.services.token({ iss: 'https://i.example', sub, nbf: NOW / 1000, exp: (NOW + ms) / 1000 })
  const opened = (query: { file?: string; cwd: string }, env: Record<string, string>) => {
    const clock = { now: NOW }
    const { services } = world
    const fulcio = new URL(services.urls.fulcio)
    const rekor = { url: new URL(services.urls.rekor), version: 1 } as const
    const keyless = openKeyless(
      { ...query, services: { fulcio, rekor, tsa: undefined }, now: () => new Date(clock.now) },
      { cwd: query.cwd, env, signal: NONE } as Parameters<typeof openKeyless>[1],
    )
    return { clock, claimed: async () => (await keyless.claimed('sign "b"')).subject }
  }

  test('in a file is read again when it ends within a minute, and not before', async () => {
    const cwd = folder('file')
    const path = join(cwd, 'token')
    writeFileSync(path, lasting('first', 60_000))
    const { clock, claimed } = opened({ file: 'token', cwd }, {})
    assert.equal(await claimed(), 'first')
    writeFileSync(path, lasting('second', 600_000))
    assert.equal(await claimed(), 'first')
    clock.now += 1
    assert.equal(await claimed(), 'second')
  })

  test('in a variable is the same to its end', async () => {
    const env = { SIGSTORE_ID_TOKEN: lasting('first', 30_000) }
    const { clock, claimed } = opened({ cwd: folder('variable') }, env)
    assert.equal(await claimed(), 'first')
    env.SIGSTORE_ID_TOKEN = lasting('second', 600_000)
    assert.equal(await claimed(), 'first')
    clock.now += 30_000
    await assert.rejects(claimed(), { code: 'SIGNER', message: /SIGSTORE_ID_TOKEN ended at/ })
  })
})
