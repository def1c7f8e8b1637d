// What goes wrong between us and a registry: a message and a hint for each, exit 3 (2 for a wrong reference, before any connection), and
// nothing is written. Also what a registry says to people, how long it is listened to, and how many keys it can add.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Deadline } from '../../src/io/wait/deadline.ts'
import type { Report } from '../../src/model/report.ts'
import { MANIFEST_TYPE } from '../../src/oci/document.ts'
import { signatureDocument, writeAttachedManifest } from '../../src/oci/manifest.ts'
import { proxyHint, Warnings } from '../../src/registry/http/client.ts'
import { readAdded } from '../../src/registry/read-added.ts'
import type { Store } from '../../src/registry/store.ts'
import { makeAuthority, makeCertificate } from '../support/certificate.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, madeTree, RELEASE, type World, world } from '../support/install-world.ts'
import { FakeRegistry, type Meddle, say, sha256 } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'
import { signedTree, signer } from '../support/signed.ts'

const folder = temporary('failures')
const BUNDLE = made({}, RELEASE)
let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry().start()
})
after(() => server.stop())

/** A world with a bundle `b`, stored as well. */
async function stored(name: string): Promise<World> {
  const here = world(folder(name))
  here.put('b', BUNDLE)
  server.meddle = undefined
  assert.equal((await here.rlp('agent', 'push', 'b', at())).exit, 0)
  server.asked.length = 0
  return here
}
const at = () => `oci://${server.host}/agents/mini`

describe('each obstacle has a message and a hint of its own', () => {
  const seen = new Map<string, string>()
  /** @param meddle of the registry, @param host in its place */
  async function refused(
    what: string,
    says: RegExp,
    hint: RegExp,
    how: { meddle?: Meddle; host?: string; push?: true },
  ) {
    const here = await stored(what)
    const { meddle, host = server.host } = how
    server.meddle = meddle
    const place = `oci://${host}/agents/mini`
    const args = how.push ? ['push', 'b', `${place}:1.0.0`] : ['pull', `${place}:1.0.0`, '--out-dir', 'out']
    if (how.push) server.blobs.clear()
    const { exit, envelope } = await here.rlp('agent', ...args)
    assert.equal(exit, 3, JSON.stringify(envelope))
    assert.match(`${envelope.message}`, says)
    assert.match(`${envelope.hint}`, hint)
    assert.ok(!existsSync(join(here.cwd, 'out')))
    // Apart from names, no two are the same.
    const plain = `${envelope.message} ${envelope.hint}`.replaceAll(host, 'HOST')
    assert.equal(seen.get(plain), undefined)
    seen.set(plain, what)
    server.meddle = undefined
  }

  test('no connection', () =>
    refused('no connection', /no connection to 127\.0\.0\.1:1 \(ECONNREFUSED\)/, /the registry runs/, {
      host: '127.0.0.1:1',
    }))

  test('no such host', () =>
    refused('no host', /there is no host no-such-host\.invalid/, /Check the name/, {
      host: 'no-such-host.invalid',
    }))

  test('TLS that does not hold', async () => {
    const { cert, key } = makeCertificate(makeAuthority('unknown'), ['localhost'])
    const secure = createSecure({ cert, key }, (_, response) => response.end())
    await new Promise<void>(resolve => secure.listen(0, '127.0.0.1', resolve))
    try {
      const host = `localhost:${(secure.address() as AddressInfo).port}`
      await refused('tls', /the certificate of localhost:\d+ does not hold/, /NODE_EXTRA_CA_CERTS/, { host })
    } finally {
      secure.closeAllConnections()
      await new Promise(resolve => secure.close(resolve))
    }
  })

  test('not found', () =>
    refused('not found', /there is no 1\.0\.0/, /^rlp agent list oci:\/\/\S+\/agents\/mini shows the tags/, {
      meddle: ({ url = '' }, response) => url.includes('/manifests/') && say(response, 404, '{}'),
    }))

  test('not allowed', () =>
    refused('not allowed', /does not allow that/, /for the right to it/, {
      meddle: ({ url = '' }, response) => url !== '/v2/' && say(response, 403, '{}'),
    }))

  test('too large', () =>
    refused('too large', /too large for the registry/, /raise its limit/, {
      push: true,
      meddle: ({ method }, response) => method === 'PUT' && say(response, 413, ''),
    }))

  test('a manifest that ends early', () =>
    refused('cut off', /the connection to 127\.0\.0\.1:\d+ broke \(ECONNRESET\)/, /Run the command again/, {
      meddle: ({ url = '' }, response) => {
        if (!url.includes('/manifests/')) return false
        response.writeHead(200, { 'content-type': MANIFEST_TYPE, 'content-length': 1000 })
        response.write('{', () => response.destroy())
        return true
      },
    }))

  test('a registry that does not say who may ask', () =>
    refused('401', /wants to know who asks/, /rlp login/, {
      meddle: ({ url = '' }, response) => url !== '/v2/' && say(response, 401, ''),
    }))
})

test('a wrong reference, repository or tag is refused with what is allowed, before any connection', async () => {
  const here = await stored('wrong')
  const { host } = server
  for (const [reference, says] of [
    [`oci://${host}`, /names no repository/],
    [`oci://${host}/Agents/mini:1.0.0`, /lower-case letters/],
    [`oci://${host}/a//mini:1.0.0`, /a repository has parts/],
    [`oci://${host}/a/../mini:1.0.0`, /a repository has parts/],
    [`oci://${host}/${'a'.repeat(300)}:1.0.0`, /more than 255 characters/],
    [`oci://${host}/mini:1.0.0+build`, /a tag has no "\+"/],
    [`oci://${host}/mini:${'1'.repeat(129)}`, /a tag has at most 128/],
    [`oci://${host}/mini:`, /a tag has at most 128/],
    [`oci://${host}/mini`, /neither a tag nor a digest/],
    [`oci://${host}/mini@sha256:abc`, /64 hex digits/],
    [`oci://${host}/mini@sha512:${'a'.repeat(64)}`, /sha256: and 64 hex digits/],
    [`oci://${host}/mini@sha256:${'A'.repeat(64)}`, /lower case/],
    [`oci://user:pw@${host}/mini:1.0.0`, /sha256/],
    [`OCI://${host}/mini:1.0.0`, /lower case/],
    [`oci://${host}/mini:1.0.0 `, /white space/],
    [`oci://${host}/mini?x:1`, /a repository has parts/],
    ['oci://host:99999/mini:1.0.0', /port/i],
    ['oci://[::1/mini:1.0.0', /./],
    ['oci-layout:', /names no folder/],
    ['oci-layout:store:a b', /white space/],
    ['oci-layout:store@sha256:x', /64 hex digits/],
  ] as const) {
    // verify takes a repository: all of its versions.
    for (const command of says.source === 'neither a tag nor a digest' ? ['pull'] : ['pull', 'verify']) {
      const args = ['agent', command, reference]
      const { exit, envelope } = await here.rlp(...args, '--expect', 'mini')
      assert.deepEqual([exit, envelope.code], [2, 'USAGE'], `${args.join(' ')}: ${JSON.stringify(envelope)}`)
      assert.match(`${envelope.message}`, says, reference)
      assert.ok(`${envelope.hint}`.length > 10)
    }
  }
  assert.deepEqual(server.asked, [])
})

describe('a proxy that this Node does not use', () => {
  test('is named in the hint where no connection is made', async () => {
    const here = await stored('proxy')
    process.env['RUNLOOP_HOME'] = here.home
    const pull = (env: Record<string, string>) =>
      run(['agent', 'pull', 'oci://127.0.0.1:1/mini:1.0.0'], undefined, { cwd: here.cwd, env })
    assert.match((await pull({})).stderr, /the registry runs/)
    assert.match(
      (await pull({ HTTPS_PROXY: 'http://proxy.example:3128' })).stderr,
      /HTTPS_PROXY is set, and Node/,
    )
  })

  test('by what the version can do', () => {
    const env = { https_proxy: 'http://p' }
    for (const version of ['20.19.0', '22.20.9', '24.4.1'])
      assert.match(proxyHint(env, version) ?? '', /uses no proxy/)
    for (const version of ['22.21.0', '24.5.0', '25.0.0']) {
      assert.match(proxyHint(env, version) ?? '', /only with NODE_USE_ENV_PROXY=1/)
      assert.equal(proxyHint({ ...env, NODE_USE_ENV_PROXY: '1' }, version), undefined)
    }
    assert.equal(proxyHint({ https_proxy: '' }, '20.19.0'), undefined)
  })
})

describe('what a registry says to people', () => {
  const SAID = '299 - "This repository moves to \\"other\\" soon"'
  const warns =
    (text: string): Meddle =>
    (_, response) => {
      response.setHeader('warning', text)
      return false
    }

  test('is shown once, made printable, and decides nothing', async () => {
    const here = await stored('warning')
    server.meddle = warns(SAID)
    const { exit, stderr } = await here.say('agent', 'pull', `${at()}:1.0.0`, '--out-dir', 'out')
    assert.equal(exit, 0)
    assert.equal(stderr.match(/says: This repository moves to "other" soon\n/g)?.length, 1, stderr)
    const quiet = await here.say('agent', 'verify', `${at()}:1.0.0`, '--quiet')
    assert.deepEqual([quiet.exit, quiet.stderr], [0, ''])
    const json = await here.say('agent', 'verify', `${at()}:1.0.0`, '--json')
    assert.deepEqual([json.exit, json.stderr], [0, ''])
  })

  test('never repeats what the registry was told', async () => {
    const secret = 'canary-55d1-password'
    const other = await new FakeRegistry({ login: `alice:${secret}` }).start()
    try {
      const here = world(folder('told'))
      here.put('b', BUNDLE)
      mkdirSync(join(here.cwd, '.docker'))
      const auth = Buffer.from(`alice:${secret}`).toString('base64')
      writeFileSync(
        join(here.cwd, '.docker/config.json'),
        JSON.stringify({ auths: { [other.host]: { auth } } }),
      )
      other.meddle = (_, response, self) => {
        response.setHeader(
          'warning',
          `299 - "${secret}", 299 - "${auth}", 299 - "${self.token}", 299 - "fine"`,
        )
        return false
      }
      process.env['RUNLOOP_HOME'] = here.home
      const ran = await run(['agent', 'push', 'b', `oci://${other.host}/agents/mini`], undefined, {
        cwd: here.cwd,
        env: { HOME: here.cwd },
      })
      assert.equal(ran.exit, 0, ran.stderr)
      assert.match(ran.stderr, /says: fine/)
      for (const text of [secret, auth, other.token])
        assert.ok(!`${ran.stdout}${ran.stderr}`.includes(text), text)
    } finally {
      await other.stop()
    }
  })

  test('is bounded, and is text or nothing', () => {
    const told: string[] = []
    const warnings = new Warnings(text => told.push(text))
    const read = (header: string) => warnings.read(header, 'h', text => text.includes('secret'))
    for (const header of [
      '199 - "other code"',
      '299 - unquoted',
      '299 - "cut',
      '299 - ""',
      '299 - "a secret"',
      '',
    ])
      read(header)
    assert.deepEqual(told, [])
    read('299 - "one", 299 x "two"')
    read('299 - "one"')
    assert.deepEqual(told, ['h says: one', 'h says: two'])
    for (let count = 0; count < 100; count++) read(`299 - "${String(count).padEnd(1000, 'x')}"`)
    assert.ok(told.join('').length < 4600, `${told.join('').length} characters`)
  })
})

test('listing what is attached ends with its time, and says so', async () => {
  const digest = sha256(BUNDLE)
  const descriptor = { mediaType: MANIFEST_TYPE, digest, size: 1 }
  const soon = () => new Deadline(new AbortController().signal, { attachedMs: 5 })
  const slow = {
    under: () => slow,
    attachedTo: () => new Promise(() => undefined),
  } as unknown as Store
  assert.equal((await readAdded(slow, digest, soon())).incomplete, 'the time for it was over')
  // The list comes in time, and the things on it do not.
  let asked = 0
  const many = {
    under: () => many,
    attachedTo: async () => ({
      manifests: Array.from({ length: 500 }, (_, at) => ({
        ...descriptor,
        digest: sha256(Buffer.from(`${at}`)),
      })),
      incomplete: undefined,
    }),
    listed: async () => {
      asked++
      await new Promise(resolve => setTimeout(resolve, 3))
      return undefined as never
    },
  } as unknown as Store
  const { incomplete } = await readAdded(many, digest, soon())
  assert.ok(incomplete !== undefined && asked < 100, `${asked} asked`)
})

describe('keys that are added', () => {
  const index = 'application/vnd.oci.image.index.v1+json'

  /** Attaches an envelope by each signer, in a list that says foreign things of them. */
  function attachAll(subject: string, signers: readonly ReturnType<typeof signer>[], facts = {}): void {
    const manifests = signers.map(one => {
      const envelope = Buffer.from(String(signedTree(madeTree(), [one])['SIGNATURES/manifest.sig']))
      server.blobs.set(sha256(envelope), envelope)
      const manifest = writeAttachedManifest(signatureDocument(envelope), {
        mediaType: MANIFEST_TYPE,
        digest: subject,
        size: 1,
      })
      return {
        mediaType: MANIFEST_TYPE,
        digest: server.put(manifest, MANIFEST_TYPE),
        size: manifest.length,
        ...facts,
      }
    })
    const list = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: index, manifests }))
    server.put(list, index, subject.replace(':', '-'))
  }

  async function reportOf(here: World): Promise<Report> {
    return (await here.rlp('agent', 'verify', `${at()}:1.0.0`)).envelope.result?.bundles?.[0] as Report
  }

  test('beyond sixteen are left out, the bundle’s own first', async () => {
    const here = await stored('many-keys')
    const many = Array.from({ length: 20 }, (_, at) => signer(20 + at))
    const names = many.map(({ anchor }, at) => `k${at} = "${anchor}"`).join('\n')
    const policy = join(here.home, 'trust-policy.toml')
    writeFileSync(
      policy,
      `[anchors]\nrelease = "${RELEASE.anchor}"\n${names}\n[rules]\nrelease = { allow_caps = "any" }\n`,
    )
    attachAll(server.tags.get('1.0.0') ?? '', many)
    const report = await reportOf(here)
    assert.equal(report.verdict, 'trusted')
    assert.equal(report.signatures.length, 16)
    assert.ok(report.signatures.some(({ keyid }) => keyid === RELEASE.anchor))
    const results = report.carried?.added.map(({ result }) => result) ?? []
    assert.deepEqual(
      [results.filter(one => one === 'merged').length, results.filter(one => one === 'too many').length],
      [15, 5],
    )
  })

  test('are found whatever the list says of them: each manifest is read', async () => {
    const here = await stored('foreign-list')
    const review = signer(2)
    attachAll(server.tags.get('1.0.0') ?? '', [review], {
      artifactType: 'application/vnd.oci.empty.v1+json',
      annotations: { 'org.opencontainers.image.created': 'never' },
      urls: [`http://${server.host}/elsewhere`],
    })
    const report = await reportOf(here)
    assert.deepEqual(
      report.carried?.added.map(({ keyid, result }) => [keyid, result]),
      [[review.anchor, 'merged']],
    )
    assert.ok(server.asked.every(({ url }) => !url.includes('elsewhere')))
  })
})

test('a name and a password are sent from the start once the registry has asked for them', async () => {
  const here = world(folder('basic'))
  here.put('b', BUNDLE)
  const wanted = `Basic ${Buffer.from('alice:pw-41').toString('base64')}`
  const basic = await new FakeRegistry({
    meddle: ({ headers }, response) => {
      if (headers.authorization === wanted) return false
      response.setHeader('www-authenticate', 'Basic realm="x"')
      return say(response, 401, '{}')
    },
  }).start()
  try {
    process.env['RUNLOOP_HOME'] = here.home
    const args = ['agent', 'push', 'b', `oci://${basic.host}/agents/mini`]
    const env = authFile(here.cwd, { [basic.host]: 'alice:pw-41' })
    const ran = await run(args, undefined, { cwd: here.cwd, env })
    assert.equal(ran.exit, 0, ran.stderr)
    const without = basic.asked.filter(({ authorization }) => authorization === undefined)
    // The first question, and what was asked together with the one that was answered with 401.
    assert.ok(
      without.every(({ method }) => method === 'GET' || method === 'HEAD'),
      JSON.stringify(without),
    )
    assert.ok(without.length <= 3, JSON.stringify(without))
  } finally {
    await basic.stop()
  }
})
