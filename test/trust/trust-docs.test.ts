// docs/trust.md, docs/verdicts.md and docs/recovery.md against the code: the policies they show can be
// read and mean what the text says, the words and commands they name exist.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { withRoot } from '../../src/trust-policy/source.ts'
import { agentTree, digestOf } from '../support/agent.ts'
import { type Asked, answerTo, payloadOf, WORLD } from '../support/keyless-world.ts'
import { type Certifying, GITHUB, JOB, sigstoreWorld } from '../support/sigstore-world.ts'
import {
  ASKING,
  type JudgeOptions,
  judge,
  KEYS,
  type KeyName,
  POLICY,
  policySource,
  signed,
  wordsOf,
} from '../support/trust-world.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const read = (name: string) => readFileSync(join(DOCS, name), 'utf8')
const TRUST = read('trust.md')
const RECOVERY = read('recovery.md')
const VERDICT_PAGE = read('verdicts.md')

/** Each `ed25519:…` becomes a key of its own, in the order of the text. */
function withKeys(text: string): string {
  const keys = Object.values(KEYS).map(({ anchor }) => anchor)
  let next = 0
  return text.replaceAll('ed25519:…', () => keys[next++ % keys.length] ?? '')
}

test('every policy can be read', () => {
  const blocks = [...TRUST.matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  assert.equal(blocks.length, 13)
  for (const block of blocks.filter(text => !text.includes('[[question]]')))
    assert.deepEqual(policySource(withKeys(block)).problems, [])
})

describe('each example decides as the text beside it says', () => {
  const after = (heading: string) =>
    withKeys(/```toml\n([\s\S]*?)```/.exec(TRUST.split(`\n## ${heading}\n`)[1] ?? '')?.[1] ?? '')
  /** A bundle that asks for this, signed by the keys of the page in their order: the first is `release`, then `security`, then `second`. */
  const words = async (
    heading: string,
    asks: string,
    keys: readonly KeyName[],
    { name = 'mailer', variant, ...options }: JudgeOptions & { name?: string; variant?: string } = {},
  ) => {
    const tree = agentTree({
      name,
      ...(variant !== undefined && { variant }),
      files: { 'policy.caps': `[capabilities]\n${asks}\n` },
    })
    const bundle = keys.length === 0 ? tree : signed(tree, keys)
    return wordsOf(await judge(bundle, { policies: [after(heading)], ...options }))
  }
  const TRUSTED = ['trusted', undefined]
  const BEYOND = ['policy_denied', 'beyond_ceiling']

  test('one key', async () => {
    const asks = 'kb_read = ["drafts"]\nmodel = true\nnet = ["api.mail.example:443"]'
    assert.deepEqual(await words('One key', asks, ['release']), TRUSTED)
    assert.deepEqual(await words('One key', asks, ['release'], { name: 'other' }), [
      'policy_denied',
      'rule_for_other_agents',
    ])
    assert.deepEqual(await words('One key', `${asks}\ntime = true`, ['release']), BEYOND)
    assert.deepEqual(await words('One key', '', ['security']), ['untrusted', 'no_counted_signature'])
    assert.deepEqual(await words('One key', '', ['security'], { allowDev: true }), [
      'policy_denied',
      'no_rule',
    ])
    const [, end = ''] = /valid_until = "(.*?)"/.exec(TRUST) ?? []
    assert.deepEqual(await words('One key', asks, ['release'], { now: end }), TRUSTED)
    assert.deepEqual(await words('One key', asks, ['release'], { now: end.replace('00Z', '01Z') }), [
      'indeterminate',
      'trust_policy_unusable',
    ])
  })

  test('two of three', async () => {
    const two = 'Two of three people'
    const asks = 'kb_read = true\nnet = ["api.mail.example"]'
    for (const keys of [
      ['release', 'security'],
      ['release', 'second'],
      ['security', 'second'],
    ] as const)
      assert.deepEqual(await words(two, asks, keys), TRUSTED, keys.join())
    for (const key of ['release', 'second'] as const)
      assert.deepEqual(await words(two, asks, [key]), ['untrusted', 'too_few_signatures'])
    assert.deepEqual(await words(two, `${asks}\nexec = true`, ['release', 'security']), BEYOND)
    assert.deepEqual(await words(two, '', [], { allowUnsigned: true }), ['unsigned', 'no_signature'])
    const { report } = await judge(agentTree(), { policies: [after(two)], allowUnsigned: true })
    assert.deepEqual(
      report.reasons.map(({ code }) => code),
      ['no_signature', 'signature_required'],
    )
    const demanding = after(two).replace('[require]', '[require]\nanchors = ["reviewer"]')
    assert.deepEqual(await words(two, asks, ['release', 'second'], { policies: [demanding] }), TRUSTED)
    assert.deepEqual(await words(two, asks, ['release', 'security'], { policies: [demanding] }), [
      'untrusted',
      'required_signature_missing',
    ])
  })

  test('a folder for each agent', async () => {
    const own = 'A folder for each agent'
    const caps = (name: string) => `fs = ["~/.runloop/artifacts/${name}/in"]\nsecrets = ["mail/${name}/key"]`
    for (const name of ['mail_98', 'mail_99']) {
      assert.deepEqual(await words(own, caps(name), ['release'], { name }), TRUSTED)
      assert.deepEqual(await words(own, caps(name), ['release'], { name, variant: 'pro' }), TRUSTED)
      assert.deepEqual(await words(own, caps('mail_97'), ['release'], { name }), BEYOND)
    }
    assert.deepEqual(
      await words(own, 'fs = ["~/.runloop/artifacts"]', ['release'], { name: 'mail_98' }),
      BEYOND,
    )
    assert.deepEqual(await words(own, 'fs = ["/srv/{agent}"]', ['release'], { name: 'mail_98' }), [
      'invalid',
      'caps/entry',
    ])
    assert.notDeepEqual(policySource(after(own).replace('/{agent}"', '/x{agent}"')).problems, [])
  })

  test('a team', async () => {
    const team = 'A team and its agents'
    const mail = 'kb_read = ["mail"]\nfs_ro = ["/srv/mail/in"]\nnet = ["api.mail.example:443"]'
    const backup = 'time = true\nexec = ["/usr/bin/rsync"]'
    assert.deepEqual(await words(team, mail, ['release']), TRUSTED)
    assert.deepEqual(await words(team, mail, ['release'], { variant: 'pro' }), TRUSTED)
    assert.deepEqual(await words(team, mail, ['release'], { variant: 'test' }), [
      'policy_denied',
      'rule_for_other_agents',
    ])
    assert.deepEqual(await words(team, backup, ['release'], { name: 'backup' }), TRUSTED)
    assert.deepEqual(await words(team, backup, ['release']), BEYOND)
    const mailerAlone = after(team).replace('"mailer", "mailer@pro"', '"mailer"')
    assert.deepEqual(await words(team, mail, ['release'], { variant: 'pro', policies: [mailerAlone] }), [
      'policy_denied',
      'rule_for_other_agents',
    ])
  })

  test('some agents', async () => {
    const some = 'Some agents need more'
    const named = { name: 'acme_mail' }
    const MISSING = ['untrusted', 'required_signature_missing']
    assert.deepEqual(await words(some, 'model = true', ['security', 'second'], named), TRUSTED)
    assert.deepEqual(await words(some, 'model = true', ['security'], named), MISSING)
    assert.deepEqual(
      await words(some, 'model = true', ['security'], { name: 'acme_mail', variant: 'pro' }),
      MISSING,
    )
    assert.deepEqual(await words(some, 'time = true', ['release']), TRUSTED)
    assert.deepEqual(await words(some, 'time = true', ['security']), ['policy_denied', 'no_rule'])
    assert.deepEqual(await words(some, 'model = true', ['release']), BEYOND)
  })

  test('identities', async () => {
    const names = `blake3 = "${'0'.repeat(64)}"`
    const text = after('Identities').replace(names, `blake3 = "${digestOf(WORLD.rootBytes)}"`)
    const policy = withRoot(policySource(text), WORLD.rootBytes)
    const tree = agentTree({ name: 'mailer', files: { 'policy.caps': '[capabilities]\nmodel = true\n' } })
    const by = (certifying: Certifying, asked: Partial<Asked> = {}) =>
      answerTo({ policy, tree, lines: [WORLD.line(payloadOf(tree), certifying)], ...asked })
    const NOT = 'untrusted no_counted_signature'
    const job = (claims: Readonly<Record<number, string>>) => by({ claims: { ...JOB, ...claims } })
    const at = (ref: string) => {
      const config = `${JOB[12]}/.github/workflows/release.yml@${ref}`
      return { 9: config, 14: ref, 18: config }
    }
    assert.equal(await job({}), 'trusted')
    // Another repository whose name begins so, or is the same.
    assert.equal(await job({ 15: '987654321' }), NOT)
    const renamed = 'https://github.com/acme/mini-2'
    const config = `${renamed}/.github/workflows/release.yml@refs/tags/v1.0.0`
    assert.equal(await job({ 9: config, 12: renamed, 18: config }), 'trusted')
    assert.equal(await job({ 9: config, 12: renamed, 15: '987654321', 18: config }), NOT)
    assert.equal(await job(at('refs/heads/main')), NOT)
    assert.equal(await job({ 20: 'pull_request' }), NOT)
    for (const trigger of ['push', 'release', 'schedule', 'workflow_dispatch'])
      assert.equal(await job({ 20: trigger }), 'trusted')
    assert.equal(await job({ 9: 'https://github.com/acme/b/.github/workflows/b.yml@refs/heads/main' }), NOT)
    const person = (address: string) =>
      by({ claims: { 8: 'https://accounts.example' }, names: [[1, address]] })
    assert.equal(await person('ada@acme.example'), 'trusted')
    assert.equal(await person('alan@acme.example'), NOT)
    // Without the file, or with another one.
    for (const bytes of [undefined, sigstoreWorld().rootBytes]) {
      const without = withRoot(policySource(text), bytes)
      assert.equal(await by({}, { policy: without }), 'indeterminate trust_policy_unusable')
    }
    const revoked = `${text}[revoked]\n"oidc:${GITHUB}?repository_id=123456789" = {}\n`
    const revoking = withRoot(policySource(revoked), WORLD.rootBytes)
    assert.equal(await by({}, { policy: revoking }), 'revoked key_revoked')
    const twice = text.replace(
      '[anchors.ada]',
      `[anchors.again]\n${/issuer = .*\n[\s\S]*?\n\n/.exec(text)?.[0]}[anchors.ada]`,
    )
    assert.match(policySource(twice).problems.join(), /one certificate could fit it and ci/)
  })

  test('a vendor', async () => {
    const vendor = (asks: string, now = '2027-01-01T00:00:00Z') =>
      words('A vendor', asks, ['release'], { name: 'courier', now })
    assert.deepEqual(await vendor('exec = ["/usr/bin/jq"]'), TRUSTED)
    assert.deepEqual(await vendor('exec = ["/bin/sh"]'), BEYOND)
    assert.deepEqual(await vendor('exec = ["/usr/bin/jq"]', '2027-01-01T00:00:01Z'), [
      'untrusted',
      'anchor_ended',
    ])
    const asks = (hosts: string) => `secrets = ["vendor/key"]\nnet = [${hosts}]\nexec = ["/usr/bin/jq"]`
    const [api, cdn] = ['"api.vendor.example:443"', '"cdn.vendor.example:443"']
    assert.deepEqual(await vendor(asks(api)), TRUSTED)
    assert.deepEqual(await vendor(asks(`${api}, ${cdn}`)), BEYOND)
    assert.deepEqual(await vendor(`net = [${cdn}]`), TRUSTED)
  })

  test('an end', async () => {
    const tree = agentTree({ files: { 'policy.caps': '[capabilities]\nmodel = true\n' } })
    const ending = async (notAfter?: string) =>
      wordsOf(
        await judge(signed(tree, 'release', notAfter === undefined ? {} : { notAfter }), {
          policies: [after('An end')],
          now: '2026-11-20T12:00:00Z',
        }),
      )
    assert.deepEqual(await ending('2027-02-18T12:00:00Z'), TRUSTED)
    assert.deepEqual(await ending('2027-02-18T12:00:01Z'), ['untrusted', 'expires_too_late'])
    assert.deepEqual(await ending(), ['untrusted', 'expires_too_late'])
  })

  test('a floor', async () => {
    const floor = async (version: string, keys: readonly KeyName[] = ['release']) => {
      const tree = agentTree({ name: 'courier', version })
      const bundle = keys.length === 0 ? tree : signed(tree, keys)
      const options = { policies: [after('A floor')], allowUnsigned: true, allowDowngrade: true }
      return judge(bundle, options)
    }
    assert.deepEqual(wordsOf(await floor('1.4.0')), TRUSTED)
    assert.deepEqual(wordsOf(await floor('1.4.0+build')), TRUSTED)
    for (const version of ['1.3.9', '1.4.0-rc.1']) {
      const { report, bundle } = await floor(version)
      assert.deepEqual([report.reasons[0]?.code, bundle], ['below_floor', undefined])
    }
    const { report, bundle } = await floor('1.4.0', [])
    assert.deepEqual(
      report.reasons.map(({ code }) => code),
      ['no_signature', 'signature_required'],
    )
    assert.equal(bundle, undefined)
  })

  test('a statement', async () => {
    const demand = 'Demand a statement'
    assert.deepEqual(await words(demand, 'model = true', ['release']), ['untrusted', 'attestation_missing'])
    assert.deepEqual(await words(demand, 'model = true', ['security']), ['untrusted', 'no_counted_signature'])
    const without = after(demand).replace(/\[require\][\s\S]*/, '')
    assert.deepEqual(await words(demand, 'model = true', ['release'], { policies: [without] }), TRUSTED)
    assert.deepEqual(await words(demand, 'model = true', ['security'], { policies: [without] }), [
      'untrusted',
      'no_counted_signature',
    ])
  })

  test('plain http to hosts that are named', async () => {
    const heading = 'Plain http'
    const policy = withKeys(
      /```toml\n([\s\S]*?)```/.exec(TRUST.split(`\n### ${heading}\n`)[1] ?? '')?.[1] ?? '',
    )
    const under = (asks: string, rule = '') =>
      words(heading, asks, ['release'], {
        policies: [policy.replace(/^release = \{ allow_net.*$/m, rule || '$&')],
      })
    const asks = 'net = { hosts = ["127.0.0.1:9911"], allow_http = true }'
    const two = asks.replace(']', ', "api.mail.example:443"]')
    const both = '["127.0.0.1:9911", "api.mail.example:443"]'
    const BEYOND = ['policy_denied', 'beyond_ceiling']
    assert.deepEqual(await under(asks), TRUSTED)
    assert.deepEqual(await under(two), BEYOND)
    assert.deepEqual(await under(two, `release = { allow_net = ${both}, allow_http = ${both} }`), TRUSTED)
    assert.deepEqual(
      await under(two, `release = { allow_net = ${both}, allow_http = ["127.0.0.1:9911"] }`),
      BEYOND,
    )
    assert.deepEqual(await under(asks, 'release = { allow_http = ["127.0.0.1:9911"] }'), BEYOND)
    assert.deepEqual(await under(asks, 'release = { allow_net = ["127.0.0.1:9911"] }'), BEYOND)
    assert.deepEqual(await under(asks, 'release = { allow_net = "any" }'), TRUSTED)
    assert.deepEqual(await under(asks, 'release = { allow_net = "any", allow_http = [] }'), BEYOND)
  })

  test('a denied key and a denied bundle', async () => {
    const deny = 'Deny a key or a bundle'
    const { release } = KEYS
    const denied = after(deny).replace(/^"ed25519:[^"]*"/m, `"${release.anchor}"`)
    assert.deepEqual(await words(deny, '', ['release'], { policies: [denied] }), ['revoked', 'key_revoked'])
    const gone = denied.replace(/^release = .*$/m, '')
    assert.deepEqual(await words(deny, '', ['release'], { policies: [gone] }), [
      'untrusted',
      'no_counted_signature',
    ])
    const tree = agentTree({ name: 'mailer' })
    const bundle = after(deny).replace('0'.repeat(64), digestOf(String(tree['manifest.toml'])))
    for (const one of [tree, signed(tree, 'release')])
      assert.deepEqual(wordsOf(await judge(one, { policies: [bundle] })), ['revoked', 'bundle_revoked'])
  })
})

describe('a ceiling', () => {
  const rows = [...TRUST.matchAll(/^\| `(allow_[a-z]+ = .*?)` \|/gm)].map(([, rule = '']) => rule)
  /** What each row allows, and what it does not. */
  const CASES: Readonly<Record<string, readonly [allowed: readonly string[], beyond: readonly string[]]>> = {
    'allow_caps = ["kb_read:drafts"]': [['kb_read = ["drafts"]'], ['kb_read = ["other"]', 'kb_read = true']],
    'allow_caps = ["kb_read"]': [['kb_read = ["other"]', 'kb_read = true'], ['kb_write = ["drafts"]']],
    'allow_caps = ["fs_ro:/srv/mail"]': [
      ['fs_ro = ["/srv/mail"]', 'fs_ro = ["/srv/mail/in"]'],
      ['fs = ["/srv/mail"]', 'fs_rw = ["/srv/mail"]', 'fs_ro = ["/srv"]'],
    ],
    'allow_caps = ["fs_ro:/srv/{agent}"]': [
      ['fs_ro = ["/srv/mini"]', 'fs_ro = ["/srv/mini/in"]'],
      ['fs_ro = ["/srv/mailer"]', 'fs_ro = ["/srv"]', 'fs_rw = ["/srv/mini"]'],
    ],
    'allow_caps = "any"': [
      ['kb_write = true\nfs_rw = ["/"]\nsecrets = ["a"]\ntime = true\nmodel = true'],
      ['net = ["a.example"]', 'exec = true', 'gpu = true'],
    ],
    'allow_net = ["api.mail.example:443"]': [
      ['net = ["api.mail.example:443"]'],
      ['net = ["api.mail.example"]', 'net = ["api.mail.example:80"]', 'net = ["other.example:443"]'],
    ],
    'allow_net = "any"': [
      ['net = ["a.example"]', 'net = { hosts = ["a.example"], allow_http = true }'],
      ['exec = true'],
    ],
    'allow_http = ["127.0.0.1:9911"]': [
      [],
      ['net = { hosts = ["127.0.0.1:9911"], allow_http = true }', 'net = ["127.0.0.1:9911"]'],
    ],
    'allow_exec = ["/usr/bin/jq"]': [['exec = ["/usr/bin/jq"]'], ['exec = ["/bin/sh"]', 'exec = true']],
    'allow_exec = true': [['exec = ["/usr/bin/jq"]', 'exec = true'], ['time = true']],
  }

  test('has a case for each row', () => assert.deepEqual(rows, Object.keys(CASES)))

  for (const [rule, [allowed, beyond]] of Object.entries(CASES))
    test(rule, async () => {
      const policies = [`[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = { ${rule} }\n`]
      const wordOf = async (asks: string) => {
        const tree = agentTree({ files: { 'policy.caps': `[capabilities]\n${asks}\n` } })
        return wordsOf(await judge(signed(tree, 'release'), { policies }))
      }
      for (const asks of allowed) assert.deepEqual(await wordOf(asks), ['trusted', undefined], asks)
      for (const asks of beyond)
        assert.deepEqual(await wordOf(asks), ['policy_denied', 'beyond_ceiling'], asks)
    })
})

describe('what the pages say of a policy that decides nothing', () => {
  const MALFORMED = '[unknown]\n'
  const sound = signed(ASKING, 'release')
  const damaged = { ...sound, 'README.md': 'changed\n' }
  const says = (page: string, words: string) =>
    assert.ok(page.replace(/\s+/g, ' ').includes(words), `${words} is not in the page`)

  test('a malformed one: a sound bundle is indeterminate, signed or not, and a damaged one invalid', async () => {
    says(TRUST, 'the verdict of every sound bundle, signed or not, is `indeterminate`')
    says(TRUST, 'A bundle that contradicts itself is `invalid` all the same.')
    says(RECOVERY, 'Every verdict of a sound bundle is `indeterminate`')
    says(RECOVERY, 'A damaged bundle is still `invalid`.')
    says(VERDICT_PAGE, 'With a malformed trust policy a damaged bundle is still `invalid`')
    assert.equal((await judge(sound, { policies: [POLICY] })).report.verdict, 'trusted')
    for (const [tree, verdict] of [
      [sound, 'indeterminate'],
      [ASKING, 'indeterminate'],
      [damaged, 'invalid'],
    ] as const)
      assert.equal((await judge(tree, { policies: [MALFORMED] })).report.verdict, verdict)
  })

  test('none at all: a signed bundle is indeterminate, and an unsigned one unsigned', async () => {
    says(TRUST, 'a signed bundle is `indeterminate` (`no_trust_policy`), and an unsigned one is `unsigned`')
    says(
      VERDICT_PAGE,
      'Without any policy a signed bundle is `indeterminate`, and an unsigned one is `unsigned`.',
    )
    const { report } = await judge(sound, { policies: [] })
    assert.deepEqual([report.verdict, report.reasons[0]?.code], ['indeterminate', 'no_trust_policy'])
    assert.equal((await judge(ASKING, { policies: [] })).report.verdict, 'unsigned')
  })

  test('another spelling makes it malformed, and the page shows the right one', () => {
    says(TRUST, 'have one spelling: padded base64, lower-case hex, and `"2026-11-01"` in quotes')
    const revoked = (text: string) => policySource(`${POLICY}\n[revoked]\n${text}\n`).problems.length
    const { anchor, raw } = KEYS.second
    assert.equal(revoked(`"${anchor}" = { since = "2026-11-01" }`), 0)
    assert.equal(revoked(`"${anchor}" = { since = 2026-11-01 }`), 1)
    assert.equal(revoked(`"ed25519:${raw.toString('hex')}" = {}`), 1)
    assert.equal(revoked(`"blake3:${'ab'.repeat(32)}" = {}`), 0)
    assert.equal(revoked(`"blake3:${'AB'.repeat(32)}" = {}`), 1)
  })
})

test('a signer without a rule is refused, even where nothing is asked', async () => {
  const page = TRUST.replace(/\s+/g, ' ')
  assert.ok(page.includes('`policy_denied`, even if its `policy.caps` asks for nothing'))
  const asksNothing = agentTree({ name: 'mini', files: { 'policy.caps': '[capabilities]\n' } })
  const words = async (policy: string) =>
    wordsOf(await judge(signed(asksNothing, 'security'), { policies: [policy] }))
  assert.deepEqual(await words(`${POLICY}security = {}\n`), ['trusted', undefined])
  assert.deepEqual(await words(POLICY), ['policy_denied', 'no_rule'])
})

describe('commands', () => {
  const names = REGISTRY.commands.map(({ name }) => name)
  for (const [page, text] of [
    ['trust.md', TRUST],
    ['recovery.md', RECOVERY],
    ['upgrades.md', read('upgrades.md')],
    ['verify-by-hand.md', read('verify-by-hand.md')],
  ] as const) {
    test(`of ${page} are there, with their options`, async () => {
      const lines = [...text.matchAll(/\brlp ((?:agent|key|trust) [a-z]+)([^`\n]*)/g)]
      assert.ok(lines.length > 2)
      for (const [line, name = '', rest = ''] of lines) {
        assert.ok(names.includes(name), line)
        const entry = REGISTRY.commands.find(one => one.name === name)
        const command = (await entry?.load())?.command
        for (const [, flag = ''] of rest.matchAll(/ --([a-z-]+)/g))
          assert.ok(flag in (command?.options ?? {}), line)
      }
    })
  }
})
