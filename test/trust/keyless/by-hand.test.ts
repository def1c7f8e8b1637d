// rlp trust and identities that a person types: every option, every refusal, the trusted root beside the policy, and the other commands on them.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { blake3Hex } from '../../../src/bundle/blake3.ts'
import { run } from '../../support/fake-terminal.ts'
import { snapshot, temporary } from '../../support/folder.ts'
import { GITHUB, sigstoreWorld } from '../../support/sigstore-world.ts'
import { installKeys, KEYS, policySource } from '../../support/trust-world.ts'

const ROOT = sigstoreWorld().rootBytes
const folderFor = temporary('identities')
let home = ''
let cwd = ''

beforeEach(() => {
  home = folderFor('home')
  cwd = folderFor('cwd')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(cwd, 'root.json'), ROOT)
})

const file = (name: string) => join(home, name)
const policy = () => readFileSync(file('trust-policy.toml'), 'utf8')
async function trust(...args: string[]) {
  const { exit, stdout, stderr } = await run(['trust', ...args, '--json'], undefined, { cwd })
  return { exit, stderr, ...JSON.parse(stdout) }
}
const say = async (...args: string[]) => (await run(['trust', ...args], undefined, { cwd })).stdout
const anchors = () => policySource(policy()).policy?.anchors ?? []

const PIPELINE = {
  issuer: GITHUB,
  repository_id: '123456789',
  workflow: '.github/workflows/release.yml',
  ref: 'refs/tags/v*',
}
const flags = (members: Readonly<Record<string, string>>) =>
  Object.entries(members).flatMap(([name, text]) => [`--${name.replace('_', '-')}`, text])
const ROOTED = ['--trusted-root', 'root.json']
const WHOLE = [...flags(PIPELINE), ...ROOTED]
const STRING = `oidc:${GITHUB}?repository_id=123456789&workflow=.github%2Fworkflows%2Frelease.yml&ref=refs%2Ftags%2Fv*`

describe('trust add of an identity', () => {
  const BUILDER = {
    builder: 'https://github.com/acme/b/.github/workflows/b.yml',
    builder_digest: 'b'.repeat(40),
  }
  const MORE = { owner_id: '42', environment: 'production', runner: 'github-hosted', trigger: 'workflow_run' }
  for (const [what, members] of Object.entries({
    'a pipeline': PIPELINE,
    'a pipeline with all that it may name': { ...PIPELINE, ...MORE, ...BUILDER },
    'a person': { issuer: 'https://accounts.example', email: 'ada@acme.example' },
    'another signer': { issuer: 'https://spiffe.example', subject: 'spiffe://acme.example/ci' },
  }))
    test(`${what}: every option is written as the member of its name`, async () => {
      const end = ['--until', '2027-01-01T00:00:00Z']
      const { exit } = await trust('add', 'ci', ...flags(members), ...ROOTED, ...end)
      assert.equal(exit, 0)
      const [anchor] = anchors()
      assert.deepEqual({ ...anchor?.identity }, members)
      assert.deepEqual([anchor?.keys, anchor?.until], [[], '2027-01-01T00:00:00Z'])
    })
  test('takes a rule and a use as a key does', async () => {
    assert.equal((await trust('add', 'ci', ...WHOLE, '--allow-caps', 'model', '--agent', 'mailer')).exit, 0)
    assert.match(policy(), /ci = \{ allow_caps = \["model"\].*agents = \["mailer"\] \}/)
    const other = flags({ ...PIPELINE, ref: 'refs/heads/main' })
    assert.equal((await trust('add', 'builder', ...other, '--use', 'attest')).exit, 0)
    assert.deepEqual(anchors()[1]?.use, ['attest'])
    const refused = await trust('add', 'builder', '--allow-caps', 'model')
    assert.equal(refused.code, 'NOT_EDITABLE')
  })
  test('again changes nothing, and with other members it is refused', async () => {
    await trust('add', 'ci', ...WHOLE)
    const before = policy()
    const again = await trust('add', 'ci', ...WHOLE)
    assert.deepEqual([again.exit, again.result.changed], [0, false])
    const other = await trust('add', 'ci', ...flags({ ...PIPELINE, ref: 'refs/heads/main' }))
    assert.deepEqual([other.exit, other.code], [2, 'EXISTS'])
    assert.match(other.message, /it is there as another identity/)
    assert.equal(policy(), before)
  })

  const refusals: Readonly<
    Record<string, readonly [args: readonly string[], code: string, message: RegExp]>
  > = {
    'no issuer': [['--email', 'a@b.example'], 'USAGE', /Cannot use --email: an identity names its --issuer/],
    'an issuer alone': [['--issuer', GITHUB], 'USAGE', /names its --repository-id or --email or --subject/],
    'an issuer that is no https URL': [
      ['--issuer', 'http://x.example', '--email', 'a@b.example'],
      'USAGE',
      /--issuer "http:\/\/x\.example": an issuer is an https URL/,
    ],
    'a pipeline without its workflow': [
      flags({ ...PIPELINE, workflow: '' }).filter(one => one !== '--workflow' && one !== ''),
      'USAGE',
      /names its --workflow/,
    ],
    'a pipeline without ref and environment': [
      flags(PIPELINE).slice(0, -2),
      'USAGE',
      /names its --ref or --environment/,
    ],
    'a ref with a * in it': [
      flags({ ...PIPELINE, ref: 'refs/*/v' }),
      'USAGE',
      /--ref "refs\/\*\/v": a \* is at its end only/,
    ],
    'a ref that is only a *': [flags({ ...PIPELINE, ref: '*' }), 'USAGE', /nothing before the \*/],
    'an id with a *': [
      flags({ ...PIPELINE, repository_id: '12*' }),
      'USAGE',
      /--repository-id "12\*".*write the whole text/,
    ],
    'a pipeline with an email': [
      [...flags(PIPELINE), '--email', 'a@b.example'],
      'USAGE',
      /Cannot use --email: an identity with --repository-id has none/,
    ],
    'a person with a ref': [
      flags({ issuer: 'https://x.example', email: 'a@b.example', ref: 'x' }),
      'USAGE',
      /Cannot use --ref: an identity with --email has none/,
    ],
    'a builder without its digest': [
      [...flags(PIPELINE), '--builder', BUILDER.builder],
      'USAGE',
      /belong together/,
    ],
    'a subject of GitHub': [
      flags({ issuer: GITHUB, subject: 'https://x.example/a' }),
      'USAGE',
      /Cannot use --subject: this issuer names repositories/,
    ],
    'a subject that is no URI': [
      flags({ issuer: 'https://x.example', subject: 'ada' }),
      'USAGE',
      /it is no URI/,
    ],
    'an email without an @': [
      flags({ issuer: 'https://x.example', email: 'ada' }),
      'USAGE',
      /it is no email address/,
    ],
    'a key beside it': [[KEYS.release.anchor, ...flags(PIPELINE)], 'USAGE', /with a key and an identity/],
    'no trusted root': [flags(PIPELINE), 'NOT_FOUND', /it names no trusted root/],
    'a trusted root for a key': [
      [KEYS.release.anchor, ...ROOTED],
      'USAGE',
      /Cannot use a trusted root: it is for an identity/,
    ],
    'a trusted root for nothing': [ROOTED, 'USAGE', /Cannot use a trusted root: it is for an identity/],
    'a trusted root that is not there': [
      [...flags(PIPELINE), '--trusted-root', 'none.json'],
      'NOT_FOUND',
      /none\.json/,
    ],
  }
  for (const [what, [args, code, message]] of Object.entries(refusals))
    test(`${what}: refused, and nothing is written`, async () => {
      const before = snapshot(home)
      const refused = await trust('add', 'ci', ...args)
      assert.deepEqual([refused.exit, refused.code], [2, code], refused.message)
      assert.match(refused.message, message)
      assert.deepEqual(snapshot(home), before)
    })

  test('one that a certificate of another anchor could fit is refused by name', async () => {
    await trust('add', 'ci', ...WHOLE)
    const alike = await trust('add', 'two', ...flags({ ...PIPELINE, ref: 'refs/tags/v1.*', owner_id: '42' }))
    assert.deepEqual([alike.exit, alike.code], [2, 'EXISTS'])
    assert.match(alike.message, /one certificate could fit it and ci/)
    assert.equal((await trust('add', 'two', ...flags({ ...PIPELINE, ref: 'refs/heads/main' }))).exit, 0)
  })
  test('a key under its name, and an identity under the name of a key', async () => {
    await trust('add', 'ci', ...WHOLE)
    await trust('add', 'release', 'release')
    for (const [args, message] of [
      [['ci', 'release'], /the key is one of release already/],
      [['ci', 'security', '--further-key'], /it is there as an identity/],
      [['release', ...flags({ ...PIPELINE, ref: 'refs/heads/main' })], /it is there with a key/],
    ] as const) {
      const { code, message: said } = await trust('add', ...args)
      assert.equal(code, 'EXISTS')
      assert.match(said, message)
    }
  })
  test('a dry run shows the lines and the copy, and writes nothing', async () => {
    const before = snapshot(home)
    const { exit, result } = await trust('add', 'ci', ...WHOLE, '--dry-run')
    assert.equal(exit, 0)
    assert.equal(result.changed, true)
    assert.match(result.added.join('\n'), /^ci = \{ issuer = /m)
    assert.match(result.added.join('\n'), /^trusted_root = \{ file = "sigstore-root\.json"/m)
    assert.deepEqual(result.says, [
      `root.json is copied to sigstore-root.json beside the policy: blake3:${blake3Hex(ROOT)}`,
    ])
    assert.deepEqual(snapshot(home), before)
  })
  test('is in the audit log by its string', async () => {
    await trust('add', 'ci', ...WHOLE, '--audit', 'audit.log')
    const line = JSON.parse(readFileSync(join(cwd, 'audit.log'), 'utf8'))
    assert.deepEqual(line.change.what, ['ci', STRING])
  })
})

describe('the trusted root', () => {
  const add = (name = 'ci', ...more: string[]) => trust('add', name, ...WHOLE, ...more)

  test('is copied beside the policy, for its owner, byte by byte, and named by its digest', async () => {
    await add()
    assert.deepEqual(readFileSync(file('sigstore-root.json')), ROOT)
    assert.equal(statSync(file('sigstore-root.json')).mode & 0o777, 0o600)
    const { trustedRoot } = policySource(policy()).policy ?? {}
    assert.deepEqual(trustedRoot, { file: 'sigstore-root.json', blake3: blake3Hex(ROOT) })
    assert.deepEqual(readdirSync(home).sort(), ['keys', 'sigstore-root.json', 'trust-policy.toml'])
  })
  test('goes beside the policy that is edited', async () => {
    mkdirSync(join(cwd, 'house'), { mode: 0o700 })
    assert.equal((await add('ci', '--trust-policy', 'house/policy.toml')).exit, 0)
    assert.deepEqual(readdirSync(join(cwd, 'house')).sort(), ['policy.toml', 'sigstore-root.json'])
    assert.equal(existsSync(file('trust-policy.toml')), false)
  })
  test('that is there already is not written again, and is enough for more identities', async () => {
    await add()
    const before = statSync(file('sigstore-root.json')).ino
    const other = flags({ ...PIPELINE, ref: 'refs/heads/main' })
    assert.equal((await trust('add', 'main', ...other)).exit, 0)
    assert.equal(
      (await trust('add', 'dev', ...flags({ ...PIPELINE, ref: 'refs/heads/dev' }), ...ROOTED)).exit,
      0,
    )
    assert.equal(statSync(file('sigstore-root.json')).ino, before)
  })
  test('another file of its name stays, and nothing is written', async () => {
    writeFileSync(file('sigstore-root.json'), '{}')
    const { code, message, hint } = await add()
    assert.equal(code, 'EXISTS')
    assert.match(message, /another file is called sigstore-root\.json there/)
    assert.match(hint, /Compare/)
    assert.equal(readFileSync(file('sigstore-root.json'), 'utf8'), '{}')
    assert.equal(existsSync(file('trust-policy.toml')), false)
  })
  test('of a policy is not exchanged by adding', async () => {
    await add()
    const before = snapshot(home)
    writeFileSync(join(cwd, 'other.json'), sigstoreWorld().rootBytes)
    const other = flags({ ...PIPELINE, ref: 'refs/heads/main' })
    const { code, message } = await trust('add', 'main', ...other, '--trusted-root', 'other.json')
    assert.equal(code, 'EXISTS')
    assert.match(message, /another file is called|it names another trusted root/)
    assert.deepEqual(snapshot(home), before)
  })
  test('that was lost is put back', async () => {
    await add()
    const text = policy()
    rmSync(file('sigstore-root.json'))
    assert.equal((await trust('list')).exit, 3)
    const { exit, result } = await add()
    assert.deepEqual([exit, result.changed], [0, true])
    assert.deepEqual(readFileSync(file('sigstore-root.json')), ROOT)
    assert.equal(policy(), text)
  })
  for (const [what, bytes, message] of [
    ['without authorities', Buffer.from('{}'), /it names no certificate authority/],
    ['that is no JSON', Buffer.from('x'), /it names no certificate authority/],
    [
      'that is a bundle',
      readFileSync('fixtures/verdicts/trusted/one-signer/bundle.bin'),
      /no certificate authority/,
    ],
    ['with two roots', Buffer.concat([ROOT, Buffer.from('\n'), ROOT]), /it has 2 trusted roots, one a line/],
    ['that is too large', Buffer.alloc(4 * 1024 ** 2 + 1, ' '), /at most 4 MiB/],
  ] as const)
    test(`a file ${what} is refused`, async () => {
      writeFileSync(join(cwd, 'root.json'), bytes)
      const { exit, message: said, hint } = await add()
      assert.notEqual(exit, 0)
      assert.match(said, message)
      assert.ok(hint)
      assert.equal(existsSync(file('trust-policy.toml')), false)
      assert.equal(existsSync(file('sigstore-root.json')), false)
    })
})

describe('the other commands', () => {
  beforeEach(async () => {
    await trust('add', 'ci', ...WHOLE, '--allow-caps', 'model')
    await trust('add', 'release', 'release')
  })

  test('list shows each member by itself, and the string', async () => {
    const text = await say('list')
    assert.match(text, /^ +repository_id: 123456789$/m)
    assert.match(text, /^ +workflow: \.github\/workflows\/release\.yml$/m)
    assert.match(text, /^ +ref: refs\/tags\/v\*$/m)
    assert.ok(text.includes(STRING))
    const { result } = await trust('list')
    const [ci] = result.policies[0].policy.anchors
    assert.deepEqual([ci.identity, ci.signer], [PIPELINE, STRING])
  })
  test('group, require and floor name it', async () => {
    assert.equal((await trust('group', 'two', '--of', 'ci,release', '--at-least', '2')).exit, 0)
    assert.equal((await trust('require', '--signer', 'two')).exit, 0)
    assert.equal((await trust('floor', 'mailer', '1.0.0')).exit, 0)
    assert.deepEqual(policySource(policy()).problems, [])
    assert.equal((await trust('remove', 'ci')).code, 'NOT_EDITABLE')
  })
  test('a group of two identities of one repository needs no two signers', async () => {
    await trust('add', 'main', ...flags({ ...PIPELINE, ref: 'refs/heads/main' }))
    const { code, message } = await trust('group', 'both', '--of', 'ci,main', '--at-least', '2')
    assert.equal(code, 'NOT_EDITABLE')
    assert.match(message, /it has only 1 signer/)
  })
  test('remove takes it away with its rule, also as a table of its own', async () => {
    assert.equal((await trust('remove', 'ci')).exit, 0)
    assert.doesNotMatch(policy(), /^ci /m)
    const table = Object.entries(PIPELINE).map(([name, text]) => `${name} = "${text}"`)
    writeFileSync(
      file('trust-policy.toml'),
      `${policy()}\n[anchors.ci] # the pipeline\n${table.join('\n')}\n`,
      { mode: 0o600 },
    )
    assert.equal(anchors().length, 2)
    assert.equal((await trust('remove', 'ci')).exit, 0)
    assert.deepEqual(
      anchors().map(({ name }) => name),
      ['release'],
    )
  })
  test('diff says who counts, and which other authorities vouch', async () => {
    writeFileSync(join(cwd, 'sigstore-root.json'), ROOT)
    const renewed = sigstoreWorld().rootBytes
    writeFileSync(join(cwd, 'sigstore-root-2027.json'), renewed)
    writeFileSync(join(cwd, 'old.toml'), policy())
    const next = policy()
      .replace(blake3Hex(ROOT), blake3Hex(renewed))
      .replace('sigstore-root.json', 'sigstore-root-2027.json')
    writeFileSync(join(cwd, 'next.toml'), next)
    const { exit, result } = await trust('diff', 'old.toml', 'next.toml')
    assert.equal(exit, 4)
    assert.deepEqual(
      result.widened.map(({ says }: { says: string }) => says),
      [`the authorities of blake3:${blake3Hex(renewed)} now vouch for identities`],
    )
    writeFileSync(join(cwd, 'none.toml'), `[anchors]\nrelease = "${KEYS.release.anchor}"\n`)
    assert.match(await say('diff', 'none.toml', 'old.toml'), /ci now counts: oidc:https:\/\/token/)
  })
  test('test takes the name of its anchor, and its string, as a signer', async () => {
    const question = (signer: string, verdict: string) =>
      `[[question]]\nname = "q"\nagent = "mailer"\nversion = "1.0.0"\nsigners = [${JSON.stringify(signer)}]\ncaps = { model = true }\nverdict = "${verdict}"\n`
    const ask = async (...asked: string[]) => {
      writeFileSync(
        join(cwd, 'q.toml'),
        `policies = [${JSON.stringify(file('trust-policy.toml'))}]\n${asked.join('')}`,
      )
      return (await trust('test', 'q.toml')).exit
    }
    assert.equal(await ask(question('ci', 'trusted'), question(STRING, 'trusted')), 0)
    assert.equal(await ask(question(STRING.replace('123456789', '1'), 'untrusted')), 0)
    await trust('revoke', 'ci')
    assert.equal(await ask(question('ci', 'revoked')), 0)
  })
})

describe('trust revoke of an identity', () => {
  beforeEach(async () => {
    await trust('add', 'ci', ...WHOLE)
  })
  const revoked = () => [...(policySource(policy()).policy?.revokedKeys.keys() ?? [])]

  test('by the name of its anchor: all of it', async () => {
    assert.equal((await trust('revoke', 'ci', '--reason', 'left')).exit, 0)
    assert.deepEqual(revoked(), [STRING])
    assert.deepEqual(
      anchors().map(({ name }) => name),
      ['ci'],
      'the signer stays',
    )
  })
  for (const [what, name] of [
    ['whole', STRING],
    ['by its repository', STRING.slice(0, STRING.indexOf('&'))],
    ['to its workflow', STRING.slice(0, STRING.indexOf('&ref'))],
  ] as const)
    test(`${what}: as it is written`, async () => {
      assert.equal((await trust('revoke', name)).exit, 0)
      assert.deepEqual(revoked(), [name])
      const again = await trust('add', 'new', ...flags({ ...PIPELINE, ref: 'refs/tags/v*', owner_id: '4' }))
      assert.equal(again.code, 'EXISTS')
      assert.match(again.message, what === 'by its repository' ? /the identity is revoked/ : /./)
    })
  test('another spelling, or a part of a member, is refused', async () => {
    for (const name of [
      'oidc:',
      STRING.slice(0, STRING.indexOf('?')),
      STRING.slice(0, STRING.indexOf('?') + 1),
      STRING.slice(0, STRING.indexOf('&ref') + 4),
      `${STRING}&`,
      STRING.replace('%2F', '/'),
      STRING.replace('repository_id', 'repository'),
    ]) {
      const { exit, code, message, hint } = await trust('revoke', name)
      assert.deepEqual([exit, code], [2, 'USAGE'], name)
      assert.match(message, /it is no identity/)
      assert.match(hint, /rlp trust list/)
    }
    assert.deepEqual(revoked(), [])
  })
  test('a beginning that skips a member of a signer here is refused, and its hint revokes that signer', async () => {
    await trust('remove', 'ci')
    await trust('add', 'owned', ...flags({ ...PIPELINE, owner_id: '42' }))
    const whole = STRING.replace('&workflow', '&owner_id=42&workflow')
    // The honest call: nothing is skipped.
    const upTo = whole.slice(0, whole.indexOf('&ref'))
    assert.equal((await trust('revoke', upTo, '--dry-run')).exit, 0)
    for (const [skips, name] of [
      ['owner_id', STRING.slice(0, STRING.indexOf('&ref'))],
      ['owner_id', STRING],
      ['workflow', whole.replace(/&workflow=[^&]*/, '')],
      ['owner_id, workflow', STRING.replace(/&workflow=[^&]*/, '')],
    ] as const) {
      const before = policy()
      const { exit, code, message, hint } = await trust('revoke', name)
      assert.deepEqual([exit, code], [2, 'USAGE'], name)
      assert.match(message, new RegExp(`it skips ${skips}, which owned has`), name)
      assert.equal(policy(), before)
      const typed = /rlp trust revoke '([^']+)'$/.exec(hint)?.[1] ?? 'nothing'
      assert.equal((await trust('revoke', typed)).exit, 0)
      assert.deepEqual(revoked(), [typed])
      assert.equal((await trust('add', 'again', ...flags({ ...PIPELINE, owner_id: '42' }))).code, 'EXISTS')
      writeFileSync(file('trust-policy.toml'), before)
    }
  })
  test('a text that no identity can begin with is refused', async () => {
    const of = (members: string, issuer = GITHUB) => `oidc:${issuer}?${members}`
    for (const name of [
      of('workflow=a.yml'),
      of('repository_id=1&ref=main'),
      of('repository_id=1&workflow=a.yml&runner=x'),
      of('repository_id=1&workflow=a.yml&ref=main&builder_digest=x'),
      of('repository_id=1&workflow=%2Fa.yml'),
      of('repository_id=1&email=a%40b.example'),
      of('email=ada', 'https://accounts.example'),
      of('subject=repo%3Aacme'),
    ]) {
      const { exit, code, message } = await trust('revoke', name)
      assert.deepEqual([exit, code], [2, 'USAGE'], name)
      assert.match(message, /^Cannot revoke "oidc:.*: no identity begins so: /, name)
    }
    assert.deepEqual(revoked(), [])
  })
  test('says the member of which no signer here has the value, and revokes it all the same', async () => {
    const says = async (name: string) => (await trust('revoke', name, '--dry-run')).result.says
    const cut = (to: string) => STRING.slice(0, STRING.indexOf(to))
    assert.deepEqual(await says(cut('&ref')), [])
    const none = 'It names no anchor of this policy: no identity here'
    for (const [name, said] of [
      [cut('&').replace('123456789', '12345678'), `${none} has repository_id = "12345678"`],
      [
        STRING.replace('release.yml', 'other.yml'),
        `${none} that begins so has workflow = ".github/workflows/other.yml"`,
      ],
      [STRING.replace('v*', 'v1'), `${none} that begins so has ref = "refs/tags/v1"`],
      [`${STRING}&runner=x`, `${none} that begins so has runner = "x"`],
      [
        'oidc:https://accounts.example?email=a%40b.example',
        `${none} has issuer = "https://accounts.example"`,
      ],
    ] as const)
      assert.deepEqual(await says(name), [said])
    const { exit, result } = await trust('revoke', STRING.replace('v*', 'v1'))
    assert.deepEqual([exit, result.changed], [0, true])
    // Two identities that differ in what is left out: each is revoked by its name.
    const other = { ...PIPELINE, owner_id: '42', trigger: 'workflow_run' }
    assert.equal((await trust('add', 'other', ...flags(other))).exit, 0)
    assert.equal((await trust('revoke', STRING)).exit, 0)
    assert.deepEqual(revoked(), [STRING.replace('v*', 'v1'), STRING])
  })
  test('what it had brought in is found in the audit log, also by its beginning, and of lines without an agent', async () => {
    const line = (digit: string, signer: string, more: object = {}) =>
      JSON.stringify({
        program: 'rlp',
        accepted: true,
        signers: [signer],
        identity: `blake3:${digit.repeat(64)}`,
        agent: { name: 'mailer', version: `1.0.${digit}`, variant: 'pro' },
        ...more,
      })
    const log = [
      line('1', STRING),
      line('2', STRING.replace('refs%2Ftags%2Fv*', 'refs%2Fheads%2Fmain')),
      line('3', STRING.replace('123456789', '1234567890')),
      line('4', KEYS.release.anchor),
      line('5', STRING, { agent: null }),
      line('6', STRING, { accepted: false }),
    ]
    writeFileSync(join(cwd, 'audit.log'), `${log.join('\n')}\n`)
    const says = async (who: string) =>
      (await trust('revoke', who, '--from-audit', 'audit.log', '--dry-run')).result.says as string[]
    const said = (digit: string) => `mailer@pro 1.0.${digit}, blake3:${digit.repeat(64)}`
    const unnamed = `an agent that the log does not name, blake3:${'5'.repeat(64)}`
    assert.deepEqual(await says('ci'), [unnamed, said('1')])
    assert.deepEqual(await says(STRING.slice(0, STRING.indexOf('&'))), [unnamed, said('1'), said('2')])
    assert.equal((await trust('revoke', 'ci', '--from-audit', 'audit.log')).exit, 0)
    assert.deepEqual(revoked(), [], 'the signer is not')
    assert.equal(policySource(policy()).policy?.revokedBundles.size, 2)
  })
})
