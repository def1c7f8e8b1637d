// What can go wrong between a pipeline and the services of Sigstore: each has a message of its own, nothing is written, and no message has any of the token.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { withoutKeys } from '../../../src/io/process/without-keys.ts'
import { run } from '../../support/fake-terminal.ts'
import { registryTimeout } from '../../support/registry-access.ts'
import { LATE, slice } from '../../support/runs.ts'
import { SIGNED_NAME as NAME, type SignHow, signingWorld } from '../../support/signing-world.ts'
import type { AskedSigstore, Service } from '../../support/sigstore-services.ts'

const world = signingWorld('keyless-failures')
const BESIDE = `${NAME}.intoto.jsonl`

afterEach(() => {
  world.services.meddle = undefined
  world.services.claims = {}
  world.services.setTime()
})

/** One service answers so, the others as they do. */
function answering(
  service: Service,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  world.services.meddle = (asked, response) => {
    if (asked.service !== service) return false
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    return true
  }
}

async function refused(how: SignHow & { readonly args?: readonly string[]; readonly timeout?: number } = {}) {
  const { args = [], timeout, ...rest } = how
  const cwd = world.place()
  if (timeout !== undefined) registryTimeout(join(cwd, 'home'), timeout)
  const { exit, stdout, stderr } = await world.sign(cwd, [NAME, '--yes', ...args], rest)
  assert.ok(!existsSync(join(cwd, BESIDE)), 'something was written')
  assert.deepEqual(readdirSync(cwd).sort(), ['home', NAME, 'signing-2.json', 'signing.json'])
  assert.equal(stdout, '')
  return { exit, message: stderr.replace(/^.*public for ever.*\n/m, '') }
}

const signedToken = (token: string, part: string) => `${token.split('.').slice(0, 2).join('.')}.${part}`
const again = (service: Service) => world.services.asked.filter(one => one.service === service).length

describe('a token', () => {
  const minutes = (count: number) => Math.floor(Date.now() / 1000) + count * 60
  const cases: Readonly<Record<string, readonly [SignHow, exit: number, message: RegExp]>> = {
    'that is missing': [
      { env: {} },
      2,
      /there is no identity token\nhint: .*--identity-token.*SIGSTORE_ID_TOKEN.*id-token: write/,
    ],
    'that is no JWT': [
      { env: { SIGSTORE_ID_TOKEN: 'secret-text' } },
      2,
      /the identity token in SIGSTORE_ID_TOKEN is not used: it is no JWT/,
    ],
    'whose claims are no object': [
      { env: { SIGSTORE_ID_TOKEN: 'e30.W10.e30' } },
      2,
      /its second part is no JSON object/,
    ],
    'that is too long': [{ env: { SIGSTORE_ID_TOKEN: 'a'.repeat(20_000) } }, 2, /more than 16384 characters/],
    'that has ended': [
      { claims: { exp: minutes(-2) } },
      3,
      /ended at 20\S+Z, and the clock of this machine says 20\S+Z/,
    ],
    'that has not begun': [
      { claims: { nbf: minutes(9) } },
      3,
      /begins at 20\S+Z, and the clock of this machine says/,
    ],
    'without an end': [{ claims: { exp: 'later' } }, 2, /it says no end \(exp\)/],
    'for another audience': [
      { claims: { aud: ['https://github.com/acme', 'x'] } },
      2,
      /it is for "https:\/\/github\.com\/acme, x", and not for "sigstore"/,
    ],
    'for no audience': [{ claims: { aud: 7 } }, 2, /it is for no audience, and not for "sigstore"/],
    'whose address is not verified': [
      { claims: { email: 'ana@example.com' } },
      2,
      /has not verified the email address/,
    ],
    'without a subject': [{ claims: { sub: '' } }, 2, /names no issuer \(iss\) and subject \(sub\)/],
  }
  for (const [name, [how, exit, message]] of Object.entries(cases))
    test(`${name} is not sent`, async () => {
      const before = again('fulcio')
      const seen = await refused(how)
      assert.match(seen.message, message)
      assert.equal(seen.exit, exit)
      assert.equal(again('fulcio'), before)
      assert.doesNotMatch(seen.message, /secret-text/)
    })

  test('in a file that is missing, or is something else', async () => {
    assert.match((await refused({ args: ['--identity-token', 'none.txt'] })).message, /none\.txt/)
    const cwd = world.place()
    writeFileSync(join(cwd, 'big.txt'), 'x'.repeat(50_000))
    const { exit, stderr } = await world.sign(cwd, [NAME, '--yes', '--identity-token', 'big.txt'])
    assert.equal(exit, 2)
    assert.match(stderr, /the identity token in "big\.txt": it has 50000 bytes/)
  })

  test('that a pipeline does not give', async () => {
    const { github } = world.services
    const wrong = { ...github, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong-request-token' }
    const seen = await refused({ env: wrong })
    assert.match(seen.message, /GitHub Actions at \S+ answered 401: not authorized\nhint: .*id-token: write/)
    assert.equal(seen.exit, 3)
    // One variable alone is no job that may ask for a token.
    for (const missing of ['ACTIONS_ID_TOKEN_REQUEST_URL', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'])
      assert.match(
        (await refused({ env: { ...github, [missing]: '' } })).message,
        /there is no identity token/,
      )
    const far = { ...github, ACTIONS_ID_TOKEN_REQUEST_URL: 'http://ci.example/token' }
    assert.match((await refused({ env: far })).message, /ACTIONS_ID_TOKEN_REQUEST_URL or \S+ is malformed/)
    answering('issuer', 200, '{"count":1}')
    assert.match(
      (await refused({ env: github })).message,
      /the answer of GitHub Actions at \S+ is not used: it has no token/,
    )
  })
})

const SERVICES = ['fulcio', 'rekor', 'tsa'] as const
/** What waits for seconds is asked of one service by day. */
const WAITED_FOR = slice(SERVICES, 3)
const late = (service: Service) => !WAITED_FOR.some(one => one === service) && LATE

describe('a service', () => {
  const NAMES = { fulcio: 'Fulcio', rekor: 'Rekor', tsa: 'The time stamp authority' } as const
  for (const service of SERVICES) {
    const config = service === 'tsa' ? 'signing-2.json' : 'signing.json'
    const said = async () => refused({ config })

    test(`${service} that refuses says why, printable and short`, async () => {
      answering(service, 400, JSON.stringify({ code: 3, message: `no \u001b[31m${'good '.repeat(200)}` }))
      const { exit, message } = await said()
      assert.match(
        message,
        new RegExp(
          `Cannot sign "${NAME}": ${NAMES[service]} at 127\\.0\\.0\\.1:\\d+ answered 400: no \\\\u\\{1b\\}\\[31mgood `,
        ),
      )
      assert.ok(message.length < 900, message)
      assert.equal(exit, 3)
    })

    test(`${service} that has a problem is asked three times`, { skip: late(service) }, async () => {
      answering(service, 503, 'upstream down')
      const before = again(service)
      const { exit, message } = await said()
      assert.match(message, /answered 503: upstream down\nhint: The service has a problem of its own/)
      assert.equal(again(service) - before, 3)
      assert.equal(exit, 3)
    })

    test(`${service} that answers something else`, async () => {
      for (const body of ['', '[]', '{}', '<html>', '{"uuid":{}}', '\u0000']) {
        answering(service, 201, body)
        assert.match(
          (await said()).message,
          new RegExp(`the answer of ${NAMES[service]} at \\S+ is not used: it `),
        )
      }
    })

    test(`${service} that names another place is not followed`, async () => {
      answering(service, 302, '', { location: `${world.services.urls.issuer}/` })
      const before = again('issuer')
      assert.match((await said()).message, /it is a redirect \(302\), and none is followed/)
      assert.equal(again('issuer'), before)
    })

    test(`${service} that never ends`, { skip: late(service) }, async () => {
      endless(service, 64 * 1024, 0)
      assert.match((await said()).message, /its answer has more than \d+ bytes/)
      endless(service, 1, 20)
      const { exit, message } = await refused({ config, timeout: 1 })
      assert.match(message, new RegExp(`${NAMES[service]} at \\S+ took longer than 1 s`))
      assert.equal(exit, 3)
    })

    test(`${service} that is not there`, async () => {
      const cwd = world.place()
      const { signingConfig, urls } = world.services
      const text = JSON.stringify(signingConfig(service === 'tsa' ? 2 : 1)).replaceAll(
        urls[service],
        'http://127.0.0.1:1',
      )
      writeFileSync(join(cwd, 'signing.json'), text)
      const { exit, stderr } = await world.sign(cwd)
      assert.match(
        stderr,
        new RegExp(`no connection to ${NAMES[service]} at 127\\.0\\.0\\.1:1 \\(ECONNREFUSED\\)`),
      )
      assert.equal(exit, 3)
    })
  }

  test('with an answer for something else', async () => {
    const { services } = world
    const other = await services.sign(Buffer.from('{}'))
    const { verificationMaterial: made } = JSON.parse(other)
    const pem = `-----BEGIN CERTIFICATE-----\n${made.certificate.rawBytes}\n-----END CERTIFICATE-----\n`
    answering(
      'fulcio',
      201,
      JSON.stringify({ signedCertificateEmbeddedSct: { chain: { certificates: [pem] } } }),
    )
    assert.match((await refused()).message, /its certificate is for another key/)
    const [entry] = made.tlogEntries
    const body = {
      body: entry.canonicalizedBody,
      logIndex: 1,
      integratedTime: Number(entry.integratedTime),
      logID: 'ab',
      verification: { signedEntryTimestamp: entry.inclusionPromise.signedEntryTimestamp },
    }
    answering('rekor', 201, JSON.stringify({ ab: body }))
    assert.match((await refused()).message, /it is about something else than what was signed/)
    const stamped = JSON.parse(await services.sign(Buffer.from('{}'), { version: 2 })).verificationMaterial
    const [{ signedTimestamp }] = stamped.timestampVerificationData.rfc3161Timestamps
    answering('tsa', 201, Buffer.from(signedTimestamp, 'base64'))
    assert.match(
      (await refused({ config: 'signing-2.json' })).message,
      /it is a time stamp of something else/,
    )
  })

  for (const service of SERVICES)
    test(`${service} that is waited for: a person may give up, and nothing is left`, async () => {
      const stop = new AbortController()
      world.services.meddle = asked => {
        if (asked.service !== service) return false
        stop.abort()
        return true
      }
      const config = service === 'tsa' ? 'signing-2.json' : 'signing.json'
      const { exit, message } = await refused({ config, signal: stop.signal })
      assert.equal(exit, 130)
      assert.match(message, /^rlp: Cancelled/)
    })

  test('that has the entry already is asked for it', async () => {
    const { services } = world
    const uuid = 'a'.repeat(64)
    let logged = ''
    let tries = 0
    services.meddle = async (asked, response) => {
      if (asked.service !== 'rekor') return false
      if (asked.method === 'GET') {
        assert.ok(asked.url.endsWith(`/api/v1/log/entries/${uuid}`))
        response.writeHead(200).end(logged)
        return true
      }
      logged = await services.entry(asked.body)
      if (tries++ === 0) response.destroy()
      else response.writeHead(409, { location: `/api/v1/log/entries/${uuid}` }).end('{}')
      return true
    }
    const cwd = world.place()
    const { exit, stderr } = await world.sign(cwd)
    assert.equal(exit, 0, stderr)
    assert.equal(await world.verdict(cwd, NAME), 'trusted')
    answering('rekor', 409, '{}', { location: '/somewhere/else' })
    assert.match((await refused()).message, /the log has such an entry, and does not say where/)
  })
})

describe('a clock that is off', () => {
  test('is told by the certificate', async () => {
    const token = world.services.token()
    for (const [hours, sign] of [
      [-1, 'ahead'],
      [1, 'behind'],
    ] as const) {
      world.services.setTime(new Date(Date.now() + hours * 3_600_000))
      const { exit, message } = await refused({
        env: { SIGSTORE_ID_TOKEN: hours > 0 ? world.services.token({ nbf: 0 }) : token },
      })
      assert.match(
        message,
        /the certificate is valid from 20\S+Z to 20\S+Z, and the clock of this machine says 20\S+Z\nhint: Set the clock/,
        sign,
      )
      assert.equal(exit, 3)
    }
  })

  test('of a log or a time stamp authority is told by its answer', async () => {
    for (const [service, config] of [
      ['rekor', 'signing.json'],
      ['tsa', 'signing-2.json'],
    ] as const) {
      world.services.meddle = ({ service: asked }) => {
        world.services.setTime(asked === service ? new Date(Date.now() + 3_600_000) : undefined)
        return false
      }
      world.services.setTime()
      const { message } = await refused({ config })
      assert.match(message, /at 127\S+ says that it is 20\S+Z, and the clock of this machine says 20\S+Z/)
    }
  })
})

describe('a signing config', () => {
  const configured = async (change: (config: Record<string, unknown>) => unknown) => {
    const cwd = world.place()
    const changed = change(world.services.signingConfig(2))
    writeFileSync(join(cwd, 'signing.json'), typeof changed === 'string' ? changed : JSON.stringify(changed))
    const { exit, stderr } = await world.sign(cwd)
    return { exit, stderr }
  }
  const service = (more: object) => [
    { url: 'https://x.example', majorApiVersion: 1, validFor: { start: '2020-01-01T00:00:00Z' }, ...more },
  ]
  const cases: readonly (readonly [RegExp, (config: Record<string, unknown>) => unknown])[] = [
    [/it is no JSON/, () => 'no'],
    [/it is not an object/, () => []],
    [
      /its mediaType is not application\/vnd\.dev\.sigstore\.signingconfig\.v0\.2\+json/,
      config => ({ ...config, mediaType: 'x' }),
    ],
    [/it names no certificate authority/, config => ({ ...config, caUrls: [] })],
    [/it names neither a log/, config => ({ ...config, rekorTlogUrls: [], tsaUrls: [] })],
    [/its log is Rekor 2, which proves no time/, config => ({ ...config, tsaUrls: [] })],
    [
      /no service in caUrls is valid now/,
      config => ({
        ...config,
        caUrls: service({ validFor: { start: '2020-01-01T00:00:00Z', end: '2021-01-01T00:00:00Z' } }),
      }),
    ],
    [
      /no service in rekorTlogUrls is valid now and of version 1 or 2/,
      config => ({ ...config, rekorTlogUrls: service({ majorApiVersion: 3 }) }),
    ],
    [
      /a service in caUrls has no address that is used, "http:\/\/fulcio\.example"/,
      config => ({ ...config, caUrls: service({ url: 'http://fulcio.example' }) }),
    ],
    [
      /a service in caUrls has no address that is used/,
      config => ({ ...config, caUrls: service({ url: 'https://me:pw@fulcio.example' }) }),
    ],
    [
      /its rekorTlogConfig asks for more than one service/,
      config => ({ ...config, rekorTlogConfig: { selector: 'ALL' } }),
    ],
    [
      /a service in tsaUrls has a validFor without readable times/,
      config => ({ ...config, tsaUrls: service({ validFor: { start: 'soon' } }) }),
    ],
  ]
  for (const [message, change] of cases)
    test(`that cannot be used: ${message.source.slice(0, 60)}`, async () => {
      const { exit, stderr } = await configured(change)
      assert.match(stderr, message)
      assert.equal(exit, 2)
    })

  test('may have services of the past and the future: the newest that is valid signs', async () => {
    const { services } = world
    const { exit, stderr } = await configured(config => ({
      ...config,
      rekorTlogUrls: [
        ...service({
          validFor: { start: '2020-01-01T00:00:00Z', end: '2021-01-01T00:00:00Z' },
          majorApiVersion: 2,
        }),
        ...service({ validFor: { start: '2999-01-01T00:00:00Z' }, majorApiVersion: 2 }),
        ...service({ url: 'http://127.0.0.1:1', majorApiVersion: 1 }),
        { url: `${services.urls.rekor2}/`, majorApiVersion: 2, validFor: { start: '2022-01-01T00:00:00Z' } },
      ],
    }))
    assert.equal(exit, 0, stderr)
  })
})

describe('the token is in nothing that anybody reads', () => {
  const CANARY = 'CANARY0123456789canary'
  const canaryToken = () =>
    signedToken(
      world.services.token({ jti: CANARY }),
      Buffer.from(`${CANARY}-signature`).toString('base64url'),
    )
  const FORMS: Readonly<Record<string, (token: string) => string>> = {
    'as it is': token => token,
    'its last part': token => token.split('.')[2] ?? '',
    'what it says': token => Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    'with spaces': token => [...token].join(' '),
    'in base64': token => Buffer.from(token).toString('base64'),
    'in percents': token => [...Buffer.from(token)].map(byte => `%${byte.toString(16)}`).join(''),
    backwards: token => [...token].reverse().join(''),
  }
  const holds = (text: string, token: string) => {
    const plain = text.replaceAll(/\s/g, '')
    const parts = [CANARY, ...token.split('.').map(part => part.slice(-16))]
    return parts.some(part => [text, plain, [...plain].reverse().join('')].some(one => one.includes(part)))
  }

  for (const service of SERVICES)
    test(`whatever ${service} repeats`, async () => {
      const token = canaryToken()
      const config = service === 'tsa' ? 'signing-2.json' : 'signing.json'
      for (const [name, form] of slice(Object.entries(FORMS), 3)) {
        for (const answer of [
          JSON.stringify({ code: 16, message: `cannot take ${form(token)}` }),
          `cannot take ${form(token)}`,
        ]) {
          for (const json of [[], ['--json']]) {
            answering(service, 400, answer)
            const cwd = world.place()
            const { exit, stdout, stderr } = await world.sign(cwd, [NAME, '--yes', ...json], {
              config,
              env: { SIGSTORE_ID_TOKEN: token },
            })
            assert.equal(exit, 3)
            assert.ok(!holds(stdout + stderr, token), `${name}: ${stdout}${stderr}`)
            assert.match(stdout + stderr, /answered 400/)
            for (const path of filesBelow(cwd)) assert.ok(!holds(readFileSync(path, 'latin1'), token), path)
          }
        }
      }
    })

  test('nor what a pipeline asks for one with', async () => {
    const { services } = world
    const { ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = services.github
    answering('issuer', 403, JSON.stringify({ message: `bad ${secret}` }))
    const { message } = await refused({ env: services.github })
    assert.ok(!message.includes(secret) && /answered 403\n/.test(message), message)
  })

  test('what is written has none of it, and services but Fulcio are not told', async () => {
    const token = canaryToken()
    const cwd = world.place()
    const before = world.services.asked.length
    assert.equal(
      (
        await world.sign(cwd, [NAME, '--yes'], {
          config: 'signing-2.json',
          env: { SIGSTORE_ID_TOKEN: token },
        })
      ).exit,
      0,
    )
    for (const path of filesBelow(cwd)) assert.ok(!holds(readFileSync(path, 'latin1'), token), path)
    const told = (one: AskedSigstore) => holds(JSON.stringify([one.url, one.headers, one.body]), token)
    const asked = world.services.asked.slice(before)
    assert.deepEqual(
      asked.filter(told).map(one => one.service),
      ['fulcio'],
    )
    assert.equal(asked.length, 3)
  })

  test('a program that rlp starts gets none', async () => {
    const cwd = world.place()
    const program = join(cwd, 'signer')
    writeFileSync(program, `#!/bin/sh\nenv > ${cwd}/seen\necho '{"error":"no"}'\n`)
    chmodSync(program, 0o755)
    const secrets = {
      SIGSTORE_ID_TOKEN: canaryToken(),
      ...world.services.github,
      HOME: cwd,
      PATH: process.env['PATH'] ?? '',
    }
    await run(['key', 'show', `command:${program}`], undefined, { cwd, env: secrets })
    const seen = readFileSync(join(cwd, 'seen'), 'utf8')
    assert.match(seen, /^HOME=/m)
    assert.doesNotMatch(seen, /TOKEN|CANARY/)
    assert.deepEqual(Object.keys(withoutKeys(secrets)), ['HOME', 'PATH'])
  })
})

/** Bytes without an end. */
function endless(service: Service, bytes: number, everyMs: number): void {
  world.services.meddle = (asked, response) => {
    if (asked.service !== service) return false
    response.writeHead(201, { 'content-type': 'application/json' })
    pour(response, Buffer.alloc(bytes, ' '), everyMs)
    return true
  }
}

function pour(response: ServerResponse, chunk: Buffer, everyMs: number): void {
  if (response.destroyed) return
  response.write(chunk)
  setTimeout(() => pour(response, chunk, everyMs), everyMs).unref()
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())
}
