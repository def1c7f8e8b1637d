// One rule for a team: {agent} in its scopes stands for the name of the agent that a bundle is, so that each agent gets a folder of its own. The name is
// the signer's choice, and may be any name: none leads out of its segment.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { isAgentName } from '../../src/agent/agent-name.ts'
import type { Ceiling } from '../../src/model/trust.ts'
import { readPolicy } from '../../src/policy/read.ts'
import { comparePolicies } from '../../src/trust/compare-policies.ts'
import { excessOver, filledRule, ruleWords } from '../../src/trust-policy/rule-fields/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { runs } from '../support/runs.ts'
import { judge, KEYS, policySource, signed, wordsOf } from '../support/trust-world.ts'

const folderFor = temporary('team-rule')
const numRuns = runs(500)
const quoted = (list: readonly string[]) => `[${list.map(text => JSON.stringify(text)).join(', ')}]`
const policyWith = (rule: string) =>
  `[anchors]\nrelease = "${KEYS.release.anchor}"\n\n[rules]\nrelease = { ${rule} }\n`
const allowing = (...scopes: string[]) => policyWith(`allow_caps = ${quoted(scopes)}, agents = ["mail_*@*"]`)
const asking = (name: string, caps: string, variant?: string) => {
  const files = { 'policy.caps': `[capabilities]\n${caps}\n`, 'README.md': `# ${name}\n` }
  return signed(agentTree({ name, ...(variant !== undefined && { variant }), files }), 'release')
}
const verdictOf = async (rule: string, name: string, caps: string, variant?: string) =>
  wordsOf(await judge(asking(name, caps, variant), { policies: [rule] }))
const ruleIn = (text: string): Ceiling => {
  const { policy, problems } = policySource(text)
  assert.deepEqual(problems, [])
  return policy?.rules.get('release') as Ceiling
}
const BEYOND = ['policy_denied', 'beyond_ceiling']
const TRUSTED = ['trusted', undefined]

describe('a rule with {agent}', () => {
  const TEAM = allowing('fs:~/.runloop/artifacts/{agent}')
  test('lets each agent of a team use its own folder, and not that of another', async () => {
    for (const name of ['mail_98', 'mail_99']) {
      assert.deepEqual(await verdictOf(TEAM, name, `fs = ["~/.runloop/artifacts/${name}"]`), TRUSTED)
      assert.deepEqual(await verdictOf(TEAM, name, `fs = ["~/.runloop/artifacts/${name}/in/"]`), TRUSTED)
    }
    for (const folder of ['mail_98', 'mail_9', 'mail_999', 'mail_99_', 'MAIL_99', ''])
      assert.deepEqual(await verdictOf(TEAM, 'mail_99', `fs = ["~/.runloop/artifacts/${folder}"]`), BEYOND)
  })
  test('puts in the name without its variant', async () => {
    const caps = (folder: string) => `fs = ["~/.runloop/artifacts/${folder}"]`
    assert.deepEqual(await verdictOf(TEAM, 'mail_99', caps('mail_99'), 'pro'), TRUSTED)
    assert.deepEqual(await verdictOf(TEAM, 'mail_99', caps('mail_99@pro'), 'pro'), BEYOND)
  })
  test('takes it in every family with scopes, more than once, and in any segment', async () => {
    for (const [scope, caps, other] of [
      ['fs_ro:/srv/{agent}/{agent}', 'fs_ro = ["/srv/mail_1/mail_1"]', 'fs_ro = ["/srv/mail_1/mail_2"]'],
      ['fs_rw:/{agent}', 'fs_rw = ["/mail_1/x"]', 'fs_rw = ["/mail_2"]'],
      ['kb_read:{agent}', 'kb_read = ["mail_1"]', 'kb_read = ["mail_2"]'],
      ['kb_read.{agent}', 'kb_read = ["mail_1"]', 'kb_read = ["mail_1/x"]'],
      ['kb_write:team/{agent}', 'kb_write = ["team/mail_1"]', 'kb_write = ["team/mail_2"]'],
      ['secrets:runloop/{agent}/key', 'secrets = ["runloop/mail_1/key"]', 'secrets = ["runloop/mail_2/key"]'],
    ] as const) {
      assert.deepEqual(await verdictOf(allowing(scope), 'mail_1', caps), TRUSTED, scope)
      assert.deepEqual(await verdictOf(allowing(scope), 'mail_1', other), BEYOND, scope)
    }
  })
  test('says what it allows the agent when it denies', async () => {
    const { report } = await judge(asking('mail_99', 'fs = ["~/.runloop/artifacts/mail_98"]'), {
      policies: [TEAM],
    })
    assert.equal(
      report.reasons[0]?.message.includes('its rule has fs:~/.runloop/artifacts/mail_99 for mail_99'),
      true,
      report.reasons[0]?.message,
    )
  })
})

describe('names of secrets_to', () => {
  const rule = (list: string) =>
    policyWith(
      `allow_caps = ["secrets:vendor/{agent}", "secrets:vendor/mail_1", "model"], secrets_to = { ${list} }`,
    )
  const caps = 'secrets = ["vendor/mail_1"]\nmodel = true'
  test('stand for the secret of each agent', async () => {
    assert.deepEqual(await verdictOf(rule('"vendor/{agent}" = ["model"]'), 'mail_1', caps), TRUSTED)
    assert.deepEqual(await verdictOf(rule('"vendor/{agent}" = []'), 'mail_1', caps), BEYOND)
    assert.deepEqual(await verdictOf(rule('"vendor/{agent}" = []'), 'mail_2', caps), TRUSTED)
  })
  test('that become one name hold together', async () => {
    const both = (one: string, other: string) =>
      rule(`"vendor/{agent}" = [${one}], "vendor/mail_1" = [${other}]`)
    assert.deepEqual(await verdictOf(both('"model"', '"model", "fs"'), 'mail_1', caps), TRUSTED)
    assert.deepEqual(await verdictOf(both('"model"', '"fs"'), 'mail_1', caps), BEYOND)
    assert.deepEqual(await verdictOf(both('"fs"', '"model"'), 'mail_1', caps), BEYOND)
  })
})

describe('a brace', () => {
  test('that is not {agent} as a whole segment makes a rule malformed', () => {
    const good = ['fs:/srv/{agent}', 'kb_read:{agent}', 'secrets:a/{agent}/b', 'fs:~/{agent}/']
    for (const scope of good) assert.deepEqual(policySource(allowing(scope)).problems, [], scope)
    for (const scope of [
      'fs:/srv/x{agent}',
      'fs:/srv/{agent}x',
      'fs:/srv/{agent}{agent}',
      'fs:/srv/{Agent}',
      'fs:/srv/{ agent }',
      'fs:/srv/{{agent}}',
      'fs:/srv/{name}',
      'fs:/srv/{agent',
      'fs:/srv/agent}',
      'fs:{agent}/srv',
      'kb_read:drafts.{agent}',
      'kb_write:{}',
      'secrets:env/{agent}_KEY',
      'time:{agent}',
    ])
      assert.equal(policySource(allowing(scope)).policy, undefined, scope)
    for (const rule of [
      'allow_net = ["{agent}.example:443"]',
      'allow_net = ["{agent}"]',
      'allow_exec = ["/opt/{agent}"]',
      'allow_exec = ["/opt/{a}/b"]',
      'agents = ["{agent}"]',
      'allow_caps = ["secrets"], secrets_to = { "a{agent}" = [] }',
      'allow_caps = ["secrets"], secrets_to = { "{x}" = [] }',
      'allow_caps = "any", secrets_to = { s = ["/opt/{agent}"] }',
      'allow_caps = "any", secrets_to = { s = ["{agent}:443"] }',
    ])
      assert.equal(policySource(policyWith(rule)).policy, undefined, rule)
  })
  test('in what a bundle asks is an error of the bundle', async () => {
    const ANY = policyWith('allow_caps = "any", allow_net = "any", allow_exec = true')
    for (const [good, bad] of [
      ['fs = ["/srv/agent"]', 'fs = ["/srv/{agent}"]'],
      ['kb_read = ["agent"]', 'kb_read = ["{agent}"]'],
      ['secrets = ["a/b"]', 'secrets = ["a/{b"]'],
      ['exec = ["/opt/x"]', 'exec = ["/opt/{x}"]'],
    ] as const) {
      assert.deepEqual(await verdictOf(ANY, 'mail_1', good), TRUSTED, good)
      assert.deepEqual(await verdictOf(ANY, 'mail_1', bad), ['invalid', 'caps/entry'], bad)
    }
  })
  test('is inside no list of scopes, and inside a whole family', () => {
    const caps = readPolicy({ capabilities: { fs: ['/srv/{agent}'] } })
    const plain = readPolicy({ capabilities: { fs: ['/srv/agent'] } })
    const rule = (...scopes: string[]) => filledRule(ruleIn(allowing(...scopes)), 'mail_1')
    assert.deepEqual(excessOver(rule('fs:/srv'), plain), [])
    for (const scope of ['fs:/srv', 'fs:/', 'fs:/srv/{agent}'])
      assert.equal(excessOver(rule(scope), caps).length, 1, scope)
    assert.deepEqual(excessOver(rule('fs'), caps), [])
    // A rule that is not filled in matches nothing either.
    assert.equal(excessOver(ruleIn(allowing('fs:/srv/{agent}')), caps).length, 1)
  })
})

describe('no name of an agent leaves its segment', () => {
  const NAME = fc.oneof(
    fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/),
    fc.constantFrom('agent', 'con', 'a', 'a'.repeat(200), 'etc', 'root'),
  )
  const HOSTILE = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc
      .array(fc.constantFrom('..', '.', '/', '\\', '~', '*', '{agent}', 'a', ':', '\0', '@', ''), {
        maxLength: 5,
      })
      .map(parts => parts.join('')),
  )
  const SEGMENT = fc.constantFrom('{agent}', 'srv', 'x', 'agent')
  const PATH = fc
    .tuple(fc.constantFrom('/', '~/'), fc.array(SEGMENT, { minLength: 1, maxLength: 4 }))
    .map(([start, parts]) => start + parts.join('/'))
  const scopeOf = (path: string, name: string) => {
    const rule = filledRule(ruleIn(allowing(`fs:${path}`)), name)
    return (rule.allowCaps as readonly string[])[0]?.slice('fs:'.length) ?? ''
  }
  test('each segment stays where it is, and only {agent} is replaced', () => {
    fc.assert(
      fc.property(PATH, fc.oneof(NAME, HOSTILE), (path, name) => {
        const [before, after] = [path.split('/'), scopeOf(path, name).split('/')]
        assert.equal(after.length, before.length)
        for (const [at, segment] of before.entries())
          assert.equal(after[at], segment === '{agent}' && isAgentName(name) ? name : segment)
      }),
      { numRuns },
    )
  })
  test('of two agents, neither gets what is in the segment of the other', () => {
    fc.assert(
      fc.property(NAME, NAME, fc.constantFrom('fs', 'kb_read', 'secrets'), (one, other, family) => {
        fc.pre(one !== other && isAgentName(one) && isAgentName(other))
        const start = family === 'fs' ? '/srv/' : 'x/'
        const rule = filledRule(ruleIn(allowing(`${family}:${start}{agent}`)), one)
        const asks = (name: string) => readPolicy({ capabilities: { [family]: [`${start}${name}`] } })
        assert.deepEqual(excessOver(rule, asks(one)), [])
        assert.equal(excessOver(rule, asks(other)).length, 1)
        if (family === 'fs') assert.equal(excessOver(rule, asks(`${other}/${one}`)).length, 1)
      }),
      { numRuns },
    )
  })
})

describe('shown', () => {
  const TEAM = allowing('fs:/srv/{agent}')
  const folder = folderFor('shown')
  const rlp = async (...args: string[]) => {
    process.env['RUNLOOP_HOME'] = folder
    const { stdout } = await run(args, undefined, { cwd: folder })
    return stdout.replace(/\s+/g, ' ')
  }
  before(() => {
    writeFileSync(join(folder, 'trust-policy.toml'), TEAM, { mode: 0o600 })
    for (const name of ['mail_1', 'mail_2'])
      writeFileSync(join(folder, `${name}.agent.bundle`), bundleOf(asking(name, 'fs = ["/srv/mail_1"]')))
  })
  test('explain shows the name, for and against', async () => {
    const said = (name: string) => rlp('trust', 'explain', `${name}.agent.bundle`)
    assert.match(
      await said('mail_1'),
      /may grant what policy.caps asks: its rule has fs:\/srv\/mail_1 for mail_1/,
    )
    assert.match(await said('mail_2'), /not grant fs:\/srv\/mail_1: its rule has fs:\/srv\/mail_2 for mail_2/)
  })
  test('add --for shows the name', async () => {
    const text = await rlp('trust', 'add', 'release', '--for', 'mail_2.agent.bundle', '--dry-run')
    assert.match(text, /release may grant fs:\/srv\/\{agent\} to mail_\*@\*/)
    assert.match(text, /release may grant fs:\/srv\/mail_2, fs:\/srv\/mail_1 to mail_2/)
  })
  test('what more a variant may use is named with the name without it', async () => {
    const text = await rlp(
      ...['trust', 'add', 'release', '--allow-caps', 'kb_read:{agent}', '--agent', 'mail_2@pro', '--dry-run'],
    )
    assert.match(text, /\+.*kb_read:\{agent\}/)
    assert.match(text, /release may grant fs:\/srv\/mail_2, kb_read:mail_2 to mail_2@pro/)
  })
  test('a rule for one agent is shown with its name', () => {
    assert.match(ruleWords(ruleIn(TEAM)).what, /fs:\/srv\/\{agent\}/)
    assert.match(ruleWords(filledRule(ruleIn(TEAM), 'mail_1')).what, /fs:\/srv\/mail_1/)
  })
  test('a rule that gained it is wider for every agent that it names', () => {
    const policy = (list: string, agents: string) => {
      const source = policySource(policyWith(`allow_caps = [${list}], agents = [${agents}]`))
      assert.ok(source.policy)
      return source.policy
    }
    const said = (before: string, after: string, agents = '"mail_*", "notes"') =>
      comparePolicies(policy(before, agents), policy(after, agents)).widened.map(
        ({ agents, says }) => `${agents?.join(' ')}: ${says}`,
      )
    const OWN = '"fs:/srv/{agent}"'
    assert.deepEqual(said(OWN, OWN), [])
    assert.deepEqual(said('"time"', `"time", ${OWN}`), [
      'mail_*: release may now grant fs:/srv/{agent}',
      'notes: release may now grant fs:/srv/notes',
    ])
    // The folder above holds it, and the folder of one agent does not.
    assert.deepEqual(said('"fs:/srv"', OWN), [])
    assert.deepEqual(said('"fs:/srv/notes"', OWN), ['mail_*: release may now grant fs:/srv/{agent}'])
    assert.deepEqual(said(OWN, '"fs:/srv/notes"'), ['mail_*: release may now grant fs:/srv/notes'])
    assert.deepEqual(said(OWN, '"fs:/srv"'), ['mail_* notes: release may now grant fs:/srv'])
  })
})
