// Hints of commands that read bundles from registries and layout folders, and write them there.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MANIFEST_TYPE } from '../../../src/oci/document.ts'
import { writeBundleManifest } from '../../../src/oci/manifest.ts'
import { secondAfter } from '../../../src/text/time.ts'
import { bundleOf } from '../agent.ts'
import { attestation, linesOf } from '../attested.ts'
import { good, made, madeTree, RELEASE, REVIEW, world } from '../install-world.ts'
import { FakeRegistry, sha256 } from '../oci-registry.ts'
import { signedTree } from '../signed.ts'
import { testKey } from '../trust-world.ts'
import { doesItInstead, follow, hintNaming, keysIn, leadsOn, placeIn, shows } from './led.ts'

const AT = 'oci-layout:store:1.0.0'

export function hintsOfRegistries(folder: (part: string) => string): void {
  /** A bundle `b`, and what `store` holds. */
  async function stored(name: string, env: Readonly<Record<string, string>> = {}) {
    const at = world(folder(name))
    keysIn(at.home, { release: 1, review: 2 })
    at.put('b', made({}, RELEASE))
    await good(at, 'agent', 'push', 'b', 'oci-layout:store')
    const HOME = join(at.cwd, 'user')
    mkdirSync(HOME)
    return { ...at, ...placeIn(at.cwd, at.home, { HOME, ...env }), HOME }
  }

  const servers = {
    bare: new FakeRegistry({ tagIsDigest: true }),
    open: new FakeRegistry(),
    closed: new FakeRegistry({ login: 'ci:secret' }),
  }
  before(async () => {
    for (const one of Object.values(servers)) await one.start()
  })
  after(async () => {
    for (const one of Object.values(servers)) await one.stop()
  })
  const oci = (server: FakeRegistry, path = 'mini') => `oci://${server.host}/agents/${path}`

  describe('a stored bundle', () => {
    const looks: Readonly<
      Record<
        string,
        readonly [args: readonly string[], name: string, what: RegExp, words?: readonly string[]]
      >
    > = {
      'a version that is not there': [['agent', 'verify', 'oci-layout:store:2.0.0'], 'agent list', /1\.0\.0/],
      'no version of the range': [
        ['agent', 'verify', 'oci-layout:store', '--expect', 'mini@^9.0'],
        'agent list',
        /1\.0\.0/,
      ],
      'neither tag nor digest': [['agent', 'inspect', 'oci-layout:store'], 'agent list', /1\.0\.0/],
      'a tag for a list': [['agent', 'list', AT], 'agent inspect', /mini/, [AT]],
      'what is detached is not said': [['agent', 'detach', AT, '--yes'], 'agent inspect', /mini/, [AT]],
      'a digest in another form': [
        ['agent', 'detach', AT, '--digest', 'sha256:1', '--yes'],
        'agent inspect',
        /sha256:[0-9a-f]{64}/,
        [AT],
      ],
      'nothing like it is attached': [
        ['agent', 'detach', AT, '--digest', `sha256:${'0'.repeat(64)}`, '--yes'],
        'agent inspect',
        /mini/,
      ],
    }
    for (const [what, [args, name, shown, words = []]] of Object.entries(looks))
      test(what, async () => {
        const here = await stored(what)
        await good(here, 'agent', 'sbom', 'b', '--key', 'release')
        await good(here, 'agent', 'push', 'b', 'oci-layout:store')
        await shows(here, args, name, shown, { words })
      })

    const others: Readonly<
      Record<string, readonly [args: readonly string[], name: string, words: readonly string[]]>
    > = {
      'a file to copy': [['agent', 'copy', 'b', 'oci-layout:other'], 'agent push', ['oci-layout:other']],
      'a stored bundle to push': [
        ['agent', 'push', AT, 'oci-layout:other'],
        'agent copy',
        [AT, 'oci-layout:other'],
      ],
      'a folder with other things': [
        ['agent', 'push', 'b', 'oci-layout:home'],
        'agent push',
        ['b', 'oci-layout:new'],
      ],
    }
    for (const [what, [args, name, words]] of Object.entries(others))
      test(what, async () => doesItInstead(await stored(what), args, name, { words }))

    test('nothing is stored', async () => {
      const here = await stored('nothing')
      await leadsOn(here, ['agent', 'list', 'oci-layout:none'], 'agent push', {
        words: ['b', 'oci-layout:none'],
      })
    })

    test('an unsigned bundle', async () => {
      const here = await stored('unsigned')
      here.put('u', made({ name: 'other' }))
      await leadsOn(here, ['agent', 'push', 'u', 'oci-layout:other'], 'agent sign', {
        fill: { KEY: 'release' },
      })
    })

    test('a signature without an expectation', async () => {
      const here = await stored('countersign')
      const sign = ['agent', 'sign', AT, '--key', 'review']
      const hint = await hintNaming(here, sign, 'agent inspect')
      const { stdout } = await follow(here, hint, 'agent inspect', { words: [AT] })
      const [identity = ''] = /blake3:[0-9a-f]{64}/.exec(stdout) ?? []
      await good(here, ...sign, '--expect', identity)
    })

    test('another agent than its repository says', async () => {
      const here = await stored('other-agent')
      await good(here, 'agent', 'copy', AT, oci(servers.open))
      const sign = [
        'agent',
        'sign',
        `${oci(servers.open, 'other')}:1.0.0`,
        '--key',
        'review',
        '--expect',
        'other',
      ]
      await shows(here, sign, 'agent inspect', /mini/, { words: [sign[2] ?? ''] })
    })

    test('statements about other bundles', async () => {
      const here = await stored('other-statements')
      const other = attestation(madeTree({ name: 'other' }), [testKey(1)], {})
      here.put('lines', linesOf(other))
      const push = ['agent', 'push', 'b', 'oci-layout:store', '--attach']
      const hint = await hintNaming(here, [...push, 'lines'], 'agent provenance')
      const words = ['b', '--builder', 'https://ci.example/1', '--key', 'release']
      await follow(here, hint, 'agent provenance', { words })
      await leadsOn(here, [...push, 'lines'], 'agent sbom', {
        fill: { BUNDLE: 'b', KEY: 'release' },
        afterwards: () => void here.put('lines', readFileSync(join(here.cwd, 'b.intoto.jsonl'))),
      })
    })

    test('a registry that keeps nothing beside a bundle', async () => {
      const here = await stored('bare')
      const to = `${oci(servers.bare)}:1.0.0`
      await good(here, 'agent', 'copy', AT, oci(servers.bare))
      const sign = ['agent', 'sign', to, '--key', 'review', '--expect', 'mini@1.0.0']
      await doesItInstead(here, sign, 'agent copy', { words: [to, 'oci-layout:kept'] })
      await good(here, ...sign.with(2, 'oci-layout:kept:1.0.0'))
      await good(here, 'agent', 'sbom', 'b', '--key', 'release')
      await doesItInstead(here, ['agent', 'push', 'b', oci(servers.bare)], 'agent push', {
        words: ['b', oci(servers.bare)],
      })
    })

    test('a mirror that lacks it', async () => {
      const here = await stored('mirror')
      const lines = `[registries.mirrors]\n"oci://x.example/mini" = "oci-layout:${join(here.cwd, 'mirror')}"\n`
      writeFileSync(join(here.home, 'config.toml'), lines, { mode: 0o644 })
      here.put('other', made({ version: '2.0.0' }, RELEASE))
      await good(here, 'agent', 'push', 'other', `oci-layout:${join(here.cwd, 'mirror')}`)
      const words = [AT, `oci-layout:${join(here.cwd, 'mirror')}`]
      await leadsOn(here, ['agent', 'verify', 'oci://x.example/mini:1.0.0'], 'agent copy', { words })
    })

    test('a manifest that is no bundle', async () => {
      const here = await stored('no-bundle')
      const { open } = servers
      open.put(Buffer.from('{}'), MANIFEST_TYPE, '9.0.0')
      const verify = ['agent', 'verify', `${oci(open)}:9.0.0`]
      await doesItInstead(here, verify, 'agent push', { words: ['b', oci(open)] })
    })

    test('a registry that answers with something else than the part that was asked for', async () => {
      const here = await stored('parts')
      const server = await new FakeRegistry().start()
      try {
        const at = `${oci(server)}:1.0.0`
        here.put('large', made({ files: { 'bin/data': Buffer.alloc(1_000_000, 1) } }, RELEASE))
        await good(here, 'agent', 'push', 'large', oci(server))
        server.meddle = ({ url = '', headers }, response) => {
          const blob = server.blobs.get(url.split('/').at(-1) ?? '')
          if (blob === undefined || headers.range === undefined) return false
          response.writeHead(200).end(blob)
          return true
        }
        const copy = ['agent', 'copy', at, `oci-layout:${join(here.cwd, 'copies')}`]
        const hint = await hintNaming(here, copy, 'agent pull')
        await follow(here, hint, 'agent pull', { words: [at] })
        await shows(here, copy, 'agent verify', /trusted/, { words: [at] })
      } finally {
        await server.stop()
      }
    })

    test('a layer that is compressed, and one that begins like no bundle', async () => {
      const here = await stored('layers')
      const server = await new FakeRegistry().start()
      try {
        const at = `${oci(server)}:1.0.0`
        for (const [content, args, name, exit] of [
          [gzipSync(made({}, RELEASE)), ['agent', 'verify', at], 'agent push', 0],
          [Buffer.alloc(2048, 'x'), ['agent', 'copy', at, 'oci-layout:there'], 'agent verify', 1],
        ] as const) {
          const layer = { digest: sha256(content), size: content.length }
          server.blobs.set(layer.digest, content)
          const facts = { title: 'it', version: '1.0.0', identity: 'a'.repeat(64), ...layer }
          server.put(Buffer.from(writeBundleManifest(facts)), MANIFEST_TYPE, '1.0.0')
          const words = name === 'agent push' ? ['b', oci(server), '--force'] : [at]
          if (name === 'agent push') await leadsOn(here, args, name, { words, exit })
          else await shows(here, args, name, /invalid/, { words, exit })
        }
      } finally {
        await server.stop()
      }
    })

    test('one signer with many statements', async () => {
      const here = await stored('many')
      const lines = Array.from({ length: 48 }, (_, at) =>
        attestation(madeTree(), [testKey(1)], { type: `https://scan.example/${at % 2}`, predicate: { at } }),
      )
      here.put('lines', linesOf(...lines))
      const push = ['agent', 'push', 'b', 'oci-layout:many', '--attach', 'lines']
      await shows(here, push, 'agent detach', /would be removed/)
    })

    test('a target that is a folder, and a bundle that is renewed where it is stored', async () => {
      const here = await stored('pull')
      await good(here, 'agent', 'copy', AT, oci(servers.open))
      const at = `${oci(servers.open)}:1.0.0`
      await doesItInstead(here, ['agent', 'copy', at, 'out'], 'agent pull', { words: [at] })
      const renew = ['agent', 'sign', at, '--key', 'review', '--renew', '90d', '--expect', 'mini@1.0.0']
      rmSync(join(here.cwd, 'mini-1.0.0.agent.bundle'))
      await doesItInstead(here, renew, 'agent pull', { words: [at] })
      await good(here, ...renew.with(2, 'mini-1.0.0.agent.bundle'))
    })
  })

  describe('a tag that stays', () => {
    const TREE = madeTree()
    const signedBy = (signers: Parameters<typeof signedTree>[1], notAfter: string) =>
      bundleOf(signedTree(TREE, signers, { notAfter }))
    const [FIRST = '', LATER = ''] = [30, 200].map(days => secondAfter(new Date(), days * 86_400))
    const before = async (name: string, first: Uint8Array, next: Uint8Array) => {
      const here = await stored(name)
      here.put('first', first)
      await good(here, 'agent', 'push', 'first', 'oci-layout:renewed')
      here.put('b', next)
      return here
    }
    const PUSH = ['agent', 'push', 'b', 'oci-layout:renewed']

    test('an end that is not later', async () => {
      const name = (end: string) => before(`end-${end}`, signedBy([RELEASE], LATER), signedBy([RELEASE], end))
      const fill = { KEY: 'release' }
      await leadsOn(await name(FIRST), PUSH, 'agent sign', { fill, typed: 'yes\n' })
    })

    test('a signer who is missing', async () => {
      const first = signedBy([RELEASE, REVIEW], FIRST)
      const here = await before('missing', first, first)
      await good(here, 'agent', 'sign', 'b', '--key', 'release', '--renew', '90d', '--expect', 'mini@1.0.0')
      await leadsOn(here, PUSH, 'agent sign', { fill: { KEY: 'review' }, typed: 'yes\n' })
    })
  })

  describe('logins', () => {
    test('a name and a password that are not known, are wrong, or are kept in no file', async () => {
      const HOME_FILE = '.docker/config.json'
      const here = await stored('login')
      const list = ['agent', 'list', oci(servers.closed)]
      const typed = { ...here, ...placeIn(here.cwd, here.home, { HOME: here.HOME }, 'secret\n') }
      const words = ['--username', 'ci', '--password-stdin']
      const fill = { HOST: servers.closed.host }
      await leadsOn(typed, list, 'login', { fill, words })
      mkdirSync(join(here.HOME, '.docker'), { recursive: true })
      const keep = (text: string) => writeFileSync(join(here.HOME, HOME_FILE), text)
      keep('no JSON')
      const first = () => rmSync(join(here.HOME, HOME_FILE))
      await leadsOn(typed, list, 'login', { fill, words, first })
      const auth = Buffer.from('ci:wrong').toString('base64')
      keep(JSON.stringify({ auths: { [servers.closed.host]: { auth } } }))
      await leadsOn(typed, list, 'login', { fill, words })
    })
  })
}
