// Hints about keys, statements, modules, and what rlp doctor finds.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { secondAfter } from '../../../src/text/time.ts'
import { good, made, RELEASE, REVIEW, world } from '../install-world.ts'
import { LINT_FIXTURES, ROOT } from '../lint-fixtures.ts'
import { doesItInstead, type Following, keysIn, leadsOn, placeIn, shows } from './led.ts'

/** A key of the conformance kit. */
const TEST_KEY = 'ed25519:6IOVamFqliwbS9eN9T4UVMINDgTZF+sDhwUOu2nE+p4='
const BUNDLE = 'mini-1.0.0.agent.bundle'

export function hintsOfKeys(folder: (part: string) => string): void {
  function user(name: string) {
    const at = world(folder(name))
    keysIn(at.home, { release: 1 })
    at.put(BUNDLE, made({}, RELEASE))
    return { ...at, ...placeIn(at.cwd, at.home) }
  }
  type User = ReturnType<typeof user>
  type Case = readonly [
    before: (here: User) => unknown,
    args: readonly string[],
    name: string,
    following?: Following,
  ]
  const nothing = () => {}
  const UNENCRYPTED = ['--no-passphrase']
  const MAKES = { fill: { NAME: 'mine' }, words: UNENCRYPTED } as const
  const foreign = (here: User, text: string) => writeFileSync(join(here.cwd, 'k.pem'), text, { mode: 0o600 })
  const pem = (kind: string) => `-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`

  const instead: Readonly<Record<string, Case>> = {
    'no key to sign with': [nothing, ['agent', 'sign', BUNDLE], 'key generate', MAKES],
    'no key to attest with': [
      nothing,
      ['agent', 'sbom', BUNDLE, '--attest', 'x.jsonl'],
      'key generate',
      MAKES,
    ],
    'a key of another algorithm': [
      here => foreign(here, pem('RSA PRIVATE KEY')),
      ['agent', 'sign', BUNDLE, '--key', './k.pem'],
      'key generate',
      MAKES,
    ],
    'a key of ssh': [
      here => foreign(here, pem('OPENSSH PRIVATE KEY')),
      ['agent', 'sign', BUNDLE, '--key', './k.pem'],
      'key generate',
      MAKES,
    ],
    'a file that is no key': [
      here => foreign(here, 'x\n'),
      ['agent', 'sign', BUNDLE, '--key', './k.pem'],
      'key generate',
      MAKES,
    ],
    'a statement that is a signature': [
      here => writeFileSync(join(here.cwd, 'p.json'), '{}'),
      [
        'agent',
        'attest',
        BUNDLE,
        '--type',
        'urn:runloop:agent-bundle:v1',
        '--predicate',
        'p.json',
        '--key',
        'release',
      ],
      'agent sign',
      { words: [BUNDLE, '--key', 'release'] },
    ],
    'a statement that is a summary': [
      here => writeFileSync(join(here.cwd, 'p.json'), '{}'),
      [
        'agent',
        'attest',
        BUNDLE,
        '--type',
        'https://slsa.dev/verification_summary/v1',
        '--predicate',
        'p.json',
        '--key',
        'release',
      ],
      'agent verify',
      { fill: { BUNDLE, KEY: 'release', URI: 'https://ci.example/1' } },
    ],
    'a stored bundle to state the provenance of': [
      here => good(here, 'agent', 'push', BUNDLE, 'oci-layout:store'),
      [
        'agent',
        'provenance',
        'oci-layout:store:1.0.0',
        '--builder',
        'https://ci.example/1',
        '--key',
        'release',
      ],
      'agent push',
      { words: [BUNDLE, 'oci-layout:store'] },
    ],
  }
  const leads: Readonly<Record<string, Case>> = {
    'no keys at all': [
      here => rmSync(join(here.home, 'keys'), { recursive: true }),
      ['key', 'list'],
      'key generate',
      MAKES,
    ],
    'a key that is not there': [
      nothing,
      ['agent', 'sign', BUNDLE, '--key', 'mine'],
      'key generate',
      { words: UNENCRYPTED },
    ],
  }
  describe('keys', () => {
    for (const [what, [before, args, name, following]] of Object.entries(instead))
      test(what, async () => {
        const here = user(what)
        await before(here)
        await doesItInstead(here, args, name, following)
      })
    for (const [what, [before, args, name, following]] of Object.entries(leads))
      test(what, async () => {
        const here = user(what)
        await before(here)
        await leadsOn(here, args, name, following)
      })
    test('a public key that is not there', async () => {
      const here = user('public')
      await shows(here, ['agent', 'sign', BUNDLE, '--key', 'mine'], 'key list', /release/)
    })
  })

  const anchor = (about: string) => `[anchors]\nrelease = "${RELEASE.anchor}"\nold = ${about}\n`
  const policy = (here: User, text: string) => writeFileSync(join(here.home, 'trust-policy.toml'), text)
  const past = secondAfter(new Date(), -86_400)
  const doctor: Readonly<
    Record<string, readonly [before: (here: User) => unknown, name: string, following?: Following]>
  > = {
    'no home': [
      here => rmSync(here.home, { recursive: true }),
      'trust add',
      { fill: { NAME: 'release', KEY: RELEASE.anchor } },
    ],
    'no policy': [
      here => rmSync(join(here.home, 'trust-policy.toml')),
      'trust add',
      { fill: { NAME: 'release', KEY: RELEASE.anchor } },
    ],
    'a signer who ended': [
      here => policy(here, anchor(`{ key = "${REVIEW.anchor}", until = "${past}" }`)),
      'trust remove',
    ],
    'a test key': [here => policy(here, anchor(`"${TEST_KEY}"`)), 'trust remove'],
    'an agent that is no longer trusted': [
      async here => {
        await good(here, 'agent', 'install', BUNDLE, '--yes')
        await good(here, 'trust', 'revoke', 'release', '--reason', 'lost')
      },
      'agent uninstall',
      { words: ['--yes'] },
    ],
    'a state that is older': [
      async here => {
        await good(here, 'agent', 'install', BUNDLE, '--yes')
        rmSync(join(here.home, 'state/mini.json'))
      },
      'agent install',
      { words: ['--yes'] },
    ],
  }
  describe('rlp doctor', () => {
    for (const [what, [before, name, following]] of Object.entries(doctor))
      test(what, async () => {
        const here = user(what)
        await before(here)
        await leadsOn(here, ['doctor'], name, { ...following, refusedStill: true })
      })
    test('an agent that is no longer trusted, looked at', async () => {
      const here = user('doctor-verify')
      await good(here, 'agent', 'install', BUNDLE, '--yes')
      await good(here, 'trust', 'revoke', 'release', '--reason', 'lost')
      await shows(here, ['doctor'], 'agent verify', /revoked/, { exit: 1 })
    })

    test('a key that cannot be read', async () => {
      const here = user('doctor-key')
      writeFileSync(join(here.home, 'keys/broken.pem'), 'x\n', { mode: 0o600 })
      await shows(here, ['doctor'], 'key show', /holds no key/, { exit: 2 })
    })
  })

  const modules: Readonly<Record<string, string>> = {
    'no module': '',
    'no WebAssembly': 'wasm/not-wasm',
    'a component': 'wasm/component',
    'a library': 'wasm/no-entry',
    'no memory': 'wasm/no-memory',
  }
  describe('a module that cannot run', () => {
    for (const [what, fixture] of Object.entries(modules))
      test(what, async () => {
        const here = user(what)
        await good(here, 'agent', 'scaffold', 'mini')
        const path = join(here.cwd, 'agents/mini/bin/mini.wasm')
        const stub = readFileSync(path)
        if (fixture === '') rmSync(path)
        else {
          const from = join(ROOT, LINT_FIXTURES, fixture, 'agent')
          const manifest = readFileSync(join(from, 'manifest.toml'), 'utf8')
          copyFileSync(join(from, /bin\/\w+\.wasm/.exec(manifest)?.[0] ?? ''), path)
        }
        const run = ['agent', 'run', 'agents/mini', '--unverified']
        await doesItInstead(here, run, 'agent digest', {
          first: () => writeFileSync(path, stub),
          words: ['mini'],
        })
        assert.equal((await here.say(...run)).exit, 0)
      })
  })
}
