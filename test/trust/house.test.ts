// What a policy says beyond signers and rules, where it meets the rest: edits that keep it, ends that are warned of, and questions that are answered as a
// bundle would be.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { basisOf } from '../../src/fleet/judge.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { editTrustPolicy } from '../../src/trust/edit.ts'
import { answerTo } from '../../src/trust/question-file.ts'
import { endsSoon } from '../../src/verify/ends-soon.ts'
import { readReference } from '../../src/version/reference.ts'
import { agentTree } from '../support/agent.ts'
import {
  judge,
  KEYS,
  type KeyName,
  policySource,
  signed,
  trustContext,
  wordsOf,
} from '../support/trust-world.ts'

const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
security = "${KEYS.security.anchor}"
second = { key = "${KEYS.second.anchor}", until = "2026-12-01T00:00:00Z" }

[groups]
two = { of = ["release", "security", "second"], at_least = 2 } # any two

[rules]
two = { allow_caps = "any", agents = ["acme_*"] }
release = [
  { allow_caps = ["time"], agents = ["acme_*"] },
  { allow_caps = ["model"], agents = ["other"] },
]

[[require]]
agents = ["acme_*"]
signers = ["two"]

[[require]]
agents = ["brief"]
expires_within = "90d"

[floors]
acme_mail = "1.4.0"
`
const edited = (change: Parameters<typeof editTrustPolicy>[1]) => {
  const parsed = parseToml('trust-policy.toml', Buffer.from(POLICY))
  assert.ok(parsed.ok)
  return editTrustPolicy(parsed.document, change)
}

describe('an edit', () => {
  test('keeps groups, entries, floors and comments', () => {
    const text = edited({ do: 'add', name: 'dev', key: KEYS.dev.anchor, until: '2027-01-01T00:00:00Z' })
    const added = `dev = { key = "${KEYS.dev.anchor}", until = "2027-01-01T00:00:00Z" }\n`
    assert.ok(text.includes(added))
    assert.equal(text.replace(added, ''), POLICY)
  })
  test('gives an agent that a prefix names what the prefix allows, and more', () => {
    const text = edited({
      do: 'add',
      name: 'release',
      rules: [{ allowCaps: ['model'], agents: ['acme_mail'] }],
    })
    assert.match(text, /\{ allow_caps = \["time", "model"\], .*agents = \["acme_mail"\] \}/)
    assert.match(text, /\{ allow_caps = \["time"\], agents = \["acme_\*"\] \}/)
  })
  test('writes programs and places of secrets', () => {
    const rule = { allowCaps: ['secrets:s'], allowExec: ['/usr/bin/jq'], secretsTo: { s: ['/usr/bin/jq'] } }
    const text = edited({ do: 'add', name: 'security', rules: [{ ...rule, agents: ['x'] }] })
    assert.match(text, /allow_exec = \["\/usr\/bin\/jq"\], secrets_to = \{ s = \["\/usr\/bin\/jq"\] \}/)
  })
  test('writes a floor, a group and an entry, and leaves the rest', () => {
    const floor = edited({ do: 'floor', agents: 'cour*', version: '2.0.0' })
    assert.equal(floor.replace('"cour*" = "2.0.0"\n', ''), POLICY)
    assert.equal(
      edited({ do: 'floor', agents: 'acme_mail', version: '1.5.0' }),
      POLICY.replace('1.4.0', '1.5.0'),
    )
    const group = { name: 'pair', of: ['release', 'security'], atLeast: 2 }
    const line = 'pair = { of = ["release", "security"], at_least = 2 }\n'
    assert.equal(edited({ do: 'group', group }).replace(line, ''), POLICY)
    const three = edited({ do: 'group', group: { name: 'two', of: ['release'], atLeast: 3 } })
    assert.equal(three, POLICY.replace('at_least = 2', 'at_least = 3'))
    const entry = { agents: ['x_y'], signers: ['two'], signatures: 2, expiresWithin: 30 }
    const block =
      '\n[[require]]\nagents = ["x_y"]\nsigners = ["two"]\nsignatures = 2\nexpires_within = "30d"\n'
    const required = edited({ do: 'require', entry })
    assert.ok(required.includes(block))
    assert.equal(required.replace(block, ''), POLICY)
  })
  test('writes the first entry', () => {
    const text = `[anchors]\nrelease = "${KEYS.release.anchor}"\n`
    const parsed = parseToml('trust-policy.toml', Buffer.from(text))
    assert.ok(parsed.ok)
    const entry = { signers: ['release'], signatures: 1 }
    assert.equal(
      editTrustPolicy(parsed.document, { do: 'require', entry }),
      `${text}\n[[require]]\nsigners = ["release"]\n`,
    )
    const table = parseToml('trust-policy.toml', Buffer.from(`${text}[require]\nsignatures = 1\n`))
    assert.ok(table.ok)
    assert.throws(() => editTrustPolicy(table.document, { do: 'require', entry }), /is one table/)
  })
  test('that would be malformed is refused', () => {
    const group = { name: 'pair', of: ['release', 'none'], atLeast: 2 }
    assert.throws(() => edited({ do: 'group', group }), /it is no anchor/)
    const entry = { signers: ['none'], signatures: 1 }
    assert.throws(() => edited({ do: 'require', entry }), /no anchor and no group/)
  })
  test('never takes an anchor out of a group', () => {
    assert.throws(() => edited({ do: 'remove', name: 'security' }), /the group two names it/)
  })
})

test('an end is warned of 14 days before, if the signer counted', () => {
  const policies = [policySource(POLICY)]
  const codes = (now: string, counted: readonly string[]) =>
    endsSoon({ notAfter: undefined, policies, counted, now: new Date(now) }).map(({ code }) => code)
  assert.deepEqual(codes('2026-11-17T00:00:00Z', ['second']), ['anchor_ends_soon'])
  assert.deepEqual(codes('2026-11-16T23:59:59Z', ['second']), [])
  assert.deepEqual(codes('2026-11-17T00:00:00Z', ['release']), [])
  assert.deepEqual(codes('2026-12-01T00:00:01Z', ['second']), [])
})

test('a verdict of before an end is not used again after it', () => {
  const basis = (now: string) => {
    const trust = { ...trustContext({ policies: [POLICY] }), now: new Date(now) }
    const options = { allowUnsigned: false, allowDev: false } as Parameters<typeof basisOf>[0]['options']
    return basisOf({ sha256: '0', expect: 'any', options, locks: [], trust })
  }
  assert.equal(basis('2026-11-01T00:00:00Z'), basis('2026-12-01T00:00:00Z'))
  assert.notEqual(basis('2026-11-01T00:00:00Z'), basis('2026-12-01T00:00:01Z'))
})

describe('a question about an agent', () => {
  const SIGNERS: readonly (readonly KeyName[])[] = [
    [],
    ['release'],
    ['release', 'second'],
    ['stranger'],
    ['release', 'security'],
  ]
  const NOWS = ['2026-11-20T12:00:00Z', '2026-12-01T00:00:01Z']
  for (const agent of ['acme_mail', 'acme_mail@pro', 'brief', 'other'])
    test(`is answered as verify answers of such a bundle: ${agent}`, async () => {
      const { name = '', variant } = readReference(agent) ?? {}
      const seen = new Set<string>()
      for (const version of ['1.3.9', '1.4.0'])
        for (const notAfter of [undefined, '2026-11-21T00:00:00Z', '2027-06-01T00:00:00Z'])
          for (const signers of SIGNERS)
            for (const now of NOWS) {
              const caps = '[capabilities]\nmodel = true\n'
              const tree = agentTree({
                name,
                version,
                ...(variant && { variant }),
                files: { 'policy.caps': caps },
              })
              const options = notAfter === undefined ? {} : { notAfter }
              const bundle = signers.length === 0 ? tree : signed(tree, signers, options)
              const expected = wordsOf(await judge(bundle, { policies: [POLICY], now }))
              const keys = signers.map(name => KEYS[name].anchor)
              const about = { agent, version, signers: keys, notAfter, caps: { ...NO_GRANTS, model: true } }
              const asked = { dev: false, installed: [] }
              const { verdict, code } = answerTo(about, asked, [policySource(POLICY)], new Date(now))
              assert.deepEqual([verdict, code], expected, `${version} ${notAfter} ${signers} ${now}`)
              seen.add(`${verdict} ${code}`)
            }
      assert.ok(seen.size >= 4, [...seen].join())
    })
})
