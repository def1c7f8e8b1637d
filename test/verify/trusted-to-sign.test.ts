// rlp agent sign --if-trusted, of files and of stored bundles: signs what the verdict trusted was about, and nothing else.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Signer } from '../../src/model/signer.ts'
import { preAuthEncoding, readEnvelope } from '../../src/signature/envelope.ts'
import type { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { DEV, made, madeTree, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import * as rlp from '../support/library.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { slice } from '../support/runs.ts'
import { signedTree, signer } from '../support/signed.ts'

const folder = temporary('if-trusted')
const HOUSE = signer(9)
const HOUSE_PEM = `-----BEGIN PRIVATE KEY-----\n${Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 9)]).toString('base64')}\n-----END PRIVATE KEY-----\n`
const GOOD = made({}, RELEASE)
const OTHER_CONTENT = made({ files: { 'more.md': 'x' } }, RELEASE)
const WIDE = made({ caps: 'time = true\n' }, RELEASE)
const FILE = 'mini-1.0.0.agent.bundle'
const NO_IDENTITY = `blake3:${'0'.repeat(64)}`
const NARROW = `[anchors]\nrelease = "${RELEASE.anchor}"\n[rules]\nrelease = { allow_caps = [] }\n`
const identityOf = async (bytes: Uint8Array) =>
  `${(await rlp.verifyBundle(bytes, { expect: 'any', home: false })).identity}`

const running: FakeRegistry[] = []
after(() => Promise.all(running.map(one => one.stop())))

async function registry(): Promise<FakeRegistry> {
  const one = await new FakeRegistry({}).start()
  running.push(one)
  return one
}

interface Place extends World {
  /** The same bundle: a file, or in a registry. */
  readonly at: string
  readonly server: FakeRegistry | undefined
  /** Puts another bundle there. */
  exchange(bytes: Uint8Array): Promise<void>
  /** What a reader of the place would notice of a signature. */
  seen(): string
  sign(...args: string[]): ReturnType<typeof run>
}

/** Where `bytes` lie: a file, or a repository of its own. */
async function place(kind: 'file' | 'registry', name: string, bytes: Uint8Array = GOOD): Promise<Place> {
  const here = world(folder(`${kind} ${name}`))
  writeFileSync(join(here.cwd, 'house.pem'), HOUSE_PEM, { mode: 0o600 })
  const server = kind === 'file' ? undefined : await registry()
  const at = server === undefined ? FILE : `oci://${server.host}/agents/mini:1.0.0`
  const exchange = async (other: Uint8Array) => {
    here.put(FILE, other)
    if (server === undefined) return
    const pushed = await here.rlp('agent', 'push', FILE, at, '--force', '--allow-unsigned')
    assert.equal(pushed.exit, 0, JSON.stringify(pushed.envelope))
  }
  await exchange(bytes)
  const seen = () =>
    server === undefined
      ? readFileSync(join(here.cwd, FILE)).toString('base64')
      : JSON.stringify([...server.manifests.keys()])
  const sign = (...args: string[]) =>
    here.say('agent', 'sign', at, '--key', './house.pem', '--if-trusted', ...args)
  return { ...here, at, server, exchange, seen, sign }
}

/** A mark: the agent was installed here, signed and trusted. */
async function installed(here: World, bytes: Uint8Array): Promise<void> {
  here.put('installed', bytes)
  const { exit, envelope } = await here.install('installed', '--expect', 'mini', '--yes')
  assert.equal(exit, 0, JSON.stringify(envelope))
}

async function locked(here: World, bytes: Uint8Array): Promise<void> {
  here.put('locked', bytes)
  const { exit, envelope } = await here.rlp('lock', 'add', 'locked', '--expect', 'mini')
  assert.equal(exit, 0, JSON.stringify(envelope))
}

for (const kind of ['file', 'registry'] as const) {
  describe(`a bundle in a ${kind}`, () => {
    /** What a house that knows one key reads. */
    const readsTrusted = async ({ at, cwd }: Place) => {
      const trustPolicy = `[anchors]\nhouse = "${HOUSE.anchor}"\n[rules]\nhouse = { allow_caps = "any" }\n`
      const from = kind === 'file' ? join(cwd, FILE) : at
      return (await rlp.verifyBundle(from, { expect: 'mini@1.0.0', home: false, trustPolicy })).verdict
    }

    test('is signed when it is trusted and one of three things pins it', async () => {
      const ways: readonly [what: string, args: readonly string[], prepare: (here: World) => unknown][] = [
        ['mark', [], here => installed(here, GOOD)],
        ['an older mark', [], here => installed(here, made({ version: '0.9.0' }, RELEASE))],
        ['lock', ['--lock', 'rlp.lock'], here => locked(here, GOOD)],
        ['identity', ['--expect', await identityOf(GOOD)], () => {}],
      ]
      for (const [what, args, prepare] of ways) {
        const here = await place(kind, `pinned by ${what}`)
        await prepare(here)
        assert.notEqual(await readsTrusted(here), 'trusted')
        const { exit, stdout, stderr } = await here.sign(...args)
        assert.equal(exit, 0, stderr)
        assert.match(stderr, /^mini 1\.0\.0, identity blake3:[0-9a-f]{64}\n {2}valid signature of ed25519:/)
        assert.ok(stdout.trimEnd().endsWith(`, identity ${await identityOf(GOOD)}`), stdout)
        assert.equal(await readsTrusted(here), 'trusted')
      }
    })

    const PIN = (bytes: Uint8Array) => async () => ['--expect', await identityOf(bytes)]
    const refused: readonly {
      what: string
      bytes?: Uint8Array
      prepare?: (here: Place) => unknown
      args?: (here: Place) => readonly string[] | Promise<readonly string[]>
      exit: number
      says: RegExp
    }[] = [
      { what: 'nothing pins it', exit: 1, says: /nothing on this host says which version of mini/ },
      {
        what: 'only a mark of another agent',
        prepare: here => {
          here.put('installed', made({ name: 'maxi' }, RELEASE))
          return here.install('installed', '--expect', 'maxi', '--yes')
        },
        exit: 1,
        says: /nothing on this host says which version of mini/,
      },
      {
        what: 'a range is no pin',
        args: () => ['--expect', 'mini@^1'],
        exit: 1,
        says: /nothing on this host/,
      },
      { what: 'it is unsigned', bytes: made(), args: PIN(made()), exit: 1, says: /: unsigned: / },
      {
        what: 'a stranger signed it',
        bytes: made({}, STRANGER),
        args: PIN(made({}, STRANGER)),
        exit: 1,
        says: /: untrusted: /,
      },
      {
        what: 'a development key signed it',
        bytes: made({}, DEV),
        args: PIN(made({}, DEV)),
        exit: 1,
        says: /: untrusted: .*development/,
      },
      {
        what: 'its signer is revoked',
        prepare: here => here.policy(`[revoked]\n"${RELEASE.anchor}" = { since = "2020-01-01" }\n`),
        args: PIN(GOOD),
        exit: 1,
        says: /: revoked: /,
      },
      {
        what: 'it asks for more than its signer may grant',
        bytes: WIDE,
        prepare: here => writeFileSync(join(here.home, 'trust-policy.toml'), NARROW),
        args: PIN(WIDE),
        exit: 4,
        says: /: policy_denied: /,
      },
      {
        what: 'a newer one was installed',
        prepare: here => installed(here, made({ version: '1.1.0' }, RELEASE)),
        exit: 1,
        says: /: rolled_back: /,
      },
      {
        what: 'a newer one was installed, and it is pinned',
        prepare: here => installed(here, made({ version: '1.1.0' }, RELEASE)),
        args: PIN(GOOD),
        exit: 1,
        says: /: rolled_back: /,
      },
      {
        what: 'it is another than the expected one',
        args: () => ['--expect', NO_IDENTITY],
        exit: 1,
        says: /: untrusted: Expected blake3:0{64}.*, found mini@1\.0\.0/,
      },
      {
        what: 'it is not as locked',
        prepare: here => locked(here, OTHER_CONTENT),
        args: () => ['--lock', 'rlp.lock'],
        exit: 1,
        says: /: untrusted: It is blake3:/,
      },
      {
        what: 'the lock is missing',
        args: () => ['--lock', 'gone'],
        exit: 3,
        says: /: indeterminate: .*gone: no such file/,
      },
      {
        what: 'the marks cannot be read',
        prepare: async here => {
          await installed(here, GOOD)
          writeFileSync(join(here.home, 'state/mini.json'), '{')
        },
        args: PIN(GOOD),
        exit: 3,
        says: /: indeterminate: /,
      },
      {
        what: 'there is no policy',
        prepare: here => rmSync(join(here.home, 'trust-policy.toml')),
        args: PIN(GOOD),
        exit: 3,
        says: /: indeterminate: There is no trust policy/,
      },
      {
        what: 'another policy trusts it not',
        prepare: here =>
          writeFileSync(join(here.cwd, 'p.toml'), NARROW.replace(RELEASE.anchor, STRANGER.anchor)),
        args: async () => ['--trust-policy', 'p.toml', ...(await PIN(GOOD)())],
        exit: 1,
        says: /: untrusted: /,
      },
      ...['--not-after=2999-01-01T00:00:00Z', '--renew=90d'].map(flag => ({
        what: `with ${flag}`,
        args: async () => [flag, ...(await PIN(GOOD)())],
        exit: 2,
        says: /it would sign another statement than was judged/,
      })),
      {
        what: 'any agent is expected',
        args: () => ['--expect', 'any'],
        exit: 2,
        says: /where any agent is expected/,
      },
      ...['--allow-dev', '--allow-unsigned', '--allow-downgrade'].map(flag => ({
        what: `with ${flag}`,
        args: async () => [flag, ...(await PIN(GOOD)())],
        exit: 2,
        says: /"rlp agent sign" has no such option/,
      })),
    ]
    // The verdicts are the same: in a registry the first ones are enough.
    for (const { what, bytes, prepare, args, exit, says } of kind === 'file' ? refused : slice(refused, 5)) {
      test(`is not signed: ${what}`, async () => {
        const here = await place(kind, what.replace(/[^a-z ]/g, ''), bytes)
        await prepare?.(here)
        const before = here.seen()
        const answer = await here.sign(...((await args?.(here)) ?? []))
        assert.equal(answer.exit, exit, answer.stderr)
        assert.match(answer.stderr, says)
        assert.equal(here.seen(), before)
      })
    }

    test('what a lock or a policy says without --if-trusted would be for nothing, and is refused', async () => {
      const here = await place(kind, 'without')
      for (const option of ['--lock', '--trust-policy']) {
        const args = ['agent', 'sign', here.at, '--key', './house.pem', '--expect', 'mini@1.0.0', option, 'x']
        const { exit, stderr } = await here.say(...args)
        assert.equal(exit, 2)
        assert.match(stderr, new RegExp(`Cannot use ${option} without --if-trusted`))
      }
    })

    test('for a signer outside, the statement that was judged is written', async () => {
      const here = await place(kind, 'outside')
      const args = ['agent', 'sign', here.at, '--export-payload', 'payload', '--if-trusted', '--expect']
      assert.equal((await here.say(...args, NO_IDENTITY)).exit, 1)
      assert.equal((await here.say(...args, await identityOf(GOOD))).exit, 0)
      const envelope = readEnvelope(
        Buffer.from(signedTree(madeTree({}), [RELEASE])['SIGNATURES/manifest.sig'] ?? ''),
      )
      assert.ok(envelope.ok)
      assert.deepEqual(
        readFileSync(join(here.cwd, 'payload')),
        Buffer.from(preAuthEncoding(envelope.value.payload)),
      )
    })

    /** A signer that takes its time. */
    const slow = (meanwhile: () => Promise<void>, asked: Uint8Array[]): Signer => ({
      key: HOUSE.key,
      async sign(bytes) {
        asked.push(bytes)
        await meanwhile()
        return HOUSE.sign(bytes)
      },
    })

    test('the library: what was judged is signed, whatever comes into its place meanwhile', async () => {
      const here = await place(kind, 'meanwhile')
      const { cwd, home, at, exchange } = here
      const call = (key: Signer) => {
        const options = { cwd, home, key, ifTrusted: true, expect: 'mini@1.0.0', lock: 'rlp.lock' } as const
        return kind === 'file' ? rlp.sign(at, options) : rlp.countersign(at, options)
      }
      await locked(here, GOOD)
      const asked: Uint8Array[] = []
      const signed = await call(slow(async () => {}, asked))
      assert.equal(signed.identity, await identityOf(GOOD))
      await exchange(GOOD)
      const exchanged = call(slow(() => exchange(OTHER_CONTENT), asked))
      // A file cannot take it any more. In a registry it goes beside the manifest that was judged, whose digest stays.
      if (kind === 'file') await assert.rejects(exchanged, { code: 'CHANGED_WHILE_READING' })
      else assert.equal((await exchanged).identity, await identityOf(GOOD))
      assert.equal(asked.length, 2)
      assert.deepEqual(asked[1], asked[0])
      await assert.rejects(call(slow(async () => {}, asked)), { code: 'NOT_VERIFIED', verdict: 'untrusted' })
      assert.equal(asked.length, 2)
      await assert.rejects(async () => rlp.sign(FILE, { cwd, key: 'x', lock: 'rlp.lock' }), {
        code: 'USAGE',
        message: /Cannot use lock without ifTrusted/,
      })
    })
  })
}

test('a stored bundle is read once: what is signed was not fetched after it was judged', async () => {
  const here = await place('registry', 'once')
  const { asked } = here.server ?? assert.fail()
  asked.length = 0
  const { exit } = await here.sign('--expect', await identityOf(GOOD))
  assert.equal(exit, 0)
  const layers = asked.filter(({ method, url }) => method === 'GET' && url.includes('/blobs/'))
  assert.equal(layers.length, 1, JSON.stringify(layers))
})

test('of many files, each is judged, and the trusted ones are signed', async () => {
  const here = world(folder('many'))
  writeFileSync(join(here.cwd, 'house.pem'), HOUSE_PEM, { mode: 0o600 })
  for (const version of ['1.0.0', '1.1.0'])
    here.put(`mini-${version}.agent.bundle`, made({ version }, RELEASE))
  await installed(here, made({ version: '1.1.0' }, RELEASE))
  const names = ['mini-1.0.0.agent.bundle', 'mini-1.1.0.agent.bundle']
  const { exit, envelope } = await here.rlp('agent', 'sign', ...names, '--key', './house.pem', '--if-trusted')
  const { bundles, failed } = envelope.result as unknown as {
    bundles: { bundle: string }[]
    failed: object[]
  }
  assert.deepEqual([exit, bundles.map(({ bundle }) => bundle), failed.length], [1, [names[1]], 1])
})

test('--expect holds for a file too', async () => {
  const here = await place('file', 'expected')
  const sign = (expect: string) => here.say('agent', 'sign', FILE, '--key', './house.pem', '--expect', expect)
  const before = here.seen()
  for (const [expect, exit] of [
    ['mini@^2', 1],
    [NO_IDENTITY, 1],
    ['mini', 2],
  ] as const) {
    assert.equal((await sign(expect)).exit, exit)
    assert.equal(here.seen(), before)
  }
  assert.equal((await sign('mini@^1')).exit, 0)
})
