// Hints that name a command: the command is run as it is written, and what was refused is another state afterwards. A hint whose command
// changes nothing sends people in a circle.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readWords } from '../../src/format/text/shell-words.ts'
import { writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { type Envelope, made, madeTree, OTHER, RELEASE, type World, world } from '../support/install-world.ts'

const folderFor = temporary('hints-lead-on')

type Answer = Awaited<ReturnType<World['rlp']>>

/** The reason that decided, or the error itself. */
function hintOf({ result, hint }: Envelope): string {
  const [report] = result?.bundles ?? []
  const text = report?.reasons[0]?.hint ?? hint
  assert.ok(text, 'there is a hint')
  return text
}

/** The command that a hint spells out, up to what is said of it. */
function commandIn(hint: string): readonly string[] {
  const [, line = ''] =
    /rlp ((?:agent|tool|trust|lock|key) .*?)(?= (?:shows|takes|and |which)|[,.]? [A-Z]|[;,]|$)/.exec(hint) ??
    []
  const words = readWords(line)
  if ('problem' in words) throw new Error(words.problem)
  assert.notEqual(words.value.length, 0, hint)
  return words.value
}

/** What is refused, the command of its hint, and what is said afterwards. */
async function leadsOn(here: World, args: readonly string[], ...more: readonly string[]): Promise<Answer> {
  const before = await here.rlp(...args)
  assert.notEqual(before.exit, 0, JSON.stringify(before.envelope))
  const command = commandIn(hintOf(before.envelope))
  const ran = await here.rlp(...command, ...more)
  assert.equal(ran.exit, 0, `${command.join(' ')}: ${JSON.stringify(ran.envelope)}`)
  const after = await here.rlp(...args)
  assert.notDeepEqual(after.envelope, before.envelope, `${command.join(' ')} changes nothing`)
  return after
}

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
      assert.equal(verdictOf(await leadsOn(here, VERIFY, '--yes')), 'trusted')
    })

  test('no signer with a rule', async () => {
    const here = host('no-rule', '{}', 'time = true\n')
    writeFileSync(join(here.home, 'trust-policy.toml'), `[anchors]\nrelease = "${RELEASE.anchor}"\n`)
    assert.equal(verdictOf(await leadsOn(here, VERIFY, '--yes')), 'trusted')
  })

  test('a place where the rule lets no secret go', async () => {
    const rule =
      '{ allow_caps = ["secrets:s"], allow_net = ["a.example:443", "b.example:443"], secrets_to = { s = ["a.example:443"] }, agents = ["mini"] }'
    const here = host('secret', rule, 'secrets = ["s"]\nnet = ["a.example:443", "b.example:443"]\n')
    assert.equal(verdictOf(await leadsOn(here, VERIFY)), 'trusted')
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
      const hint = hintOf(before.envelope)
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

describe('other hints', () => {
  test('an agent that is not in the lock, and one that the lock pins in another version', async () => {
    const here = world(folderFor('lock'))
    here.put('other.agent.bundle', made({ name: 'other' }, OTHER))
    await here.rlp('lock', 'add', 'other.agent.bundle', '--yes')
    here.put('mini.agent.bundle', made({ version: '1.0.0' }, RELEASE))
    const verify = ['agent', 'verify', 'mini.agent.bundle', '--lock', 'rlp.lock']
    assert.equal(verdictOf(await leadsOn(here, verify)), 'trusted')
    here.put('mini.agent.bundle', made({ version: '1.1.0' }, RELEASE))
    assert.equal(verdictOf(await leadsOn(here, verify)), 'trusted')
  })

  test('a file that was changed since it was digested', async () => {
    const here = world(folderFor('digest'))
    writeTree(join(here.cwd, 'mini'), madeTree())
    writeFileSync(join(here.cwd, 'mini/README.md'), '# changed\n')
    assert.equal((await leadsOn(here, ['agent', 'pack', 'mini'])).exit, 0)
  })

  test('an agent that is not there', async () => {
    const here = world(folderFor('no-agent'))
    await leadsOn(here, ['agent', 'lint', 'mini'])
  })

  test('what lint says of a digest', async () => {
    const here = world(folderFor('lint-digest'))
    await here.rlp('agent', 'scaffold', 'mini')
    writeFileSync(join(here.cwd, 'agents/mini/README.md'), '# changed\n')
    const findings = async () => JSON.stringify((await here.rlp('agent', 'lint', 'mini')).envelope)
    const before = await findings()
    assert.match(before, /If the change to the file is meant, run rlp agent digest/)
    assert.equal((await here.rlp('agent', 'digest', 'mini')).exit, 0)
    assert.doesNotMatch(await findings(), /digest-stale/)
  })

  test('a tool that policy.caps does not grant', async () => {
    const here = world(folderFor('grant'))
    await here.rlp('agent', 'scaffold', 'mini')
    const words = ['--url', 'https://a.example/', '--input-schema', 'nothing', '--result-schema', 'anything']
    await here.rlp('tool', 'add', 'mini', '--id', 't', '--description', 'Reads a page', ...words)
    const call = ['tool', 'call', 't', 'agents/mini', '--unverified', '--dry-run']
    const refused = await here.rlp(...call)
    assert.notEqual(refused.exit, 0)
    const { stderr } = await here.say('tool', 'call', 't', 'agents/mini', '--unverified')
    const [, advice = ''] = /its author can grant it: rlp (.*)$/m.exec(stderr) ?? []
    assert.equal((await here.rlp(...advice.replace('AGENT', 'mini').split(' '))).exit, 0, stderr)
    assert.equal((await here.rlp(...call)).exit, 0)
  })

  test('a tool that is there', async () => {
    const here = world(folderFor('tool'))
    await here.rlp('agent', 'scaffold', 'mini')
    const add = [
      'tool',
      'add',
      'mini',
      '--id',
      't',
      '--url',
      'https://a.example/',
      '--description',
      'Reads a page',
      '--input-schema',
      'nothing',
      '--result-schema',
      'anything',
    ]
    assert.equal((await here.rlp(...add)).exit, 0)
    const again = await here.rlp(...add)
    assert.notEqual(again.exit, 0)
    const edited = await here.rlp(...commandIn(hintOf(again.envelope)), '--description', 'Reads another page')
    assert.equal(edited.exit, 0, JSON.stringify(edited.envelope))
    assert.match(readFileSync(join(here.cwd, 'agents/mini/tools.json'), 'utf8'), /Reads another page/)
  })
})
