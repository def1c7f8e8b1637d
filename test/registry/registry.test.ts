// A registry of our own, honest and not: what is pushed and pulled, who is told a password, and what hostile answers lead to.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { preferNative } from '../../src/bundle/blake3.ts'
import type { DiffResult } from '../../src/inspect/compared.ts'
import type { InspectResult } from '../../src/inspect/inspected-bundle.ts'
import type { Report } from '../../src/model/report.ts'
import { MANIFEST_TYPE } from '../../src/oci/document.ts'
import { signatureDocument, writeAttachedManifest } from '../../src/oci/manifest.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, madeTree, RELEASE, REVIEW, STRANGER, type World, world } from '../support/install-world.ts'
import { FakeRegistry, type Meddle, say, sha256 } from '../support/oci-registry.ts'
import { IN_CI } from '../support/runs.ts'
import { signedTree } from '../support/signed.ts'

const folder = temporary('registry')
const running: FakeRegistry[] = []
after(() => Promise.all(running.map(one => one.stop())))

// A bundle here has 3 MB.
await preferNative()
const BUNDLE = made({}, RELEASE)
const LARGE = made({ files: { 'bin/data': Buffer.alloc(3_000_000, 'abcdefg') } }, RELEASE)
const INDEX = 'application/vnd.oci.image.index.v1+json'

async function registry(options: ConstructorParameters<typeof FakeRegistry>[0] = {}): Promise<FakeRegistry> {
  const one = await new FakeRegistry(options).start()
  running.push(one)
  return one
}

interface Setup {
  readonly here: World
  readonly server: FakeRegistry
  readonly at: string
  /** Of the bundle's manifest. */
  readonly digest: string
}

/** A registry with one bundle in it. */
async function stored(
  name: string,
  options: ConstructorParameters<typeof FakeRegistry>[0] = {},
  bytes = BUNDLE,
): Promise<Setup> {
  const here = world(folder(name))
  const server = await registry(options)
  const at = `oci://${server.host}/agents/mini`
  const { exit, envelope } = await here.rlp('agent', 'push', here.put('b', bytes), at)
  assert.equal(exit, 0, JSON.stringify(envelope))
  server.asked.length = 0
  return { here, server, at, digest: server.tags.get('1.0.0') ?? '' }
}

async function pull({ here, at }: Setup, ...args: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'pull', `${at}:1.0.0`, '--out-dir', 'out', ...args)
  const file = join(here.cwd, 'out/mini-1.0.0.agent.bundle')
  return {
    exit,
    envelope,
    code: envelope.code,
    reason: envelope.reason,
    bytes: existsSync(file) ? readFileSync(file) : undefined,
  }
}

async function verdictOf({ here, at }: Setup, ...args: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'verify', `${at}:1.0.0`, ...args)
  const report = envelope.result?.bundles?.[0] as Report
  return { exit, report, words: [report.verdict, report.reasons[0]?.code] }
}

describe('an honest registry', () => {
  test('gets each byte once, and nothing of what it has', async () => {
    const set = await stored('once')
    const { server, here, at } = set
    assert.deepEqual([...server.blobs.values()].map(String).sort(), [BUNDLE.toString(), '{}'].sort())
    assert.ok(server.received < BUNDLE.length + 2000)
    server.received = 0
    const again = await here.rlp('agent', 'push', 'b', at)
    assert.equal(again.exit, 0)
    assert.equal(server.received, 0)
    assert.deepEqual(
      server.asked.filter(({ method }) => !['GET', 'HEAD'].includes(method)),
      [],
    )
    const pulled = await pull(set)
    assert.deepEqual([pulled.exit, pulled.bytes], [0, BUNDLE])
  })

  test('a tag with other content is moved only if told to', async () => {
    const { here, server, at } = await stored('moved')
    here.put('other', made({ files: { 'a.md': 'x' } }, RELEASE))
    const before = new Map(server.tags)
    const refused = await here.rlp('agent', 'push', 'other', at)
    assert.deepEqual([refused.exit, refused.envelope.code], [2, 'EXISTS'])
    assert.deepEqual(server.tags, before)
    assert.equal((await here.rlp('agent', 'push', 'other', at, '--force')).exit, 0)
    assert.notDeepEqual(server.tags, before)
  })

  test('lists its tags in pages, the newest first', async () => {
    const set = await stored('pages')
    // Signatures have such a tag where a registry lacks the API of referrers; cosign adds a suffix.
    const ATTACHED = `sha256-${'a'.repeat(64)}`
    set.server.meddle = ({ url = '' }, response, self) => {
      if (!url.includes('/tags/')) return false
      const isFirst = url.includes('n=1000')
      if (isFirst) response.setHeader('link', '</v2/agents/mini/tags/list?last=x>; rel="next"')
      say(
        response,
        200,
        JSON.stringify({
          name: self.host,
          tags: isFirst ? ['1.0.0', 'latest', ATTACHED, `${ATTACHED}.sig`] : ['1.10.0', '1.9.0_b.1'],
        }),
      )
      return true
    }
    const { envelope } = await set.here.rlp('agent', 'list', set.at)
    const { versions, others, attached } = envelope.result as unknown as {
      attached: number
      versions: { tag: string }[]
      others: string[]
    }
    assert.deepEqual(
      [versions.map(({ tag }) => tag), others, attached],
      [['1.10.0', '1.9.0_b.1', '1.0.0'], ['latest'], 2],
    )
  })

  test('verify of a repository passes over the tags that hold only signatures', async () => {
    const set = await stored('fleet')
    const { here, server, at } = set
    const verdicts = async () => {
      const { exit, envelope } = await here.rlp('agent', 'verify', at)
      return [exit, envelope.result?.bundles?.map(({ verdict }) => verdict)]
    }
    assert.deepEqual(await verdicts(), [0, ['trusted']])
    await here.say('key', 'generate', 'mine', '--no-passphrase')
    assert.equal(
      (await here.rlp('agent', 'sign', `${at}:1.0.0`, '--key', 'mine', '--expect', 'mini@1.0.0')).exit,
      0,
    )
    assert.ok(server.tags.has(set.digest.replace(':', '-')))
    assert.deepEqual(await verdicts(), [0, ['trusted']])
  })
})

describe('a reference implies the agent', () => {
  test('another agent, or another version, under its name is not taken', async () => {
    const set = await stored('implied')
    assert.equal((await pull(set)).exit, 0)
    const { server, here } = set
    server.tags.set('2.0.0', set.digest)
    for (const [reference, exit] of [
      [`oci://${server.host}/agents/other:1.0.0`, 1],
      [`oci://${server.host}/agents/mini:2.0.0`, 1],
      [`oci://${server.host}/agents/mini@${set.digest}`, 0],
      [`oci://${server.host}/agents/mini.pro:1.0.0`, 1],
    ] as const) {
      const { envelope, exit: found } = await here.rlp('agent', 'verify', reference)
      const report = envelope.result?.bundles?.[0] as Report
      assert.deepEqual([found, report.verdict], [exit, exit === 0 ? 'trusted' : 'untrusted'], reference)
    }
  })
})

describe('a hostile registry', () => {
  const changed =
    (of: (bytes: Buffer) => Buffer): Meddle =>
    ({ url = '', method }, response, self) => {
      const [, digest = ''] = /blobs\/(sha256:.*)$/.exec(url) ?? []
      const bytes = self.blobs.get(digest)
      if (method !== 'GET' || bytes === undefined) return false
      say(response, 200, of(bytes), 'application/octet-stream')
      return true
    }
  const manifest =
    (answer: (response: ServerResponse, bytes: Buffer) => void): Meddle =>
    ({ url = '', method }, response, self) => {
      const found = self.manifests.get(self.tags.get('1.0.0') ?? '')
      if (method !== 'GET' || !url.endsWith('/manifests/1.0.0') || found === undefined) return false
      answer(response, found.bytes)
      return true
    }
  const other = (change: (text: string) => string) =>
    manifest((response, bytes) => say(response, 200, change(bytes.toString()), MANIFEST_TYPE))
  const cases: [what: string, meddle: Meddle, says: RegExp][] = [
    ['a body that is too short', changed(bytes => bytes.subarray(0, -1)), /ends after/],
    ['a body that is too long', changed(bytes => Buffer.concat([bytes, Buffer.alloc(1)])), /more than/],
    [
      'a body without end',
      ({ url = '', method }, response, self) => {
        const bytes = self.blobs.get(/blobs\/(sha256:.*)$/.exec(url)?.[1] ?? '')
        if (method !== 'GET' || bytes === undefined) return false
        const more = () => {
          while (!response.destroyed && response.write(bytes));
        }
        response.writeHead(200).on('drain', more)
        more()
        return true
      },
      /more than/,
    ],
    [
      'a body of another digest',
      changed(bytes => Buffer.concat([bytes.subarray(0, 600), Buffer.from('x'), bytes.subarray(601)])),
      /content is sha256/,
    ],
    ['another sound bundle of the same size', changed(() => made({}, REVIEW)), /content is sha256/],
    ['a body that is compressed', changed(bytes => gzipSync(bytes)), /compressed|ends after/],
    [
      'a content encoding',
      ({ url = '', method }, response) => {
        if (method !== 'GET' || !url.includes('/blobs/')) return false
        response.setHeader('content-encoding', 'gzip')
        say(response, 200, gzipSync(BUNDLE))
        return true
      },
      /compressed/,
    ],
    [
      'an index where a manifest is meant',
      manifest((response, bytes) => say(response, 200, bytes, INDEX)),
      /index of several/,
    ],
    [
      'a foreign media type',
      manifest((response, bytes) => say(response, 200, bytes, 'text/html')),
      /media type/,
    ],
    ['manifests beside layers', other(text => text.replace('{', '{"manifests":[],')), /"manifests" beside/],
    [
      'two layers',
      other(text =>
        text.replace(
          /"layers":\[(.*?)\],"annotations":\{"org.opencontainers.image.version/,
          '"layers":[$1,$1],"annotations":{"org.opencontainers.image.version',
        ),
      ),
      /2 layers/,
    ],
    ['a key twice', other(text => text.replace('{', '{"schemaVersion":2,')), /strict JSON/],
    [
      'a manifest that is too large',
      manifest(response => say(response, 200, Buffer.alloc(4 * 1024 * 1024 + 1, ' '), MANIFEST_TYPE)),
      /too large/,
    ],
    [
      'a bundle that is too large',
      other(text => text.replace(/"size":6656/, '"size":99999999999')),
      /99999999999 bytes/,
    ],
    [
      'redirects for ever',
      ({ url = '' }, response) => {
        if (!url.includes('/blobs/')) return false
        response.writeHead(307, { location: `${url}1` }).end()
        return true
      },
      /more than 5 redirects/,
    ],
    [
      'a redirect that is not encrypted',
      ({ url = '' }, response) => {
        if (!url.includes('/blobs/')) return false
        response.writeHead(307, { location: 'http://files.example/x' }).end()
        return true
      },
      /not encrypted/,
    ],
    [
      'a redirect with a user name',
      ({ url = '' }, response) => {
        if (!url.includes('/blobs/')) return false
        response.writeHead(307, { location: 'https://a:b@files.example/x' }).end()
        return true
      },
      /user name/,
    ],
    ['401 without a header', (_, response) => say(response, 401, ''), /wants to know who asks/],
    [
      '403',
      (_, response) => say(response, 403, '{"errors":[{"code":"DENIED","message":"<b>you</b>"}]}'),
      /does not allow that.*DENIED\)$/,
    ],
    [
      '429 for longer than anybody waits',
      (_, response) => {
        response.setHeader('retry-after', '3600')
        say(response, 429, '')
        return true
      },
      /too many requests/,
    ],
    ['a problem of its own', (_, response) => say(response, 500, ''), /answered 500/],
    [
      'headers without end',
      (_, response) => {
        response.writeHead(200, { 'x-a': 'x'.repeat(100_000) }).end()
        return true
      },
      /does not speak HTTP \(HPE_HEADER_OVERFLOW\)/,
    ],
  ]
  /** One registry for all cases. Each has a home of its own, because nothing may be left of the others. */
  let honest: Setup
  before(async () => {
    honest = await stored('honest')
    assert.equal((await pull(honest)).exit, 0)
    assert.equal((await honest.here.install(`${honest.at}:1.0.0`, '--yes')).exit, 0)
  })
  for (const [what, meddle, says] of cases) {
    test(`${what}: exit 3, and nothing is written, neither by pull nor by install`, async () => {
      const set = { ...honest, here: world(folder(what)) }
      const { here, at } = set
      const install = () => here.install(`${at}:1.0.0`, '--yes')
      set.server.meddle = meddle
      assert.deepEqual((await install()).exit, 3)
      assert.deepEqual([existsSync(here.root), existsSync(join(here.home, 'state'))], [false, false])
      const { exit, envelope } = await pull(set)
      assert.equal(exit, 3, JSON.stringify(envelope))
      assert.match(`${envelope.message}`, says)
      assert.ok(`${envelope.hint}`.length > 10, 'no hint')
      assert.ok(!existsSync(join(set.here.cwd, 'out')))
      const { words } = await verdictOf(set)
      assert.deepEqual(words, ['indeterminate', 'unreadable'])
    })
  }

  test('tags that go on elsewhere, or for ever, are no list', async () => {
    for (const [link, says] of [
      ['<http://127.0.0.1:1/v2/x/tags/list>; rel="next"', /another server/],
      ['</v2/agents/mini/tags/list?again>; rel="next"', /no end/],
    ] as const) {
      const set = await stored('link')
      set.server.meddle = ({ url = '' }, response) => {
        if (!url.includes('/tags/')) return false
        response.setHeader('link', link)
        say(response, 200, '{"tags":["1.0.0"]}')
        return true
      }
      const { exit, envelope } = await set.here.rlp('agent', 'list', set.at)
      assert.equal(exit, 3)
      assert.match(`${envelope.message}`, says)
    }
  })
})

describe('a connection that breaks', () => {
  test('a pull goes on where it was', async () => {
    const set = await stored('broken-pull', {}, LARGE)
    let broke = 0
    set.server.meddle = ({ url = '', method, headers }, response, self) => {
      const bytes = self.blobs.get(/blobs\/(sha256:.*)$/.exec(url)?.[1] ?? '')
      if (method !== 'GET' || bytes === undefined || broke >= 2) return false
      broke++
      const from = Number(/bytes=([0-9]+)-/.exec(headers.range ?? '')?.[1] ?? 0)
      response.writeHead(from === 0 ? 200 : 206, {
        'content-length': bytes.length - from,
        ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
      })
      response.write(bytes.subarray(from, from + 1_200_000), () => response.destroy())
      return true
    }
    const { exit, bytes } = await pull(set)
    assert.deepEqual([exit, broke], [0, 2])
    assert.deepEqual(bytes, LARGE)
    const ranges = set.server.asked.filter(({ url }) => url.includes(sha256(LARGE)))
    assert.equal(ranges.length, 3)
  })

  test('a push asks what the registry has, and sends the rest', async () => {
    const here = world(folder('broken-push'))
    let broke = 0
    const server = await registry({
      meddle: ({ url = '', method }, response, self) => {
        if (
          method !== 'PUT' ||
          !url.includes('/uploads/') ||
          broke++ > 0 ||
          !url.includes(encodeURIComponent(sha256(LARGE)))
        ) {
          if (method === 'PUT' && url.includes('/uploads/') && broke === 1) broke = 0
          return false
        }
        self.keep(url, LARGE.subarray(0, 2_000_000))
        response.destroy()
        return true
      },
    })
    const { exit, envelope } = await here.rlp(
      'agent',
      'push',
      here.put('b', LARGE),
      `oci://${server.host}/agents/mini`,
    )
    assert.equal(exit, 0, JSON.stringify(envelope))
    assert.deepEqual(server.blobs.get(sha256(LARGE)), LARGE)
    assert.ok(server.received < LARGE.length - 1_900_000, `${server.received} bytes`)
  })

  test('Retry-After is waited for', async () => {
    const set = await stored('retry-after')
    let count = 0
    set.server.meddle = (_, response) => {
      if (count++ > 0) return false
      response.setHeader('retry-after', '0')
      say(response, 429, '')
      return true
    }
    assert.equal((await pull(set)).exit, 0)
  })
})

describe('who we are', () => {
  const SECRET = 'canary-7f3a-password'
  const LOGIN = `alice:${SECRET}`
  const auths = (host: string) =>
    JSON.stringify({ auths: { [host]: { auth: Buffer.from(LOGIN).toString('base64') } } })

  async function as(here: World, env: Record<string, string>, ...args: string[]) {
    process.env['RUNLOOP_HOME'] = here.home
    return run(args, undefined, { cwd: here.cwd, env: { HOME: here.cwd, ...env } })
  }

  test('is told to the realm and to the registry alone, and never said', async () => {
    const here = world(folder('login'))
    const server = await registry({ login: LOGIN })
    const elsewhere = await registry()
    mkdirSync(join(here.cwd, '.docker'))
    writeFileSync(join(here.cwd, '.docker/config.json'), auths(server.host))
    here.put('b', BUNDLE)
    const at = `oci://${server.host}/agents/mini`
    const all = [await as(here, {}, 'agent', 'push', 'b', at)]
    assert.equal(all[0]?.exit, 0, all[0]?.stderr)
    const isToken = ({ url }: { url: string }) => url.startsWith('/token')
    assert.match(server.asked.find(isToken)?.url ?? '', /scope=repository%3Aagents%2Fmini%3Apull%2Cpush$/)
    assert.ok(
      server.asked
        .filter(one => !isToken(one))
        .every(({ authorization = '' }) => !authorization.includes('Basic')),
    )
    // The blob is somewhere else.
    elsewhere.blobs.set(sha256(BUNDLE), BUNDLE)
    server.meddle = ({ url = '', method, headers }, response) => {
      if (method !== 'GET' || !url.includes('/blobs/') || headers.authorization !== `Bearer ${server.token}`)
        return false
      response.writeHead(307, { location: `http://${elsewhere.host}${url}` }).end()
      return true
    }
    all.push(await as(here, {}, 'agent', 'pull', `${at}:1.0.0`, '--out-dir', 'out'))
    assert.equal(all[1]?.exit, 0, all[1]?.stderr)
    assert.ok(elsewhere.asked.length > 0)
    assert.ok(elsewhere.asked.every(({ authorization }) => authorization === undefined))
    // An error repeats nothing of what it was told.
    server.meddle = ({ headers }, response) => {
      if (headers.authorization === undefined) return false
      say(
        response,
        403,
        JSON.stringify({
          errors: [{ code: headers.authorization, message: `${headers.authorization} ${SECRET}` }],
        }),
      )
      return true
    }
    all.push(
      await as(here, {}, 'agent', 'pull', `${at}:1.0.0`),
      await as(here, {}, 'agent', 'pull', `${at}:1.0.0`, '--json'),
    )
    for (const { stdout, stderr } of all) {
      for (const secret of [SECRET, Buffer.from(LOGIN).toString('base64'), server.token])
        assert.ok(!`${stdout}${stderr}`.includes(secret), `${stdout}${stderr}`)
    }
  })

  test('is known by the exact host, from the places that docker and podman use', async () => {
    const here = world(folder('places'))
    const server = await registry({ login: LOGIN })
    const at = `oci://${server.host}/agents/mini`
    here.put('b', BUNDLE)
    mkdirSync(join(here.cwd, 'config'))
    const push = (env: Record<string, string>) => as(here, env, 'agent', 'push', 'b', at)
    const config = join(here.cwd, 'config/config.json')
    for (const [host, exit] of [
      [server.host, 0],
      [`x${server.host}`, 3],
      [server.host.slice(0, -1), 3],
      ['127.0.0.1', 3],
    ] as const) {
      writeFileSync(config, auths(host))
      assert.equal((await push({ DOCKER_CONFIG: join(here.cwd, 'config') })).exit, exit, host)
    }
    writeFileSync(config, auths(server.host))
    assert.equal((await push({ REGISTRY_AUTH_FILE: config })).exit, 0)
    writeFileSync(config, '{"auths":')
    const broken = await push({ REGISTRY_AUTH_FILE: config })
    assert.deepEqual([broken.exit, /not strict JSON/.test(broken.stderr)], [3, true])
    const helper = join(here.cwd, 'docker-credential-fake')
    writeFileSync(
      helper,
      `#!/bin/sh\nread host\n[ "$host" = "${server.host}" ] || exit 1\necho '{"ServerURL":"","Username":"alice","Secret":"${SECRET}"}'\n`,
      { mode: 0o755 },
    )
    writeFileSync(config, JSON.stringify({ credHelpers: { [server.host]: 'fake' } }))
    const helped = await push({ REGISTRY_AUTH_FILE: config, PATH: `${here.cwd}:/usr/bin:/bin` })
    assert.equal(helped.exit, 0, helped.stderr)
    writeFileSync(config, JSON.stringify({ credHelpers: { [server.host]: '../fake' } }))
    assert.equal((await push({ REGISTRY_AUTH_FILE: config, PATH: here.cwd })).exit, 3)
  })

  test('is told to no realm that is not safe, and to none behind a redirect', async () => {
    const elsewhere = await registry()
    for (const [realm, says] of [
      ['http://tokens.example/token', /not encrypted/],
      [`http://a:b@${elsewhere.host}/token`, /user name/],
      ['nonsense', /no address/],
      [`http://${elsewhere.host}/redirect`, /somewhere else/],
    ] as const) {
      const here = world(folder('realm'))
      const server = await registry({
        meddle: (_, response) => {
          response.setHeader('www-authenticate', `Bearer realm="${realm}",service="x"`)
          say(response, 401, '')
          return true
        },
      })
      elsewhere.asked.length = 0
      elsewhere.meddle = (_, response) => {
        response.writeHead(307, { location: `http://${elsewhere.host}/token` }).end()
        return true
      }
      mkdirSync(join(here.cwd, '.docker'))
      writeFileSync(join(here.cwd, '.docker/config.json'), auths(server.host))
      const { exit, stderr } = await as(here, {}, 'agent', 'pull', `oci://${server.host}/agents/mini:1.0.0`)
      assert.equal(exit, 3)
      assert.match(stderr, says)
      assert.ok(elsewhere.asked.length <= 1)
    }
  })
})

describe('signatures that were added later', () => {
  const REQUIRE = '[require]\nanchors = ["release", "review"]\n'
  for (const referrers of [true, false]) {
    test(`turn untrusted into trusted, ${referrers ? 'by the API' : 'by the fallback tag'}, and move no digest`, async () => {
      const set = await stored(`countersigned-${referrers}`, { referrers })
      set.here.policy(REQUIRE)
      assert.deepEqual((await verdictOf(set)).words, ['untrusted', 'required_signature_missing'])
      attach(set, envelopeOf(REVIEW), referrers ? 'api' : 'tag')
      const now = await verdictOf(set)
      assert.deepEqual(now.words, ['trusted', undefined])
      assert.equal(now.report.carried?.manifest, set.digest)
      assert.equal(set.server.tags.get('1.0.0'), set.digest)
      const pulled = await pull(set)
      assert.equal(pulled.exit, 0)
      assert.deepEqual(pulled.bytes, made({}, RELEASE, REVIEW))
      const installed = await set.here.install(`${set.at}:1.0.0`, '--yes')
      assert.equal(installed.exit, 0, JSON.stringify(installed.envelope))
      assert.deepEqual(readFileSync(join(set.here.root, 'mini.agent.bundle')), made({}, RELEASE, REVIEW))
    })
  }

  const additions: [what: string, add: (set: Setup) => void, result: string | undefined][] = [
    ['a stranger’s', set => attach(set, envelopeOf(STRANGER)), 'unnamed'],
    ['over another statement', set => attach(set, envelopeOf(REVIEW, '1.0.1')), 'other'],
    ['by the key that signed already', set => attach(set, envelopeOf(RELEASE)), 'known'],
    [
      'that is not one of its key',
      set => attach(set, envelopeOf(REVIEW).replace(/"sig":"....../, '"sig":"AAAAAA')),
      'invalid',
    ],
    ['that is no envelope', set => attach(set, '{}'), 'invalid'],
    ['larger than any', set => attach(set, 'x'.repeat(65 * 1024)), 'other'],
    ['to another subject', set => attachTo(set, envelopeOf(REVIEW), sha256(Buffer.from('x'))), 'other'],
    [
      'of a foreign type',
      set =>
        list(set, set.server.put(Buffer.from(JSON.stringify({ mediaType: MANIFEST_TYPE })), MANIFEST_TYPE)),
      'other',
    ],
  ]
  for (const [what, add, result] of additions) {
    test(`${what}: decides nothing, and makes nothing invalid`, async () => {
      const set = await stored(what)
      add(set)
      const trusted = await verdictOf(set)
      assert.deepEqual(trusted.words, ['trusted', undefined])
      assert.deepEqual(
        trusted.report.carried?.added.map(one => one.result),
        [result],
      )
      set.here.policy(REQUIRE)
      assert.deepEqual((await verdictOf(set)).words, ['untrusted', 'required_signature_missing'])
    })
  }

  /** Listed behind as many as are read. */
  const BEHIND = `sha256:${'b'.repeat(64)}`
  const floods: [what: string, flood: (set: Setup) => void][] = [
    ['more than 1,000 of them', many],
    ['one that is not there', set => list(set, `sha256:${'a'.repeat(64)}`)],
    [
      'a list of a foreign type',
      set => set.server.put(Buffer.from('{}'), 'text/plain', set.digest.replace(':', '-')),
    ],
    ['a list that is no JSON', set => set.server.put(Buffer.from('{'), INDEX, set.digest.replace(':', '-'))],
    [
      'an API that fails',
      set => {
        set.server.meddle = ({ url = '' }, response) => url.includes('/referrers/') && say(response, 500, '')
      },
    ],
    [
      'pages without end',
      set => {
        set.server.meddle = ({ url = '' }, response) => {
          if (!url.includes('/referrers/')) return false
          response.setHeader('link', `<${url.split('?')[0]}?page=${Math.random()}>; rel="next"`)
          say(response, 200, JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [] }), INDEX)
          return true
        }
      },
    ],
    [
      'a page at another server',
      set => {
        set.server.meddle = ({ url = '' }, response) => {
          if (!url.includes('/referrers/')) return false
          response.setHeader('link', '<http://127.0.0.1:1/x>; rel="next"')
          say(response, 200, JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [] }), INDEX)
          return true
        }
      },
    ],
  ]
  for (const [what, flood] of floods) {
    // Each of a thousand is fetched, which takes seconds. test/registry/store-answers.test.ts holds the limit in every run.
    if (flood === many && !IN_CI) continue
    test(`${what}: a refusal becomes indeterminate, trusted stays, and nothing becomes more than that`, async () => {
      const set = await stored(what)
      flood(set)
      const trusted = await verdictOf(set)
      assert.deepEqual(trusted.words, ['trusted', undefined])
      assert.ok(trusted.report.carried?.incomplete)
      assert.ok(trusted.report.skipped.some(line => line.includes('added later')))
      set.here.policy(REQUIRE)
      assert.deepEqual((await verdictOf(set)).words, ['indeterminate', 'referrers_incomplete'])
      set.here.policy(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`)
      assert.deepEqual((await verdictOf(set)).words, ['indeterminate', 'referrers_incomplete'])
      assert.ok(!set.server.asked.some(({ url }) => url.includes(BEHIND)))
    })
  }

  test('what is damaged, or a list that fails, keeps no signature from counting that could be read', async () => {
    const set = await stored('damaged')
    set.here.policy(REQUIRE)
    const missing = sha256(Buffer.from('missing'))
    attach(set, envelopeOf(REVIEW), 'api')
    const found = [...set.server.manifests.keys()].at(-1) ?? ''
    list(set, missing, found)
    assert.deepEqual((await verdictOf(set)).words, ['trusted', undefined])
    list(set, found)
    set.server.meddle = ({ url = '' }, response) => url.includes('/referrers/') && say(response, 500, '')
    const { words, report } = await verdictOf(set)
    assert.deepEqual(words, ['trusted', undefined])
    assert.ok(report.carried?.incomplete)
    list(set, missing)
    assert.deepEqual((await verdictOf(set)).words, ['indeterminate', 'referrers_incomplete'])
  })

  test('an unsigned bundle is as good as signed once a key that counts has signed it where it is stored', async () => {
    const here = world(folder('unsigned'))
    const server = await registry()
    const at = `oci://${server.host}/agents/mini`
    assert.equal((await here.rlp('agent', 'push', here.put('b', made({})), at, '--allow-unsigned')).exit, 0)
    const set = { here, server, at, digest: server.tags.get('1.0.0') ?? '' }
    attach(set, envelopeOf(STRANGER))
    assert.equal((await verdictOf(set)).words[0], 'unsigned')
    attach(set, envelopeOf(RELEASE))
    assert.equal((await verdictOf(set)).words[0], 'trusted')
  })

  test('rlp agent sign adds one, once', async () => {
    const set = await stored('sign')
    const { here, server, at } = set
    await here.say('key', 'generate', 'mine', '--no-passphrase')
    const tags = () => [...server.tags.keys()].length
    for (const count of [2, 2]) {
      const { exit, envelope } = await here.rlp(
        'agent',
        'sign',
        `${at}:1.0.0`,
        '--key',
        'mine',
        '--expect',
        'mini@1.0.0',
      )
      assert.equal(exit, 0, JSON.stringify(envelope))
      assert.equal(tags(), count)
    }
    assert.equal(server.tags.get('1.0.0'), set.digest)
    const index = JSON.parse(
      server.manifests.get(server.tags.get(set.digest.replace(':', '-')) ?? '')?.bytes.toString() ?? '',
    )
    assert.equal(index.manifests.length, 1)
    const other = await here.rlp(
      'agent',
      'sign',
      `oci://${server.host}/agents/other:1.0.0`,
      '--key',
      'mine',
      '--expect',
      'mini@1.0.0',
    )
    assert.deepEqual([other.exit, other.envelope.code], [1, 'NOT_VERIFIED'])
  })

  test('rlp agent sign says what it signs, and signs only what is expected', async () => {
    const { here, server, at } = await stored('expected')
    await here.say('key', 'generate', 'mine', '--no-passphrase')
    const sign = (...args: string[]) => here.say('agent', 'sign', `${at}:1.0.0`, '--key', 'mine', ...args)
    const before = server.manifests.size
    const refused = [
      [[], 2, /it is not said which bundle this has to be, and no person can be asked/],
      [['--expect', 'mini'], 2, /says neither a version nor an identity/],
      [['--expect', 'any'], 2, /says neither a version nor an identity/],
      [['--expect', 'mini@^2'], 1, /expected mini@\^2, found mini 1\.0\.0, blake3:[0-9a-f]{64}/],
      [['--expect', `blake3:${'0'.repeat(64)}`], 1, /expected blake3:0{64}, found mini 1\.0\.0/],
    ] as const
    for (const [args, exit, says] of refused) {
      const answer = await sign(...args)
      assert.deepEqual([answer.exit, server.manifests.size], [exit, before], args.join(' '))
      assert.match(answer.stderr, says)
    }
    const { envelope } = await here.rlp('agent', 'inspect', `${at}:1.0.0`)
    const { identity } = (envelope.result as unknown as InspectResult).report
    for (const expect of [`${identity}`, 'mini@^1']) {
      const { exit, stdout, stderr } = await sign('--expect', expect)
      assert.equal(exit, 0, stderr)
      assert.match(stderr, new RegExp(`^mini 1\\.0\\.0, identity ${identity}\n  valid signature of ed25519:`))
      assert.match(stderr, /\n {2}it /)
      assert.ok(stdout.trimEnd().endsWith(`, identity ${identity}`), stdout)
    }
  })

  function envelopeOf(signer: typeof REVIEW, version = '1.0.0'): string {
    return String(signedTree(madeTree({ version }), [signer])['SIGNATURES/manifest.sig'])
  }

  function attach(set: Setup, envelope: string, how: 'api' | 'tag' = 'tag'): void {
    attachTo(set, envelope, set.digest, how)
  }

  function attachTo(set: Setup, envelope: string, subject: string, how: 'api' | 'tag' = 'tag'): void {
    const bytes = Buffer.from(envelope)
    set.server.blobs.set(sha256(bytes), bytes)
    const manifest = writeAttachedManifest(signatureDocument(bytes), {
      mediaType: MANIFEST_TYPE,
      digest: subject,
      size: 1,
    })
    const digest = set.server.put(manifest, MANIFEST_TYPE)
    if (how === 'tag') list(set, digest)
  }

  function list(set: Setup, ...digests: string[]): void {
    const sizeOf = (digest: string) => set.server.manifests.get(digest)?.bytes.length ?? 1
    const manifests = digests.map(digest => ({ mediaType: MANIFEST_TYPE, digest, size: sizeOf(digest) }))
    set.server.put(
      Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests })),
      INDEX,
      set.digest.replace(':', '-'),
    )
  }

  /** A thousand, each of which is fetched, and one behind them, which is never asked for. */
  function many(set: Setup): void {
    const digests = Array.from({ length: 1000 }, (_, at) => {
      const envelope = Buffer.from(`{"a":${at}}`)
      set.server.blobs.set(sha256(envelope), envelope)
      return set.server.put(
        writeAttachedManifest(signatureDocument(envelope), {
          mediaType: MANIFEST_TYPE,
          digest: set.digest,
          size: 1,
        }),
        MANIFEST_TYPE,
      )
    })
    list(set, ...digests, BEHIND)
  }
})

describe('looking into a stored bundle', () => {
  const TOOL = {
    id: 'text.run',
    description: 'Runs.',
    transport: { kind: 'exec', command: '/bin/x', args: [] },
    input_schema: true,
    result_schema: true,
  }
  const FILES = {
    'tools.json': JSON.stringify({ version: 1, tools: [TOOL] }),
    'schemas/a.json': JSON.stringify({ type: 'object', description: 'x'.repeat(6000) }),
    'bin/data': Buffer.alloc(1_000_000),
  }
  /** As large to the byte, and signed by the same key: only its texts and its program differ. */
  const other = (caps: string, byte: number) =>
    made({ caps, files: { ...FILES, 'bin/data': Buffer.alloc(1_000_000, byte) } }, RELEASE)
  const [SHOWN, HELD] = [other('exec = ["/bin/x"]\n', 1), other('exec = true # 12345\n', 2)]

  /** Ranges are of one bundle, and the whole is another. */
  function pretend({ server }: Setup, digest: string, shown: Uint8Array): void {
    server.meddle = ({ url = '', headers }, response) => {
      const [, first, last] = /^bytes=([0-9]+)-([0-9]+)$/.exec(headers.range ?? '') ?? []
      if (first === undefined || !url.includes(digest)) return false
      const bytes = shown.subarray(Number(first), Number(last) + 1)
      const range = `bytes ${first}-${last}/${shown.length}`
      response.writeHead(206, { 'content-length': bytes.length, 'content-range': range })
      response.end(bytes)
      return true
    }
  }

  test('what is shown is what is there: a store that shows one bundle and has another', async () => {
    assert.equal(SHOWN.length, HELD.length)
    const set = await stored('pretends', {}, HELD)
    const { here, at } = set
    const seen = async () => {
      const { exit, envelope } = await here.rlp('agent', 'inspect', `${at}:1.0.0`)
      const { report, permissions } = envelope.result as unknown as InspectResult
      return { exit, verdict: report.verdict, permissions }
    }
    const verified = async () =>
      (await here.rlp('agent', 'verify', `${at}:1.0.0`)).envelope.result?.bundles?.[0]?.verdict
    const honest = await seen()
    assert.deepEqual([honest.exit, honest.verdict], [0, await verified()])
    assert.match(`${honest.permissions}`, /run every program/)
    pretend(set, sha256(HELD), SHOWN)
    assert.deepEqual(await seen(), honest)
    // The whole bundle is another than the digest says.
    set.server.meddle = undefined
    set.server.blobs.set(sha256(HELD), Buffer.from(SHOWN))
    const swapped = await seen()
    assert.deepEqual([swapped.exit, swapped.verdict, swapped.permissions], [3, 'indeterminate', null])
  })

  test('a program that changed is a changed file', async () => {
    const set = await stored('changed', {}, SHOWN)
    const { here, server, at } = set
    const next = made(
      {
        version: '1.1.0',
        caps: 'exec = ["/bin/x"]\n',
        files: { ...FILES, 'bin/data': Buffer.alloc(1_000_000, 2) },
      },
      RELEASE,
    )
    assert.equal((await here.rlp('agent', 'push', here.put('n', next), at)).exit, 0)
    const file = here.put('mini-1.0.0.agent.bundle', SHOWN)
    const changed = async (...args: string[]) => {
      const { exit, envelope } = await here.rlp('agent', 'diff', ...args)
      const { files, isSame } = envelope.result as unknown as DiffResult
      return [exit, isSame, files.filter(({ path }) => path === 'bin/data').map(({ change }) => change)]
    }
    assert.deepEqual(await changed(file, `${at}:1.0.0`), [0, true, []])
    assert.deepEqual(await changed(`${at}:1.0.0`, file), [0, true, []])
    assert.deepEqual(await changed(`${at}:1.0.0`, `${at}:1.1.0`), [0, false, ['changed']])
    assert.ok(server.asked.length > 0)
  })
})
