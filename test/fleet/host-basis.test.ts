// The digest over all that verdicts depend on beside bundles: two hosts that hold the same have the same, and one that lacks anything, or has
// one byte of it in another way, has another.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { hostBasis } from '../../src/fleet/host-basis.ts'
import type { FleetOptions } from '../../src/fleet/task.ts'
import { userPlaces } from '../../src/io/channel-places.ts'
import { channelWith, takenFrom, writeFollowed } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { POLICY } from '../support/trust-world.ts'

const folder = temporary('host-basis')
const before = process.env['RUNLOOP_HOME']
after(() => {
  if (before === undefined) delete process.env['RUNLOOP_HOME']
  else process.env['RUNLOOP_HOME'] = before
})

const LOCK = 'version = 1\n'
const NOW = new Date()
const KNOWN = await takenFrom(channelWith(POLICY, NOW), NOW)
const RELEASED_LATER = await takenFrom(channelWith(`${POLICY}\n# another\n`, NOW), NOW)

interface Host {
  readonly home: string
  /** Beside the home. */
  readonly at: string
  options: FleetOptions
  expect: string | undefined
}

/** What a host has, at a place of its own. */
function host(name: string): Host {
  const at = folder(name)
  const home = join(at, 'home')
  mkdirSync(home, { mode: 0o700 })
  put(join(home, 'trust-policy.toml'), POLICY)
  put(join(home, 'state/mini.json'), '{"version":1}')
  put(join(home, 'policy-overrides/mini/policy.caps'), 'version = 1\n')
  put(join(home, 'caps/overrides/mini.toml'), 'version = 1\n')
  put(join(home, 'agents/.rlp/stamps/mini'), `${'0'.repeat(64)} packed\n`)
  put(join(at, 'rlp.lock'), LOCK)
  put(join(at, 'statements.intoto.jsonl'), '{}\n')
  writeFollowed(userPlaces(home), KNOWN)
  const options: FleetOptions = {
    allowUnsigned: false,
    allowDev: false,
    trustPolicy: undefined,
    attestations: join(at, 'statements.intoto.jsonl'),
    locks: [join(at, 'rlp.lock')],
    root: undefined,
    env: {},
  }
  return { home, at, options, expect: undefined }
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, text, { mode: 0o600 })
}

async function basisOf({ home, options, expect }: Host): Promise<string> {
  process.env['RUNLOOP_HOME'] = home
  const digest = await hostBasis(options, expect)
  assert.match(digest, /^[0-9a-f]{64}$/)
  return digest
}

type Change = (host: Host) => void
const having =
  (change: Partial<FleetOptions>): Change =>
  host => {
    host.options = { ...host.options, ...change }
  }
const writing =
  (path: string, text: string): Change =>
  ({ at }) =>
    put(join(at, path), text)
const without =
  (path: string): Change =>
  ({ at }) =>
    rmSync(join(at, path), { recursive: true })

const CHANGES: Readonly<Record<string, Change>> = {
  'another policy': writing('home/trust-policy.toml', `${POLICY}\n`),
  'a policy that is no policy': writing('home/trust-policy.toml', 'x'),
  'no policy': without('home/trust-policy.toml'),
  'a policy that is named': host => {
    put(join(host.at, 'other.toml'), `${POLICY}\n# other\n`)
    having({ trustPolicy: join(host.at, 'other.toml') })(host)
  },
  'another mark': writing('home/state/mini.json', '{"version":2}'),
  'one mark more': writing('home/state/other.json', '{"version":1}'),
  'no marks': without('home/state'),
  'a state that is no folder': host => {
    without('home/state')(host)
    writing('home/state', '')(host)
  },
  'another override': writing('home/policy-overrides/mini/policy.caps', 'version = 1\n\n'),
  'an override for another agent': writing('home/policy-overrides/other/policy.caps', 'version = 1\n'),
  'another override by name': writing('home/caps/overrides/mini.toml', '\n'),
  'no override': without('home/policy-overrides'),
  'another installed file': writing('home/agents/.rlp/stamps/mini', `${'1'.repeat(64)} packed\n`),
  'no installed file': without('home/agents'),
  'another root': host => having({ root: join(host.at, 'root') })(host),
  'another lock': writing('rlp.lock', 'version = 1\nname = "house"\n'),
  'a lock that cannot be read': writing('rlp.lock', 'x'),
  'no lock': having({ locks: [] }),
  'other statements': writing('statements.intoto.jsonl', '{"a":1}\n'),
  'no statements': having({ attestations: undefined }),
  'unsigned bundles allowed': having({ allowUnsigned: true }),
  'development keys allowed': having({ allowDev: true }),
  'an expectation': host => {
    host.expect = 'mini'
  },
  'any expectation': host => {
    host.expect = 'any'
  },
  'another release of the channel': ({ home }) => {
    writeFollowed(userPlaces(home), RELEASED_LATER)
  },
  'a channel of which nothing is known': without('home/channels'),
  'no channel': host => {
    without('home/channels')(host)
    without('home/channels.toml')(host)
  },
  'an empty home': host => {
    without('home')(host)
    mkdirSync(host.home, { mode: 0o700 })
  },
  'no home': without('home'),
}

describe('two hosts', () => {
  test('that hold the same at different paths have the same digest', async () => {
    assert.equal(await basisOf(host('one')), await basisOf(host('two-with-a-longer-name')))
  })
  test('with the same policy that is named by different paths have the same digest', async () => {
    const [one, two] = ['named-one', 'named-two'].map(host) as [Host, Host]
    for (const [each, name] of [
      [one, 'a.toml'],
      [two, 'policies/b.toml'],
    ] as const) {
      put(join(each.at, name), POLICY)
      having({ trustPolicy: join(each.at, name) })(each)
    }
    assert.equal(await basisOf(one), await basisOf(two))
  })
  test('of which one has empty folders, locks of processes, and a link in place of its home have the same digest', async () => {
    const [one, two] = ['plain', 'linked'].map(host) as [Host, Host]
    mkdirSync(join(two.home, 'state/empty'))
    put(join(two.home, 'state/.lock'), '1')
    put(join(two.home, 'agents/mini.agent.bundle'), 'judged by its stamp')
    symlinkSync(two.home, join(two.at, 'link'))
    assert.equal(await basisOf(one), await basisOf({ ...two, home: join(two.at, 'link') }))
  })
  test('that each hold no marks, one in an empty folder, have the same digest', async () => {
    const [one, two] = ['no-state', 'empty-state'].map(host) as [Host, Host]
    for (const each of [one, two]) without('home/state')(each)
    mkdirSync(join(two.home, 'state'))
    assert.equal(await basisOf(one), await basisOf(two))
  })

  const seen = new Map<string, string>()
  for (const [name, change] of Object.entries(CHANGES))
    test(`of which one has ${name} have different digests`, async () => {
      const changed = host(name.replaceAll(' ', '-'))
      const plain = await basisOf(changed)
      change(changed)
      const digest = await basisOf(changed)
      assert.notEqual(digest, plain)
      // Nor is it that of another change: but an empty home is as good as none.
      if (name !== 'no home') assert.equal(seen.get(digest), undefined)
      seen.set(digest, name)
    })
})
