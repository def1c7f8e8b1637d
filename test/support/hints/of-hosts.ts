// Hints of those who decide what is trusted, locked and installed on a host.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { secondAfter } from '../../../src/text/time.ts'
import { bundleOf, digestOf, writeTree } from '../agent.ts'
import { good, made, madeTree, RELEASE, REVIEW, world } from '../install-world.ts'
import { ROOT } from '../lint-fixtures.ts'
import { signedTree, signer } from '../signed.ts'
import { doesItInstead, type Following, follow, hintNaming, keysIn, leadsOn, placeIn, shows } from './led.ts'

const GITHUB = 'https://token.actions.githubusercontent.com'
const V1 = 'mini-1.0.0.agent.bundle'
/** The key of a signer whom no policy names. */
const NEW = signer(77).anchor
const V2 = 'mini-2.0.0.agent.bundle'

export function hintsOfHosts(folder: (part: string) => string): void {
  /** Two versions of an agent, keys and a policy. */
  function host(name: string) {
    const at = world(folder(name))
    keysIn(at.home, { release: 1, review: 2 })
    at.put(V1, made({}, RELEASE))
    at.put(V2, made({ version: '2.0.0' }, RELEASE))
    return { ...at, ...placeIn(at.cwd, at.home) }
  }
  type Host = ReturnType<typeof host>
  type Case = readonly [
    before: (here: Host) => unknown,
    args: readonly string[],
    name: string,
    following?: Following,
  ]
  type Look = readonly [before: Case[0], args: Case[1], name: string, what: RegExp, following?: Following]
  const nothing = () => {}
  const lock = (here: Host) => good(here, 'lock', 'add', V1)
  const install = (here: Host) => good(here, 'agent', 'install', V1, '--yes')

  const looks: Readonly<Record<string, Look>> = {
    'lock check of an agent that is not locked': [lock, ['lock', 'check', 'other'], 'lock list', /mini/],
    'lock remove of an agent that is not locked': [lock, ['lock', 'remove', 'other'], 'lock list', /mini/],
    'lock update of an agent that is not locked': [lock, ['lock', 'update', 'other'], 'lock list', /mini/],
    'uninstall of what is not installed': [
      install,
      ['agent', 'uninstall', 'other', '--yes'],
      'agent list',
      /mini/,
    ],
    'uninstall of what is no name': [
      install,
      ['agent', 'uninstall', 'Other!', '--yes'],
      'agent list',
      /mini/,
    ],
    'permissions of what is not installed': [install, ['agent', 'run', 'other'], 'agent list', /mini/],
    'diff of what is not sound': [
      here => here.put('bad', made({}, RELEASE).subarray(0, 5000)),
      ['agent', 'diff', 'bad', V1],
      'agent verify',
      /invalid/,
      { exit: 1 },
    ],
    'reset without a mark': [
      lock,
      ['trust', 'reset', 'mini', '--to', '1.0.0'],
      'agent list',
      /no agent manifests found/,
    ],
    'remove of a signer that is not there': [nothing, ['trust', 'remove', 'nobody'], 'trust list', /release/],
    'revoke of what is no identity': [nothing, ['trust', 'revoke', 'oidc:x'], 'trust list', /release/],
    'a policy that is malformed': [
      here => writeFileSync(join(here.home, 'trust-policy.toml'), '[anchors]\nrelease = 1\n'),
      ['trust', 'remove', 'release'],
      'trust list',
      /trust-policy\.toml:2:11/,
      { exit: 3 },
    ],
    'what the signers of a bundle may not grant': [
      nothing,
      ['trust', 'add', 'review', '--for', V1],
      'agent verify',
      /release/,
    ],
    'signing what is not sound': [
      here => here.put('bad', made({}, RELEASE).subarray(0, 5000)),
      ['agent', 'sign', 'bad', '--key', 'review'],
      'agent verify',
      /invalid/,
      { exit: 1 },
    ],
    'signing another bundle than is expected': [
      nothing,
      ['agent', 'sign', V1, '--key', 'review', '--expect', 'mini@2.0.0'],
      'agent inspect',
      /1\.0\.0/,
      { words: [V1] },
    ],
    'an expectation that many bundles meet': [
      nothing,
      ['agent', 'sign', V1, '--key', 'review', '--expect', 'mini'],
      'agent inspect',
      /blake3:[0-9a-f]{64}/,
      { words: [V1] },
    ],
    'signing if trusted, with nothing that says which version': [
      nothing,
      ['agent', 'sign', V1, '--key', 'review', '--if-trusted'],
      'agent inspect',
      /blake3:[0-9a-f]{64}/,
      { words: [V1] },
    ],
    'an identity in a wrong spelling': [
      nothing,
      ['agent', 'verify', V1, '--expect', 'blake3:1'],
      'agent inspect',
      /blake3:[0-9a-f]{64}/,
      { fill: { BUNDLE: V1 } },
    ],
    'a lock that is not named, without a yes': [
      lock,
      ['agent', 'install', '--locked'],
      'agent inspect',
      /mini 1\.0\.0/,
      { words: [V1] },
    ],
    'a bundle to run that is not sound': [
      here => here.put('bad', made({ files: { 'bin/mini.wasm': 'x' } }, RELEASE)),
      ['agent', 'run', 'bad'],
      'agent verify',
      /not a WebAssembly module/,
      { exit: 1 },
    ],
    'what a policy requires': [
      here => good(here, 'trust', 'require', '--signer', 'review'),
      ['agent', 'verify', V1],
      'trust explain',
      /review/,
    ],
    'a verdict of today beside a lock': [
      async here => {
        await lock(here)
        await good(here, 'trust', 'revoke', 'release', '--reason', 'lost')
      },
      ['lock', 'check'],
      'agent verify',
      /revoked/,
      { words: [V1], exit: 1 },
    ],
  }

  describe('what a hint of a host shows', () => {
    for (const [what, [before, args, name, shown, following]] of Object.entries(looks))
      test(what, async () => {
        const here = host(what)
        await before(here)
        await shows(here, args, name, shown, following)
      })
  })

  const leads: Readonly<Record<string, Case>> = {
    'lock list without a lock': [nothing, ['lock', 'list'], 'lock add', { fill: { BUNDLE: V1 } }],
    'verify with a lock that is not there': [
      nothing,
      ['agent', 'verify', V1, '--lock', 'rlp.lock'],
      'lock add',
    ],
    'lock update of a new agent': [
      here => {
        here.put('other', made({ name: 'other' }, RELEASE))
        return lock(here)
      },
      ['lock', 'update', 'other'],
      'lock add',
      { fill: { BUNDLE: 'other' } },
    ],
    'lock add of another version': [lock, ['lock', 'add', V2], 'lock update', { refusedStill: true }],
    'a bundle that the lock pins in another version': [
      lock,
      ['agent', 'verify', V2, '--locked'],
      'lock update',
    ],
    'a bundle that is not in the lock': [
      here => {
        here.put('other', made({ name: 'other' }, RELEASE))
        return lock(here)
      },
      ['agent', 'verify', 'other', '--locked'],
      'lock add',
    ],
    'an unsigned bundle to lock': [
      here => here.put('u', made()),
      ['lock', 'add', 'u'],
      'agent sign',
      { words: ['u', '--key', 'release'] },
    ],
    'an unsigned bundle to install': [
      here => here.put('u', made()),
      ['agent', 'install', 'u', '--yes'],
      'agent sign',
      { words: ['u', '--key', 'release'] },
    ],
    'an unsigned bundle to call': [
      here => here.put('u', made()),
      ['tool', 'list', 'u'],
      'agent sign',
      { words: ['u', '--key', 'release'] },
    ],
    'an unsigned version of an agent that was signed': [
      async here => {
        await install(here)
        here.put('u', made({ version: '3.0.0' }))
      },
      ['agent', 'install', 'u', '--yes'],
      'agent sign',
      { words: ['u', '--key', 'release'] },
    ],
    'a lock without a name for --prune': [
      lock,
      ['agent', 'install', '--lock', 'rlp.lock', '--prune', '--yes'],
      'lock add',
      { fill: { NAME: 'mail' } },
    ],
    'an older version': [
      async here => {
        await good(here, 'agent', 'install', V2, '--yes')
      },
      ['agent', 'verify', V1],
      'trust reset',
    ],
    'no policy': [
      here => rmSync(join(here.home, 'trust-policy.toml')),
      ['agent', 'verify', V1],
      'trust add',
      { fill: { NAME: 'release', KEY: RELEASE.anchor }, refusedStill: true },
    ],
    'a signer who is new': [
      nothing,
      ['trust', 'add', 'newcomer', '--allow-caps', 'time'],
      'trust add',
      { fill: { KEY: NEW } },
    ],
    'no policy to list': [
      here => rmSync(join(here.home, 'trust-policy.toml')),
      ['trust', 'list'],
      'trust add',
      { words: ['release', RELEASE.anchor] },
    ],
  }

  describe('what a hint of a host does', () => {
    for (const [what, [before, args, name, following]] of Object.entries(leads))
      test(what, async () => {
        const here = host(what)
        await before(here)
        await leadsOn(here, args, name, following)
      })

    test('other content of a locked version', async () => {
      const here = host('lock-content')
      await lock(here)
      here.put(V1, made({ files: { 'README.md': 'other' } }, RELEASE))
      const update = ['lock', 'update', V1]
      const hint = await hintNaming(here, update, 'lock remove')
      await follow(here, hint, 'lock remove')
      await follow(here, hint, 'lock add', { words: [V1] })
      await good(here, ...update)
    })

    test('a signer who has not signed', async () => {
      const here = host('not-signed')
      const add = ['trust', 'add', 'review', '--for', V1]
      await leadsOn(here, add, 'agent sign', { words: [V1, '--key', 'review'] })
    })

    test('a signer who is in a group', async () => {
      const here = host('group')
      await good(here, 'trust', 'group', 'people', '--of', 'release,review', '--at-least', '1')
      const words = ['release', '--reason', 'lost']
      await doesItInstead(here, ['trust', 'remove', 'release'], 'trust revoke', { words })
    })

    test('a signature that ends soon', async () => {
      const here = host('ends-soon')
      const notAfter = secondAfter(new Date(), 3 * 86_400)
      here.put('b', bundleOf(signedTree(madeTree(), [RELEASE], { notAfter })))
      const fill = { BUNDLE: 'b', KEY: 'release' }
      await leadsOn(here, ['agent', 'verify', 'b'], 'agent sign', { fill, typed: 'yes\n' })
    })

    test('another version than the lock pins, which is fetched', async () => {
      const here = host('pinned')
      await good(here, 'agent', 'push', V1, 'oci-layout:store')
      await good(here, 'agent', 'push', V2, 'oci-layout:store')
      await good(here, 'lock', 'add', 'oci-layout:store:1.0.0')
      const verify = ['agent', 'verify', 'oci-layout:store:2.0.0', '--locked']
      await leadsOn(here, verify, 'lock update')
    })

    test('an identity that is named in part', async () => {
      const here = host('identity')
      const path = join(here.home, 'trust-policy.toml')
      const policy = readFileSync(path, 'utf8')
      const root = readFileSync(join(ROOT, 'fixtures/keyless/root.json'))
      writeFileSync(join(here.home, 'root.json'), root)
      const sigstore = `[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${digestOf(root)}" }\n`
      const members = `issuer = "${GITHUB}", repository_id = "123456789", owner_id = "42", workflow = ".github/workflows/release.yml", ref = "refs/tags/v*"`
      writeFileSync(path, `${policy.replace('[anchors]\n', `[anchors]\nci = { ${members} }\n`)}${sigstore}`)
      const issuer = `oidc:${GITHUB}`
      const skips = `${issuer}?repository_id=123456789&workflow=.github%2Fworkflows%2Frelease.yml`
      await shows(here, ['trust', 'revoke', `${issuer}?workflow=a.yml`], 'trust list', /repository_id/)
      await doesItInstead(here, ['trust', 'revoke', skips], 'trust revoke')
    })

    test('what is not sound is packed again', async () => {
      const here = host('again')
      here.put('bad', made({}, RELEASE).subarray(0, 5000))
      writeTree(join(here.cwd, 'agents/mini'), madeTree())
      await doesItInstead(here, ['agent', 'verify', 'bad'], 'agent pack', { words: ['mini', '--force'] })
    })

    test('a lock that cannot be relied upon', async () => {
      const here = host('lock-damaged')
      await lock(here)
      const good = readFileSync(join(here.cwd, 'rlp.lock'))
      writeFileSync(join(here.cwd, 'rlp.lock'), `<<<<<<<\n${good}`)
      const first = () => writeFileSync(join(here.cwd, 'rlp.lock'), good)
      await leadsOn(here, ['lock', 'list'], 'lock update', { first, words: [V2] })
    })

    test('two locks of one host', async () => {
      const here = host('two-locks')
      await good(here, 'lock', 'add', V1, '--lock', 'a.lock', '--name', 'a')
      await good(here, 'lock', 'add', V2, '--lock', 'b.lock', '--name', 'b')
      const install = ['agent', 'install', '--lock', 'a.lock', '--lock', 'b.lock', '--yes']
      await leadsOn(here, install, 'lock update', { words: [V2, '--lock', 'a.lock'] })
      here.put('other', made({ name: 'other' }, RELEASE))
      await good(here, 'lock', 'add', 'other', '--lock', 'c.lock', '--name', 'a')
      const both = ['agent', 'install', '--lock', 'a.lock', '--lock', 'c.lock', '--yes']
      const first = () => rmSync(join(here.cwd, 'c.lock'))
      await leadsOn(here, both, 'lock add', { first, fill: { BUNDLE: 'other', NAME: 'c', FILE: 'c.lock' } })
    })

    test('weaker signatures than those that are installed', async () => {
      const here = host('weaker')
      here.put('both', made({}, RELEASE, REVIEW))
      await good(here, 'agent', 'install', 'both', '--yes')
      await lock(here)
      const args = ['agent', 'install', '--lock', 'rlp.lock', '--yes']
      await leadsOn(here, args, 'lock update', { words: ['both'] })
    })

    test('a downgrade that was installed', async () => {
      const here = host('downgrade')
      await good(here, 'agent', 'install', V2, '--yes')
      const down = ['agent', 'install', V1, '--allow-downgrade', '--yes']
      await leadsOn(here, down, 'trust reset', {})
    })

    test('an unpacked bundle that is a source, and what rlp did not pack', async () => {
      const here = host('foreign')
      writeTree(join(here.cwd, 'agents/src'), madeTree({ name: 'src' }))
      for (const refused of [
        ['agent', 'install', 'agents/src', '--yes'],
        ['agent', 'verify', 'agents/src'],
      ])
        await doesItInstead(here, refused, 'agent pack')
      await doesItInstead(here, ['trust', 'add', 'newcomer'], 'trust add', { fill: { KEY: NEW } })
    })
  })
}
