// rlp.lock as bytes: one form for each lock, and every other byte refused with its line; canonical JSON; the published schema.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { canonicalJson } from '../../src/json/canonical.ts'
import { readLock } from '../../src/lock-file/read.ts'
import { writeLock } from '../../src/lock-file/write.ts'
import type { Lock, LockedAgent } from '../../src/model/lock.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { anyText } from '../support/any-text.ts'
import { runs, upTo } from '../support/runs.ts'
import { signer } from '../support/signed.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const hex = (digit: string) => digit.repeat(64)

const MAILER: LockedAgent = {
  source: 'oci://registry.example/agents/mailer:0.1.0',
  oci: `sha256:${hex('a')}`,
  version: '0.1.0',
  identity: hex('b'),
  signers: [signer(1).anchor],
  caps: ['fs:~/.runloop/artifacts/mailer', 'model', 'net:api.mail.example:443'],
  tools: new Map([['mail.send', hex('c')]]),
}
const LOCK: Lock = {
  name: undefined,
  agents: new Map([
    ['mailer', MAILER],
    ['mailer@pro', { ...MAILER, source: './pro.agent.bundle', oci: undefined, caps: [], tools: new Map() }],
  ]),
}
const TEXT = writeLock(LOCK)

test('its name is below the version, and is one that an agent could have', () => {
  const named = writeLock({ ...LOCK, name: 'mail_house' })
  assert.equal(named, TEXT.replace('version = 1\n', 'version = 1\nname = "mail_house"\n'))
  const read = readLock('rlp.lock', bytes(named))
  assert.equal(read.ok && read.lock.name, 'mail_house')
  for (const name of ['Mail', 'mail house', 'mail@house', 'con', '../x', ''])
    assert.match(
      refusal(named.replace('"mail_house"', `"${name}"`)),
      /^2: a lock is called as an agent is/,
      name,
    )
})

/** Why a text is refused: its first line and message. */
function refusal(text: string | Uint8Array): string {
  const read = readLock('rlp.lock', typeof text === 'string' ? bytes(text) : text)
  assert.ok(!read.ok)
  const [problem] = read.problems
  return `${problem?.line}: ${problem?.message}`
}

test('the form is the one that is documented', () => {
  assert.equal(
    TEXT,
    `version = 1

[agents.mailer]
source = "oci://registry.example/agents/mailer:0.1.0"
oci = "sha256:${hex('a')}"
agent = "0.1.0"
identity = "blake3:${hex('b')}"
signers = ["${signer(1).anchor}"]
caps = ["fs:~/.runloop/artifacts/mailer", "model", "net:api.mail.example:443"]
tools = { "mail.send" = "blake3:${hex('c')}" }

[agents."mailer@pro"]
source = "./pro.agent.bundle"
agent = "0.1.0"
identity = "blake3:${hex('b')}"
signers = ["${signer(1).anchor}"]
caps = []
tools = {}
`,
  )
  const read = readLock('rlp.lock', bytes(TEXT))
  assert.ok(read.ok)
  assert.deepEqual(read.lock, LOCK)
})

describe('what is not this form is refused with its line', () => {
  const conflict = TEXT.replace(
    'agent = "0.1.0"\n',
    '<<<<<<< ours\nagent = "0.1.0"\n=======\nagent = "0.2.0"\n>>>>>>> theirs\n',
  )
  for (const [name, text, expected] of [
    ['marks of a merge', conflict, '6: a merge left its marks here'],
    [
      'a newer version',
      'version = 2\n\n[future]\n',
      '1: version 2 is newer than this build reads, which is 1',
    ],
    ['no version', TEXT.replace('version = 1\n', ''), '1: version is missing: write version = 1'],
    ['an older version', TEXT.replace('version = 1', 'version = 0'), '1: the version must be 1'],
    [
      '1.0 in place of 1',
      TEXT.replace('version = 1', 'version = 1.0'),
      '1: it is not as rlp writes it: expected "version = 1"',
    ],
    [
      'an unknown member',
      TEXT.replace('caps = []', 'caps = []\nunsigned = true'),
      '18: unsigned is not a key here; known are source, expect, oci, agent, identity, signers, caps, tools',
    ],
    [
      'an unknown table',
      `${TEXT}\n[policies]\n`,
      '20: policies is not a key here; known are version, name, agents',
    ],
    ['a missing member', TEXT.replace('caps = []\n', ''), '12: caps is missing'],
    ['no signer', TEXT.replace(/signers = .*/, 'signers = []'), '8: a locked agent has at least one signer'],
    ['a short digest', TEXT.replace(hex('b'), 'bb'), '7: it is not blake3: and 64 hex digits in lower case'],
    [
      'capital digits',
      TEXT.replace(hex('c'), hex('C')),
      '10: it is not blake3: and 64 hex digits in lower case',
    ],
    [
      'a tag for a digest',
      TEXT.replace(`sha256:${hex('a')}`, 'latest'),
      '5: it is not sha256: and 64 hex digits in lower case',
    ],
    ['a key with too few bytes', TEXT.replace(signer(1).anchor, 'ed25519:AAAA'), '8: '],
    [
      'a name with a capital letter',
      TEXT.replace('[agents.mailer]', '[agents.Mailer]'),
      '3: an agent is called name or name@variant',
    ],
    ['a range for a version', TEXT.replace('agent = "0.1.0"', 'agent = "^0.1"'), '6: it is not a version'],
    [
      'unsorted capabilities',
      TEXT.replace('"model", "net', '"net:x", "model", "net'),
      '9: it is not as rlp writes it',
    ],
    ['a capability twice', TEXT.replace('"model"', '"model", "model"'), '9: it is not as rlp writes it'],
    ['agents in another order', swapped(), '3: it is not as rlp writes it: expected "[agents.mailer]"'],
    [
      'members in another order',
      TEXT.replace(/(agent = .*\n)(identity = .*\n)/, '$2$1'),
      '6: it is not as rlp writes it',
    ],
    [
      'a comment',
      TEXT.replace('caps = []', 'caps = [] # none'),
      '17: it is not as rlp writes it: expected "caps = []"',
    ],
    [
      'another quote',
      TEXT.replace('"./pro.agent.bundle"', "'./pro.agent.bundle'"),
      '13: it is not as rlp writes it',
    ],
    ['CRLF', TEXT.replaceAll('\n', '\r\n'), '1: it is not as rlp writes it'],
    ['a line at the end', `${TEXT}\n`, '19: nothing may follow the last line'],
    ['no line end', TEXT.slice(0, -1), '18: the file ends in another way'],
    ['half of it', TEXT.slice(0, TEXT.indexOf('identity')), '3: identity is missing'],
    ['a table twice', `${TEXT}\n[agents.mailer]\n`, '20: Not TOML 1.0'],
    ['no TOML', 'version = \n', '2: Not TOML 1.0'],
    ['nothing', '', '1: The file is empty'],
  ] as const) {
    test(name, () => assert.ok(refusal(text).startsWith(expected), `${refusal(text)} | ${expected}`))
  }

  test('bytes that are not UTF-8', () => {
    assert.match(refusal(Buffer.concat([bytes('version = 1\n'), Uint8Array.of(0xff)])), /^[12]: /)
  })

  function swapped(): string {
    const [head = '', first = '', second = ''] = TEXT.split('\n\n')
    return `${head}\n\n${second.trimEnd()}\n\n${first}\n`
  }
})

const DIGEST = fc.nat().map(seed => createHash('sha256').update(String(seed)).digest('hex'))
const ANCHORS = [1, 2, 3].map(seed => signer(seed).anchor)
/** Texts that stay distinct when written: a lone surrogate cannot be written, and some names no TOML reader of ours takes. */
const WORD = anyText({ minLength: 1, maxLength: 12 }).filter(
  text => !/^(?:__proto__|constructor|prototype)$/.test(text),
)
const NAME = fc
  .stringMatching(/^[a-z][a-z0-9_]{0,5}(?:@[a-z0-9]{1,3})?$/)
  .filter(name => !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:@|$)|@(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name))
const sorted = (texts: readonly string[]) => [...new Set(texts)].sort((a, b) => (a < b ? -1 : 1))
const AGENT: fc.Arbitrary<LockedAgent> = fc.record({
  source: WORD,
  oci: fc.option(
    DIGEST.map(digest => `sha256:${digest}`),
    { nil: undefined },
  ),
  version: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)).map(parts => parts.join('.')),
  identity: DIGEST,
  signers: fc.subarray(ANCHORS, { minLength: 1 }).map(sorted),
  caps: fc.array(WORD, { maxLength: 4 }).map(sorted),
  tools: fc
    .uniqueArray(fc.tuple(WORD, DIGEST), { maxLength: 4, selector: ([id]) => id })
    .map(list => new Map(list)),
})
const LOCKS: fc.Arbitrary<Lock> = fc
  .uniqueArray(fc.tuple(NAME, AGENT), { maxLength: 3, selector: ([name]) => name })
  .map(list => new Map(list))
  .chain(agents =>
    fc.record(
      { name: fc.constantFrom('mail_house', 'k'), agents: fc.constant(agents) },
      { requiredKeys: ['agents'] },
    ),
  )

/** Without the order of maps, which means nothing. */
const plain = ({ agents }: Lock) =>
  Object.fromEntries(
    [...agents].map(([name, agent]) => [name, { ...agent, tools: Object.fromEntries(agent.tools) }]),
  )

test('any lock is read back as the same, and fits the published schema', () => {
  const ajv = new Ajv2020({ strict: false })
  const fits = ajv.compile(JSON.parse(readFileSync('schemas/lock.schema.json', 'utf8')))
  fc.assert(
    fc.property(LOCKS, lock => {
      const text = writeLock(lock)
      const read = readLock('rlp.lock', bytes(text))
      assert.ok(read.ok, JSON.stringify(read))
      assert.deepEqual(plain(read.lock), plain(lock))
      assert.equal(read.lock.name, lock.name)
      assert.equal(writeLock(read.lock), text)
      const parsed = parseToml('rlp.lock', bytes(text))
      assert.ok(parsed.ok && fits(parsed.document.value), JSON.stringify(fits.errors))
    }),
    { numRuns: upTo(60, 2000), seed: 1 },
  )
})

test('the published schema refuses what rlp refuses, and has an example that fits', () => {
  const schema = JSON.parse(readFileSync('schemas/lock.schema.json', 'utf8'))
  const fits = new Ajv2020({ strict: false }).compile(schema)
  for (const example of schema.examples) assert.ok(fits(example), JSON.stringify(fits.errors))
  const [example] = schema.examples
  const { mailer } = example.agents
  for (const wrong of [
    { ...example, version: 2 },
    { ...example, policies: {} },
    { ...example, name: 'Mail' },
    { ...example, agents: { Mailer: mailer } },
    { ...example, agents: { mailer: { ...mailer, unsigned: true } } },
    { ...example, agents: { mailer: { ...mailer, signers: [] } } },
    { ...example, agents: { mailer: { ...mailer, identity: 'sha256:00' } } },
    { ...example, agents: { mailer: { ...mailer, caps: undefined } } },
  ])
    assert.ok(!fits(wrong), JSON.stringify(wrong))
})

test('each flipped bit is refused with a line, or is another lock', () => {
  const good = bytes(TEXT)
  const whole = plain(LOCK)
  const step = runs(1000) === 1000 ? 1 : 37
  let others = 0
  for (let at = 0; at < good.length * 8; at += step) {
    const changed = Uint8Array.from(good)
    changed[at >> 3] = (good[at >> 3] ?? 0) ^ (1 << (at & 7))
    const read = readLock('rlp.lock', changed)
    if (read.ok) {
      assert.notDeepEqual(plain(read.lock), whole, `bit ${at}`)
      others++
    } else for (const { line } of read.problems) assert.ok(line >= 1 && line <= 19, `bit ${at}: line ${line}`)
  }
  // A digit of a digest or a letter of a capability: the lock is another one, and the bundle is not as locked.
  assert.ok(others > 0)
})

describe('canonical JSON', () => {
  test('is the text of RFC 8785', () => {
    // The example of its section 3.2.3, and numbers of its appendix B.
    const sorted = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    assert.deepEqual(Object.keys(JSON.parse(canonicalJson([sorted]))[0]).length, 7)
    assert.equal(
      canonicalJson(sorted),
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    )
    assert.equal(
      canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0]),
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    )
    assert.equal(
      canonicalJson({ a: [true, null, '\u001f"\\/'], '': {} }),
      '{"":{},"a":[true,null,"\\u001f\\"\\\\/"]}',
    )
  })

  test('knows no order of members, and each other difference', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        assert.deepEqual(JSON.parse(canonicalJson(a)), JSON.parse(JSON.stringify(a)))
        assert.equal(
          canonicalJson(a) === canonicalJson(b),
          canonicalJson(JSON.parse(canonicalJson(a))) === canonicalJson(b),
        )
      }),
      { numRuns: runs(1000), seed: 1 },
    )
    assert.equal(canonicalJson({ b: 1, a: 2 }), canonicalJson({ a: 2, b: 1 }))
  })

  test('refuses what has no text', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', { '\udc00': 1 }, undefined, 1n])
      assert.throws(() => canonicalJson(value), TypeError)
  })
})
