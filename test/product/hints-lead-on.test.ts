// Hints that name a command: the command is run as it is written, and what was refused is another state afterwards. A hint whose command
// changes nothing sends people in a circle. The last test reads src/, and finds each hint that no test has met.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { temporary } from '../support/folder.ts'
import { hintsInSource, madeOf } from '../support/hints/in-source.ts'
import { allLed, hintIn, leadsOn } from '../support/hints/led.ts'
import { NOT_LED } from '../support/hints/not-led.ts'
import { hintsOfAuthors } from '../support/hints/of-authors.ts'
import { hintsOfChannels } from '../support/hints/of-channels.ts'
import { hintsOfFindings } from '../support/hints/of-findings.ts'
import { hintsOfHosts } from '../support/hints/of-hosts.ts'
import { hintsOfKeys } from '../support/hints/of-keys.ts'
import { hintsOfRegistries } from '../support/hints/of-registries.ts'
import { made, RELEASE, type World, world } from '../support/install-world.ts'
import { readSources } from '../support/source.ts'

const folderFor = temporary('hints-lead-on')

type Answer = Awaited<ReturnType<World['rlp']>>

const verdictOf = ({ envelope }: Answer) => envelope.result?.bundles?.[0]?.verdict

/** A host whose policy has one rule for the signer of a bundle. */
function host(name: string, rule: string, caps: string): World {
  const here = world(folderFor(name))
  writeFileSync(
    join(here.home, 'trust-policy.toml'),
    `[anchors]\nrelease = "${RELEASE.anchor}"\n[rules]\nrelease = ${rule}\n`,
  )
  here.put('b', made({ caps }, RELEASE))
  return here
}

const policyOf = (here: World) => readFileSync(join(here.home, 'trust-policy.toml'), 'utf8')
const VERIFY = ['agent', 'verify', 'b'] as const
const YES = { words: ['--yes'] }
const HTTP = 'net = { hosts = ["127.0.0.1:9911"], allow_http = true }\n'

describe('policy_denied', () => {
  const proposed: Readonly<Record<string, readonly [rule: string, caps: string]>> = {
    'a capability': ['{ allow_caps = ["time"], agents = ["mini"] }', 'time = true\nkb_read = ["drafts"]\n'],
    'a host': ['{ allow_net = ["a.example:443"], agents = ["mini"] }', 'net = ["b.example:443"]\n'],
    'a program': ['{ allow_exec = ["/usr/bin/jq"], agents = ["mini"] }', 'exec = ["/usr/bin/sort"]\n'],
    'every program': ['{ allow_exec = ["/usr/bin/jq"], agents = ["mini"] }', 'exec = true\n'],
    'plain http': ['{ allow_net = ["127.0.0.1:9911"], agents = ["mini"] }', HTTP],
    'plain http that is forbidden beside any host': [
      '{ allow_net = "any", allow_http = [], agents = ["mini"] }',
      HTTP,
    ],
    'plain http beside a further host': [
      '{ allow_net = ["127.0.0.1:9911"], allow_http = ["127.0.0.1:9911"], agents = ["mini"] }',
      HTTP.replace(']', ', "b.example:443"]'),
    ],
    'another agent': ['{ allow_caps = "any", agents = ["other"] }', 'time = true\n'],
  }
  for (const [what, [rule, caps]] of Object.entries(proposed))
    test(`${what}: the hint makes it trusted`, async () => {
      const here = host(what.replaceAll(' ', '-'), rule, caps)
      assert.equal(verdictOf(await leadsOn(here, VERIFY, 'trust add', YES)), 'trusted')
    })

  test('no signer with a rule', async () => {
    const here = host('no-rule', '{}', 'time = true\n')
    writeFileSync(join(here.home, 'trust-policy.toml'), `[anchors]\nrelease = "${RELEASE.anchor}"\n`)
    assert.equal(verdictOf(await leadsOn(here, VERIFY, 'trust add', YES)), 'trusted')
  })

  test('a place where the rule lets no secret go', async () => {
    const rule =
      '{ allow_caps = ["secrets:s"], allow_net = ["a.example:443", "b.example:443"], secrets_to = { s = ["a.example:443"] }, agents = ["mini"] }'
    const here = host('secret', rule, 'secrets = ["s"]\nnet = ["a.example:443", "b.example:443"]\n')
    assert.equal(verdictOf(await leadsOn(here, VERIFY, 'trust add')), 'trusted')
    assert.match(policyOf(here), /secrets_to = \{ s = \["a\.example:443", "b\.example:443"\] \}/)
  })

  const silent: Readonly<Record<string, readonly [rule: string, caps: string, says: RegExp]>> = {
    'plain http to a host without a port': [
      '{ allow_net = ["a.example"], agents = ["mini"] }',
      'net = { hosts = ["a.example"], allow_http = true }\n',
      /policy\.caps has a\.example without one: write the port that is used there, a\.example:443 for https or a\.example:80 for http/,
    ],
    'an unknown family': [
      '{ allow_caps = "any", agents = ["mini"] }',
      'gpu = true\n',
      /No rule can grant "gpu"/,
    ],
    'plain http beside a secret with a list': [
      '{ allow_caps = ["secrets:s"], allow_net = ["127.0.0.1:9911"], secrets_to = { s = ["127.0.0.1:9911"] }, agents = ["mini"] }',
      `secrets = ["s"]\n${HTTP}`,
      /net:allow_http beside secrets:s, which secrets_to lets go to other places only/,
    ],
    'an agent whose rule is for others too': [
      '{ allow_caps = ["time"], agents = ["mini", "other"] }',
      'model = true\n',
      /edit \S+trust-policy\.toml, because its rule is for mini, other, so other would be granted the same/,
    ],
    'an agent whose rule is for every agent': [
      '{ allow_net = ["127.0.0.1:9911"] }',
      HTTP,
      /edit \S+trust-policy\.toml, because its rule is for every agent/,
    ],
  }
  for (const [what, [rule, caps, says]] of Object.entries(silent))
    test(`${what}: no command is proposed that changes nothing`, async () => {
      const here = host(what.replaceAll(' ', '-'), rule, caps)
      const before = await here.rlp(...VERIFY)
      assert.equal(verdictOf(before), 'policy_denied', JSON.stringify(before.envelope))
      const hint = hintIn(before)
      assert.match(hint, says)
      assert.doesNotMatch(hint, /rlp trust add/)
      // The command of before is what changes nothing.
      await here.rlp('trust', 'add', 'release', '--for', 'b', '--yes')
      assert.equal(verdictOf(await here.rlp(...VERIFY)), 'policy_denied')
    })
})

test('plain http that leaves this machine is called unencrypted over the network', async () => {
  const here = host('clear', '{ allow_net = "any" }', HTTP)
  const explained = async () => (await here.say('trust', 'explain', 'b')).stdout.replace(/\s+/g, ' ')
  assert.match(await explained(), /release may grant what policy\.caps asks/)
  assert.doesNotMatch(await explained(), /unencrypted/)
  here.put('b', made({ caps: HTTP.replace('127.0.0.1', 'a.example') }, RELEASE))
  assert.match(await explained(), /policy\.caps asks; unencrypted over the network: a\.example:9911/)
  writeFileSync(join(here.home, 'trust-policy.toml'), `[anchors]\nrelease = "${RELEASE.anchor}"\n`)
  const added = await here.say('trust', 'add', 'release', '--for', 'b', '--dry-run')
  assert.match(
    added.stdout.replace(/\s+/g, ' '),
    /plain http to a\.example:9911, unencrypted over the network/,
  )
})

hintsOfChannels(folderFor)
hintsOfRegistries(folderFor)
hintsOfHosts(folderFor)
hintsOfKeys(folderFor)
hintsOfAuthors(folderFor)
hintsOfFindings(folderFor)

test('each command that a hint in src/ names is run above, or it says why not', () => {
  const sources = readSources()
  const all = hintsInSource(
    sources,
    REGISTRY.commands.map(({ name }) => name),
  )
  sources.close()
  // A text that is found shows that the others are looked for.
  assert.ok(all.some(({ text }) => text === 'Run rlp channel pull first'))
  const led = allLed()
  const used = new Set<string>()
  const open = all.flatMap(({ place, text, names }) => {
    const path = place.replace(/:\d+$/, '')
    const reason = NOT_LED.find(([where, begins]) => where === path && text.startsWith(begins))
    const isMade = madeOf(text)
    const missing = names.filter(name => !led.some(one => one.name === name && isMade(one.hint)))
    if (reason !== undefined) used.add(`${path}: ${reason[1]}`)
    if ((reason === undefined) === (missing.length === 0)) return []
    const state = reason === undefined ? `rlp ${missing.join(', rlp ')} is not run` : 'needs no reason'
    return [`${place}: ${state}: ${text.slice(0, 200)}`]
  })
  const gone = NOT_LED.map(([path, begins]) => `${path}: ${begins}: is gone`)
  const problems = [...open, ...gone.filter(one => !used.has(one.replace(/: is gone$/, '')))]
  if (problems.length > 0) assert.fail(problems.join('\n'))
})
