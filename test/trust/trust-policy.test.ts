// The trust policy's file: what it may say, every way of saying it wrongly with its line, and who may have written it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Ways } from '../../src/io/owner/ways.ts'
import type { PolicySource } from '../../src/model/trust.ts'
import { readTrustPolicies } from '../../src/trust/read-trust.ts'
import { temporary } from '../support/folder.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { ASKING, judge, KEYS, POLICY, policySource, signed } from '../support/trust-world.ts'

const R = KEYS.release.anchor
const S = KEYS.security.anchor
const SMALL = `ed25519:${Buffer.from([1, ...Array(31).fill(0)]).toString('base64')}`
const folderFor = temporary('trust-policy')
const ZEROS = '0'.repeat(64)

describe('what it may say', () => {
  test('all of it', () => {
    const { policy, problems, lineOf } = policySource(`valid_until = "2027-11-20T00:00:00Z" # comment
[anchors]
release = "${R}"
review = { keys = ["${S}", "${KEYS.second.anchor}"], use = ["attest", "sign"] }
dev = { key = "${KEYS.dev.anchor}", allow_dev = true }

[rules]
release = { allow_caps = "any", allow_net = ["api.mail.example:443", "[::1]:8080"], allow_exec = true, agents = ["mailer", "mailer@pro"] }

[rules.dev]
allow_caps = ["kb_read", "fs_ro:/data", "secrets:a/b"]

[require]
anchors = ["release"]
signatures = 2

[revoked]
"${R}" = { since = "2026-11-01", reason = "lost", replaced_by = "${S}" }
"blake3:${'a'.repeat(64)}" = {}
`)
    assert.deepEqual(problems, [])
    const plain = { identity: undefined, until: undefined }
    assert.deepEqual(policy, {
      validUntil: '2027-11-20T00:00:00Z',
      anchors: [
        { name: 'release', keys: [R], use: ['sign'], allowDev: false, ...plain },
        { name: 'review', keys: [S, KEYS.second.anchor], use: ['sign', 'attest'], allowDev: false, ...plain },
        { name: 'dev', keys: [KEYS.dev.anchor], use: ['sign'], allowDev: true, ...plain },
      ],
      rules: new Map([
        [
          'release',
          {
            allowCaps: 'any',
            allowNet: ['api.mail.example:443', '[::1]:8080'],
            allowHttp: undefined,
            allowExec: true,
            secretsTo: undefined,
            agents: ['mailer', 'mailer@pro'],
          },
        ],
        [
          'dev',
          {
            allowCaps: ['kb_read', 'fs_ro:/data', 'secrets:a/b'],
            allowNet: [],
            allowHttp: undefined,
            allowExec: false,
            secretsTo: undefined,
            agents: undefined,
          },
        ],
      ]),
      require: { anchors: ['release'], signatures: 2 },
      groups: [],
      trustedRoot: undefined,
      floors: new Map(),
      revokedKeys: new Map([[R, { since: '2026-11-01', reason: 'lost', replacedBy: S }]]),
      revokedBundles: new Map([
        ['a'.repeat(64), { since: undefined, reason: undefined, replacedBy: undefined }],
      ]),
    })
    assert.deepEqual(
      [
        ['anchors', 'dev'],
        ['rules', 'release', 'allow_net'],
        ['require', 'anchors', 0],
        ['revoked', R],
        ['revoked', `blake3:${'a'.repeat(64)}`],
      ].map(lineOf),
      [5, 8, 14, 18, 19],
    )
  })

  test('nothing at all', () => {
    assert.deepEqual(policySource('# no signer yet\n').policy?.anchors, [])
  })
})

describe('what is wrong with it, by line', () => {
  const anchors = `[anchors]\na = "${R}"\n`
  const rule = (text: string) => `${anchors}[rules]\na = { ${text} }\n`
  const require = (text: string) => `${anchors}[require]\n${text}\n`
  const entry = (text: string) => `${anchors}[[require]]\n${text}\n`
  const groups = (text: string) => `${anchors}[groups]\n${text}\n`
  const revoked = (text: string) => `${anchors}[revoked]\n${text}\n`
  const cases: [what: string, text: string, line: number, message: RegExp][] = [
    ['no TOML', `${anchors}[rules\n`, 4, /Not TOML/],
    ['empty', ' \n', 1, /empty/],
    ['a BOM', `\ufeff${anchors}`, 1, /byte order mark/],
    ['a key twice', `${anchors}a = "${S}"\n`, 3, /Not TOML|twice|duplicate/i],
    ['TOML 1.1', `${anchors}[rules]\na = {\n}\n`, 5, /Not TOML/],
    ['an unknown table', `${anchors}[more]\n`, 3, /more is not a key here/],
    ['an end that is a day', `valid_until = "2027-11-20"\n${anchors}`, 1, /must be a UTC second/],
    ['an end without quotes', `valid_until = 2027-11-20T00:00:00Z\n${anchors}`, 1, /must be a text/],
    [
      'an end that never comes',
      `valid_until = "2027-02-30T00:00:00Z"\n${anchors}`,
      1,
      /must be a UTC second/,
    ],
    [
      'an unknown use',
      `[anchors]\na = { key = "${R}", use = ["vouch"] }\n`,
      2,
      /"vouch": known are sign and attest/,
    ],
    ['no use', `[anchors]\na = { key = "${R}", use = [] }\n`, 2, /it names no use/],
    ['a use that is a text', `[anchors]\na = { key = "${R}", use = "sign" }\n`, 2, /must be a list/],
    ['a use twice', `[anchors]\na = { key = "${R}", use = ["sign", "sign"] }\n`, 2, /a use appears twice/],
    [
      'a rule of one who attests',
      `[anchors]\na = { key = "${R}", use = ["attest"] }\n[rules]\na = {}\n`,
      4,
      /a only attests, so it grants nothing/,
    ],
    [
      'a required signature of one who attests',
      `[anchors]\na = { key = "${R}", use = ["attest"] }\nb = "${S}"\n[require]\nanchors = ["a"]\n`,
      5,
      /"a": it is no anchor that signs/,
    ],
    [
      'more signatures than anchors that sign',
      `[anchors]\na = { key = "${R}", use = ["attest"] }\nb = "${S}"\n[require]\nsignatures = 2\n`,
      5,
      /there is only 1 anchor/,
    ],
    ['an unknown root key', `more = 1\n${anchors}`, 1, /more is not a key here/],
    ['anchors that are no table', 'anchors = []\n', 1, /must be a table/],
    ['rules that are no table', `rules = 1\n${anchors}`, 1, /must be a table/],
    ['an anchor with a bad name', `[anchors]\n"a b" = "${R}"\n`, 2, /letters, digits/],
    ['an anchor that is a number', '[anchors]\na = 1\n', 2, /a key, or a table/],
    ['an anchor that is a list', `[anchors]\na = ["${R}"]\n`, 2, /a key, or a table/],
    ['an anchor without a key', '[anchors]\na = { allow_dev = true }\n', 2, /has no key/],
    ['an anchor with an empty list', '[anchors]\na = { keys = [] }\n', 2, /has no key/],
    ['an anchor with key and keys', `[anchors]\na = { key = "${R}", keys = ["${S}"] }\n`, 2, /not both/],
    [
      'an unknown key of an anchor',
      `[anchors]\na = { key = "${R}", dev = true }\n`,
      2,
      /dev is not a key here/,
    ],
    ['allow_dev that is a text', `[anchors]\na = { key = "${R}", allow_dev = "yes" }\n`, 2, /true or false/],
    ['an invalid key', '[anchors]\na = "abc"\n', 2, /does not begin with ed25519:/],
    [
      'a key in base64url',
      `[anchors]\na = "${`ed25519:${Buffer.alloc(32, 0xfb).toString('base64url')}=`}"\n`,
      2,
      /the key is not padded base64/,
    ],
    ['a key that is too short', '[anchors]\na = "ed25519:AAAA"\n', 2, /3 bytes/],
    ['a key of small order', `[anchors]\na = "${SMALL}"\n`, 2, /small order/],
    [
      'a key that is no point',
      `[anchors]\na = "ed25519:${Buffer.alloc(32, 0xab).toString('base64')}"\n`,
      2,
      /canonical/,
    ],
    [
      'a key of small order in a list',
      `[anchors]\na = { keys = [\n"${R}",\n"${SMALL}"] }\n`,
      4,
      /small order/,
    ],
    ['one key under two anchors', `${anchors}b = "${R}"\n`, 3, /is under a already/],
    ['one key twice in an anchor', `[anchors]\na = { keys = ["${R}", "${R}"] }\n`, 2, /is under a already/],
    ['a rule without an anchor', `${anchors}[rules]\nb = {}\n`, 4, /b is no anchor/],
    [
      'a rule that is no table',
      `${anchors}[rules]\na = "any"\n`,
      4,
      /a rule is a table, or a list of tables/,
    ],
    ['an unknown key of a rule', rule('allow_cap = []'), 4, /allow_cap is not a key here/],
    ['allow_caps that is true', rule('allow_caps = true'), 4, /"any" or a list/],
    ['allow_caps that is all', rule('allow_caps = "all"'), 4, /"any" or a list/],
    ['allow_caps that holds any', rule('allow_caps = ["any"]'), 4, /"any": its family is not one of/],
    ['allow_caps that holds net', rule('allow_caps = ["net:h"]'), 4, /net has a key of its own/],
    ['allow_caps that holds exec', rule('allow_caps = ["exec"]'), 4, /exec has a key of its own/],
    ['allow_caps with an unknown family', rule('allow_caps = ["kb_raed"]'), 4, /family is not one of/],
    ['allow_caps with a wildcard', rule('allow_caps = ["kb_read:*"]'), 4, /wildcards/],
    ['allow_caps with a way out', rule('allow_caps = ["fs_ro:/data/../etc"]'), 4, /absolute folder/],
    ['allow_caps with a number', rule('allow_caps = [1]'), 4, /not a text/],
    ['allow_net that holds any', rule('allow_net = ["a.example", "*"]'), 4, /wildcards/],
    ['allow_net with a url', rule('allow_net = ["https://a.example"]'), 4, /not a url/],
    ['a program by its name', rule('allow_exec = ["jq"]'), 4, /not the absolute path of a program/],
    ['agents that is a text', rule('agents = "mailer"'), 4, /must be a list/],
    [
      'invalid agents',
      rule('agents = ["Mailer"]'),
      4,
      /it is not name, name@variant, prefix\* or prefix\*@\*/,
    ],
    ['a short prefix', rule('agents = ["ac*"]'), 4, /too short: write 3 characters or more, as in acme_\*/],
    ['a star alone', rule('agents = ["*"]'), 4, /prefix of 3 characters or more/],
    [
      'two equal prefixes',
      `${anchors}[rules]\na = [\n  { agents = ["acme_*"] },\n  { agents = ["acme_*@*"] },\n]\n`,
      6,
      /acme_\*@\* is in another rule of the list already, as acme_\*/,
    ],
    ['a secret that is not allowed', rule('secrets_to = { s = [] }'), 4, /add "secrets:s" to it/],
    [
      'a place without a port',
      rule('allow_caps = ["secrets:s"], secrets_to = { s = ["h.example"] }'),
      4,
      /write its port: h\.example:443/,
    ],
    [
      'a group of groups',
      groups('g = { of = ["a"], at_least = 1 }\nh = { of = ["g"], at_least = 1 }'),
      5,
      /it is a group; a group has anchors only/,
    ],
    [
      'a group with the name of an anchor',
      groups('a = { of = ["a"], at_least = 1 }'),
      4,
      /an anchor already: choose another name/,
    ],
    ['at_least above its members', groups('g = { of = ["a"], at_least = 2 }'), 4, /it has only 1 signer/],
    ['a group without at_least', groups('g = { of = ["a"] }'), 4, /it does not say how many: at_least = 2/],
    [
      'a group that never counts',
      `${anchors}b = { key = "${S}", use = ["attest"] }\n[groups]\ng = { of = ["a", "b"], at_least = 1 }\n`,
      5,
      /only sign and some only attest, so it never counts/,
    ],
    [
      'a group in anchors',
      `${anchors}[groups]\ng = { of = ["a"], at_least = 1 }\n[require]\nanchors = ["g"]\n`,
      6,
      /write \[\[require\]\] with signers/,
    ],
    [
      'an unknown member of an entry',
      entry('anchors = ["a"]'),
      4,
      /anchors is not a key here; known are agents, signers/,
    ],
    ['an end in hours', entry('expires_within = "90h"'), 4, /a number of days, 1 to 99999, as "90d"/],
    ['no entries', `require = []\n${anchors}`, 1, /a list of requirements is not empty/],
    [
      'a floor that is no version',
      `${anchors}[floors]\nmailer = "1.4"\n`,
      4,
      /a whole version, as "1\.4\.0"/,
    ],
    ['a floor of a short prefix', `${anchors}[floors]\n"ma*" = "1.4.0"\n`, 4, /too short/],
    [
      'an until that is a day',
      `[anchors]\na = { key = "${R}", until = "2027-01-01" }\n`,
      2,
      /must be a UTC second/,
    ],
    [
      'a key and an issuer',
      `[anchors]\na = { key = "${R}", issuer = "https://i.example", email = "a@b" }\n`,
      2,
      /keys or an issuer, not both/,
    ],
    [
      'an identity without a ref',
      '[anchors]\na = { issuer = "https://i.example", repository_id = "1", workflow = "w" }\n',
      2,
      /names its ref or environment/,
    ],
    [
      'two identities for one certificate',
      '[anchors]\na = { issuer = "https://i.example", email = "a@b" }\nb = { issuer = "https://i.example", email = "a@b" }\n',
      3,
      /one certificate could fit it and a/,
    ],
    ['a requirement that is a number', `${anchors}require = 2\n`, 3, /require|key/],
    ['an unknown key of the requirement', require('signers = 2'), 4, /signers is not a key here/],
    ['an invalid required anchor', require('anchors = ["b"]'), 4, /"b": it is no anchor/],
    ['a required anchor twice', require('anchors = ["a", "a"]'), 4, /appears twice/],
    ['no signatures', require('signatures = 0'), 4, /1 or more/],
    ['half a signature', require('signatures = 1.5'), 4, /1 or more/],
    ['signatures in words', require('signatures = "1"'), 4, /1 or more/],
    ['more signatures than anchors', require('signatures = 2'), 4, /only 1 anchor/],
    ['something else revoked', revoked('release = {}'), 4, /neither ed25519:… nor blake3:…/],
    ['a digest that is too short', revoked('"blake3:00" = {}'), 4, /neither/],
    ['a key of small order revoked', revoked(`"${SMALL}" = {}`), 4, /small order/],
    ['a revocation that is a text', revoked(`"${S}" = "lost"`), 4, /must be a table/],
    ['an unknown key of a revocation', revoked(`"${S}" = { why = "lost" }`), 4, /why is not a key here/],
    ['a day that does not exist', revoked(`"${S}" = { since = "2026-02-30" }`), 4, /not a day/],
    ['a time', revoked(`"${S}" = { since = 2026-02-03T00:00:00Z }`), 4, /not a day/],
    ['a reason that is a number', revoked(`"${S}" = { reason = 1 }`), 4, /must be a text/],
    ['a replacement that is no key', revoked(`"${S}" = { replaced_by = "a" }`), 4, /does not begin/],
    [
      'a replacement of a bundle',
      revoked(`"blake3:${ZEROS}" = { replaced_by = "${S}" }`),
      4,
      /replaced_by is not a key here/,
    ],
    ['an empty list of rules', `[anchors]\na = "${R}"\n[rules]\na = []\n`, 4, /a list of rules is not empty/],
    [
      'a rule of a list without agents',
      `[anchors]\na = "${R}"\n[rules]\na = [{ agents = ["m"] }, { allow_exec = true }]\n`,
      4,
      /in a list each rule names its agents/,
    ],
    [
      'an agent in two rules of a list',
      `[anchors]\na = "${R}"\n[[rules.a]]\nagents = ["m"]\n[[rules.a]]\nagents = ["n", "m"]\n`,
      6,
      /m is in another rule of the list already/,
    ],
    ['a list of other things', `[anchors]\na = "${R}"\n[rules]\na = ["any"]\n`, 4, /a rule is a table/],
    ['one key revoked twice', revoked(`"${R}" = {}\n"${R}" = {}`), 5, /Not TOML|twice|duplicate/i],
  ]
  for (const [what, text, line, message] of cases) {
    test(what, async () => {
      const source = policySource(text, 'p.toml')
      assert.equal(source.policy, undefined)
      assert.match(source.problems.join('\n'), new RegExp(`^p\\.toml:${line}(?::\\d+)?: `, 'm'))
      assert.match(source.problems.join('\n'), message)
      const { report } = await judge(signed(ASKING, 'release'), { policies: [text] })
      assert.equal(report.verdict, 'indeterminate')
      assert.match(report.reasons[0]?.message ?? '', new RegExp(`^policy-1\\.toml:${line}`))
    })
  }

  test('all that is wrong is said at once', () => {
    const { problems } = policySource('[anchors]\na = 1\nb = "x"\n[rules]\nc = 1\n[more]\n')
    assert.deepEqual(problems.map(problem => Number(/:(\d+):/.exec(problem)?.[1])).sort(), [2, 3, 5, 5, 6])
  })
})

describe('who may have written it', { skip: process.getuid === undefined ? 'no modes here' : false }, () => {
  const system = '/nonexistent/trust-policy.toml'
  const policies = (home: string) => readTrustPolicies({ home, system }, new Ways())
  const first = async (home: string): Promise<PolicySource | undefined> => (await policies(home))[0]
  const homeWith = (text: string | Uint8Array = POLICY, mode = 0o600) => {
    const home = folderFor('home')
    chmodSync(home, 0o700)
    writeFileSync(join(home, 'trust-policy.toml'), text)
    chmodSync(join(home, 'trust-policy.toml'), mode)
    return home
  }
  const fileOf = (home: string) => join(home, 'trust-policy.toml')
  const replace = (home: string, make: () => unknown) => {
    rmSync(fileOf(home))
    make()
  }

  test('no other user: it decides', async () => {
    for (const mode of [0o600, 0o644, 0o400]) {
      const source = await first(homeWith(POLICY, mode))
      assert.deepEqual(
        [source?.role, source?.problems, source?.policy?.anchors.length],
        ['user', [], 3],
        mode.toString(8),
      )
      assert.match(source?.digest ?? '', /^[0-9a-f]{64}$/)
    }
  })

  test('there is none: that is not the same as one that cannot be used', async () => {
    assert.deepEqual(await policies(folderFor('none')), [])
    assert.deepEqual(await policies(join(folderFor('none'), 'nowhere/at/all')), [])
  })

  const bad: [what: string, spoil: (home: string) => void, message: RegExp][] = [
    ['writable for the group', home => chmodSync(fileOf(home), 0o620), /others may write it/],
    ['writable for everybody', home => chmodSync(fileOf(home), 0o602), /others may write it/],
    ['in a folder that others may write', home => chmodSync(home, 0o770), /others may write it/],
    ['a folder', home => replace(home, () => mkdirSync(fileOf(home))), /not a regular file/],
    ['a dangling link', home => replace(home, () => symlinkSync('nowhere', fileOf(home))), /no such file/],
    [
      'a link to itself',
      home => replace(home, () => symlinkSync('trust-policy.toml', fileOf(home))),
      /symbolic link/,
    ],
    ['a FIFO', home => replace(home, () => execFileSync('mkfifo', [fileOf(home)])), /not a regular file/],
    ['as large as a disk', home => truncateSync(fileOf(home), 50_000_000_000), /50000000000 bytes/],
    [
      'a link into a folder that others may write',
      home => {
        const open = folderFor('open')
        writeFileSync(join(open, 'p.toml'), POLICY, { mode: 0o600 })
        chmodSync(open, 0o777)
        rmSync(fileOf(home))
        symlinkSync(join(open, 'p.toml'), fileOf(home))
      },
      /others may write it/,
    ],
  ]
  test('the hint names everything that others may write, as after a umask of 002', async () => {
    const home = homeWith(POLICY, 0o664)
    chmodSync(home, 0o775)
    assert.equal((await first(home))?.hint, `Run chmod go-w ${fileOf(home)} ${home}`)
    chmodSync(home, 0o755)
    const source = await first(home)
    assert.equal(source?.hint, `Run chmod go-w ${fileOf(home)}`)
    const verification = await judge(signed(ASKING, 'release'), { sources: source ? [source] : [] })
    assert.equal(verification.report.reasons[0]?.hint, source?.hint)
  })

  for (const [what, spoil, message] of bad) {
    test(`${what}: it decides nothing`, async () => {
      const home = homeWith()
      assert.notEqual((await first(home))?.policy, undefined)
      spoil(home)
      const source = await first(home)
      assert.equal(source?.policy, undefined)
      assert.match(source?.problems.join() ?? '', message)
    })
  }

  test('a sticky folder, in which no user can replace it', async () => {
    const home = homeWith()
    chmodSync(home, 0o1777)
    assert.notEqual((await first(home))?.policy, undefined)
  })

  test('a link to a file of the same owner', async () => {
    const home = homeWith()
    const other = folderFor('dotfiles')
    linkSync(fileOf(home), join(other, 'p.toml'))
    rmSync(fileOf(home))
    symlinkSync(join(other, 'p.toml'), fileOf(home))
    assert.notEqual((await first(home))?.policy, undefined)
  })

  test('another user', { skip: IS_ROOT ? false : 'only root can give files away' }, async () => {
    const home = homeWith()
    chownSync(fileOf(home), NOBODY, NOBODY)
    assert.match((await first(home))?.problems.join() ?? '', /belongs to another user/)
  })

  test('one that may not be read', { skip: IS_ROOT ? false : 'only root can be another user' }, async () => {
    const home = homeWith()
    chmodSync(home, 0o755)
    const bundle = join(home, 'no.agent.bundle')
    writeFileSync(bundle, 'no bundle')
    const args = ['agent', 'verify', bundle, '--json']
    const ran = await rlp(args, { cwd: home, uid: NOBODY, env: { RUNLOOP_HOME: home } })
    const [report] = JSON.parse(ran.stdout).result.bundles
    assert.equal(report.verdict, 'invalid', 'no bundle at all comes first')
    const list = await rlp(['trust', 'list', '--json'], {
      cwd: home,
      uid: NOBODY,
      env: { RUNLOOP_HOME: home },
    })
    assert.equal(list.exit, 3)
    assert.match(JSON.parse(list.stdout).result.policies[0].problems[0], /permission denied/)
  })

  test('one that was named has to be there', async () => {
    const places = { trustPolicy: join(folderFor('given'), 'none.toml'), system }
    const [source] = await readTrustPolicies(places, new Ways())
    assert.deepEqual([source?.role, source?.policy], ['given', undefined])
    assert.match(source?.problems[0] ?? '', /no such file/)
  })

  test('the system’s applies beside every other', async () => {
    const home = homeWith()
    const other = homeWith(POLICY.replace('release', 'ours').replace('[rules]\nrelease', '[rules]\nours'))
    const both = await readTrustPolicies({ home, system: fileOf(other) }, new Ways())
    assert.deepEqual(
      both.map(({ role }) => role),
      ['system', 'user'],
    )
    const given = await readTrustPolicies(
      { trustPolicy: fileOf(home), home: folderFor('other'), system: fileOf(other) },
      new Ways(),
    )
    assert.deepEqual(
      given.map(({ role }) => role),
      ['system', 'given'],
    )
  })
})
