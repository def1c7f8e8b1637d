// Every rule by which a statement of a channel is accepted: first the statement that is, then the same with one thing changed and exactly one code.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { channelOf, readSigned } from '../../../src/channel-file/statement.ts'
import type {
  ChannelRoot,
  ChannelStatement,
  Heartbeat,
  Reached,
  RefusalCode,
  Release,
  SignedStatement,
} from '../../../src/model/channel.ts'
import {
  chainProblem,
  heartbeatProblem,
  namedReleaseProblem,
  nextRootProblem,
  pinnedRootProblem,
  placeOfHeartbeat,
  placeOfRelease,
  type RefusedStatement,
  releaseProblem,
  signersIn,
} from '../../../src/trust/channels/advance.ts'
import {
  after,
  at,
  BEAT,
  channelWith,
  DAY,
  edited,
  NOW,
  PEOPLE,
  STRANGER,
  signedAs,
  signedBy,
  signedText,
  withHeartbeat,
  withRoot,
} from '../../support/channel-world.ts'
import type { TestSigner } from '../../support/signed.ts'
import { POLICY } from '../../support/trust-world.ts'

const { ada, alan, grace } = PEOPLE
const MOST = Number.MAX_SAFE_INTEGER
const OTHER_CHANNEL = '1'.repeat(64)

const BEGUN = channelWith(POLICY, NOW)
const CHANNEL = withHeartbeat(withRoot(BEGUN, NOW), NOW)
const [FIRST, SECOND] = CHANNEL.roots
const { release: RELEASE, heartbeat: HEARTBEAT } = CHANNEL
assert.ok(FIRST && SECOND && RELEASE && HEARTBEAT)

/** Signed by the same two people again: what follows is refused for what it says. */
const rootWith = (change: Partial<ChannelRoot>) => edited(SECOND, change, ada, alan)
const releaseWith = (change: Partial<Release>) => edited(RELEASE, change, ada, grace)
const beatWith = (change: Partial<Heartbeat>) => edited(HEARTBEAT, change, BEAT)
/** The same payload with other signatures. */
const by = <S extends ChannelStatement>(signed: SignedStatement<S>, ...signers: TestSigner[]) =>
  signedBy(signedAs(signed, []), ...signers)

interface Asked {
  readonly pinned: string
  readonly first: SignedStatement<ChannelRoot>
  readonly second: SignedStatement<ChannelRoot>
  readonly release: SignedStatement<Release>
  readonly heartbeat: SignedStatement<Heartbeat>
  readonly releaseBefore: Reached | undefined
  readonly heartbeatBefore: Reached | undefined
  readonly now: Date
}

const HONEST: Asked = {
  pinned: FIRST.digest,
  first: FIRST,
  second: SECOND,
  release: RELEASE,
  heartbeat: HEARTBEAT,
  releaseBefore: undefined,
  heartbeatBefore: undefined,
  now: NOW,
}

/** What is refused first, on the way that an update takes. */
function ask(change: Partial<Asked>): RefusedStatement | undefined {
  const { pinned, first, second, release, heartbeat, releaseBefore, heartbeatBefore, now } = {
    ...HONEST,
    ...change,
  }
  return (
    pinnedRootProblem(first, pinned) ??
    nextRootProblem(first, second) ??
    heartbeatProblem(second, heartbeat, heartbeatBefore, now) ??
    namedReleaseProblem(heartbeat, release) ??
    releaseProblem(second, release, releaseBefore)
  )
}

/** A release with the heartbeat that names it. */
function released(release: SignedStatement<Release>): Partial<Asked> {
  const { version } = release.statement
  return { release, heartbeat: beatWith({ release: { version, blake3: release.digest } }) }
}

/** A second root, and everything under it. */
function under(second: SignedStatement<ChannelRoot>): Partial<Asked> {
  const { version, epoch } = second.statement
  const release = releaseWith({ epoch })
  const named = { version: release.statement.version, blake3: release.digest }
  const heartbeat = beatWith({ epoch, root: { version, blake3: second.digest }, release: named })
  return { second, release, heartbeat }
}

/** The codes of takeOffer alone are in test/follow/take-offer.test.ts. */
type Code = Exclude<
  RefusalCode,
  'malformed' | 'missing' | 'ended' | 'too_many_roots' | 'wrong_bytes' | 'policy_unusable'
>
type Case = readonly [what: string, good: Partial<Asked>, bad: Partial<Asked>, says: RegExp]

const place = (of: Reached, change: Partial<Reached> = {}) => ({ ...of, ...change })
const RELEASED = placeOfRelease(RELEASE)
const BEATEN = placeOfHeartbeat(HEARTBEAT)
const ANEW = under(edited(SECOND, { epoch: 2 }, ada, alan))

const CASES: { readonly [C in Code]: readonly Case[] } = {
  not_pinned: [
    ['another root', {}, { pinned: SECOND.digest }, /not the root that was pinned/],
    [
      'its payload but for one second',
      {},
      { first: edited(FIRST, { expires: after(365 * DAY + 1) }, ada, alan) },
      /not the root that was pinned/,
    ],
  ],
  too_few_signatures: [
    [
      'the pinned root by one',
      { first: by(FIRST, ada, grace) },
      { first: by(FIRST, ada) },
      /root 1 is signed by 1 of its own keys, and 2 are/,
    ],
    [
      'the pinned root by one and a stranger',
      {},
      { first: by(FIRST, ada, STRANGER) },
      /by 1 of its own keys/,
    ],
    [
      'the pinned root by one and the key of heartbeats',
      {},
      { first: by(FIRST, ada, BEAT) },
      /by 1 of its own keys/,
    ],
    [
      'the next root by one',
      { second: by(SECOND, alan, grace) },
      { second: by(SECOND, grace) },
      /root 2 is signed by 1 of the keys of root 1/,
    ],
    [
      'the release by one',
      { release: by(RELEASE, alan, grace) },
      { release: by(RELEASE, alan) },
      /release 1 is signed by 1 of the keys of root 2, and 2 are/,
    ],
    [
      'the release by the key of heartbeats',
      {},
      { release: by(RELEASE, alan, BEAT) },
      /by 1 of the keys of root 2/,
    ],
    [
      'the heartbeat by two people',
      {},
      { heartbeat: by(HEARTBEAT, ada, alan, grace) },
      /by 0 of the keys of heartbeats of root 2, and 1 is needed/,
    ],
    [
      'the heartbeat by a stranger',
      {},
      { heartbeat: by(HEARTBEAT, STRANGER) },
      /by 0 of the keys of heartbeats/,
    ],
  ],
  other_channel: [
    ['the next root', {}, { second: rootWith({ channel: OTHER_CHANNEL }) }, /root 2 is of another channel/],
    ['the heartbeat', {}, { heartbeat: beatWith({ channel: OTHER_CHANNEL }) }, /the heartbeat is of another/],
    ['the release', {}, released(releaseWith({ channel: OTHER_CHANNEL })), /release 1 is of another channel/],
  ],
  wrong_epoch: [
    [
      'the next root skips one',
      ANEW,
      under(rootWith({ epoch: 3 })),
      /root 2 has epoch 3, and root 1 epoch 1/,
    ],
    [
      'the next root goes back',
      {},
      {
        first: edited(FIRST, { epoch: 2 }, ada, alan),
        pinned: edited(FIRST, { epoch: 2 }).digest,
        second: rootWith({ channel: edited(FIRST, { epoch: 2 }).digest }),
      },
      /root 2 has epoch 1, and root 1 epoch 2/,
    ],
    [
      'the heartbeat before',
      {},
      { ...ANEW, heartbeat: HEARTBEAT },
      /the heartbeat is of epoch 1, and root 2 of epoch 2/,
    ],
    ['the heartbeat ahead', {}, { heartbeat: beatWith({ epoch: 2 }) }, /of epoch 2, and root 2 of epoch 1/],
    [
      'the release before',
      ANEW,
      {
        ...ANEW,
        release: RELEASE,
        heartbeat: edited(
          ANEW.heartbeat ?? HEARTBEAT,
          { release: { version: 1, blake3: RELEASE.digest } },
          BEAT,
        ),
      },
      /release 1 is of epoch 1, and root 2 of epoch 2/,
    ],
    ['the release ahead', {}, released(releaseWith({ epoch: 2 })), /release 1 is of epoch 2/],
  ],
  gap: [
    ['one root is left out', {}, { second: rootWith({ version: 3 }) }, /root 3 does not follow root 1/],
    ['the same root again', {}, { second: FIRST }, /root 1 does not follow root 1/],
    ['the highest number at once', {}, { second: rootWith({ version: MOST }) }, /does not follow root 1/],
  ],
  older: [
    [
      'a release',
      { releaseBefore: RELEASED },
      { releaseBefore: place(RELEASED, { at: 2 }) },
      /release 1 is older than .*: release 2 of epoch 1/,
    ],
    [
      'a release of the same number in an epoch before',
      { ...ANEW, releaseBefore: RELEASED },
      { releaseBefore: place(RELEASED, { epoch: 2 }) },
      /older/,
    ],
    [
      'a heartbeat, by a second',
      { heartbeatBefore: BEATEN },
      { heartbeatBefore: place(BEATEN, { at: BEATEN.at + 1 }) },
      /the heartbeat is older than .*: one of 2026-11-20T12:00:01Z/,
    ],
    [
      'a heartbeat in an epoch before',
      { ...ANEW, heartbeatBefore: place(BEATEN, { at: MOST }) },
      { heartbeatBefore: place(BEATEN, { epoch: 2 }) },
      /older/,
    ],
  ],
  other_content: [
    [
      'a release',
      { releaseBefore: RELEASED },
      { releaseBefore: place(RELEASED, { blake3: OTHER_CHANNEL }) },
      /release 1 has another content/,
    ],
    [
      'a heartbeat',
      { heartbeatBefore: BEATEN },
      { heartbeatBefore: place(BEATEN, { blake3: OTHER_CHANNEL }) },
      /the heartbeat has another content/,
    ],
    [
      'a heartbeat of the same second that lasts longer',
      { heartbeatBefore: BEATEN },
      { heartbeatBefore: BEATEN, heartbeat: beatWith({ expires: after(DAY - 1) }) },
      /another content/,
    ],
  ],
  other_root: [
    [
      'by version',
      {},
      { heartbeat: beatWith({ root: { version: 1, blake3: SECOND.digest } }) },
      /names root 1, and root 2 is the newest/,
    ],
    [
      'by content',
      {},
      { heartbeat: beatWith({ root: { version: 2, blake3: FIRST.digest } }) },
      /names root 2, and root 2/,
    ],
  ],
  other_release: [
    [
      'by version',
      {},
      { heartbeat: beatWith({ release: { version: 2, blake3: RELEASE.digest } }) },
      /names release 2, and release 1 is there/,
    ],
    [
      'by content',
      {},
      { heartbeat: beatWith({ release: { version: 1, blake3: FIRST.digest } }) },
      /another one than the heartbeat names/,
    ],
  ],
  lasts_too_long: [
    [
      'by a second',
      { heartbeat: beatWith({ expires: after(DAY) }) },
      { heartbeat: beatWith({ expires: after(DAY + 1) }) },
      /lasts 86401 s, and root 2 allows 86400 s/,
    ],
    ['by years', {}, { heartbeat: beatWith({ expires: '9999-12-31T23:59:59Z' }) }, /and root 2 allows/],
  ],
  ahead: [
    [
      'by more than ten minutes',
      { now: at(-600) },
      { now: new Date(at(-600).getTime() - 1) },
      /issued at 2026-11-20T12:00:00Z, which is more than 10 minutes ahead/,
    ],
  ],
}

test('what people have published is accepted', () => {
  assert.equal(ask({}), undefined)
  assert.equal(ask(ANEW), undefined)
})

for (const [code, cases] of Object.entries(CASES))
  describe(code, () => {
    for (const [what, good, bad, says] of cases)
      test(what, () => {
        assert.equal(ask(good), undefined)
        const refused = ask(bad)
        assert.equal(refused?.code, code, refused?.problem)
        assert.match(refused.problem, says)
      })
  })

test('a rotation asks the keys of both roots, each by their own threshold', () => {
  const change = { keys: [ada, alan, STRANGER].map(({ anchor }) => anchor).sort() }
  const next = (more: Partial<ChannelRoot>, ...signers: TestSigner[]) =>
    nextRootProblem(FIRST, edited(SECOND, { ...change, ...more }, ...signers))?.problem
  assert.equal(next({}, ada, alan), undefined)
  assert.equal(next({}, ada, grace, STRANGER), undefined, 'two of each, of whom one is in both')
  assert.match(next({}, ada, STRANGER) ?? '', /by 1 of the keys of root 1, and 2 are needed/)
  assert.match(next({}, ada, grace) ?? '', /by 1 of its own keys, and 2 are needed/)
  assert.equal(next({ threshold: 3 }, ada, alan, STRANGER), undefined)
  assert.match(next({ threshold: 3 }, ada, alan, grace) ?? '', /by 2 of its own keys, and 3 are needed/)
  assert.equal(next({ threshold: 1 }, ada, alan), undefined)
  assert.match(next({ threshold: 1 }, ada) ?? '', /by 1 of the keys of root 1, and 2 are needed/)
})

test('an ended root proves its successor, and the one before it need not last either', () => {
  const ended = edited(FIRST, { expires: '2020-01-01T00:00:00Z' }, ada, alan)
  const second = edited(SECOND, { channel: ended.digest, expires: '2020-01-01T00:00:00Z' }, ada, alan)
  const third = edited(second, { version: 3, expires: after(DAY) }, ada, alan)
  assert.equal(chainProblem([ended, second, third], ended.digest), undefined)
  assert.equal(chainProblem([ended, third], ended.digest)?.code, 'gap')
  assert.equal(chainProblem([ended, second, by(third, ada)], ended.digest)?.code, 'too_few_signatures')
  assert.equal(chainProblem([ended, second, third], second.digest)?.code, 'not_pinned')
})

describe('keys are compared as bytes', () => {
  const message = (signed: SignedStatement<ChannelStatement>) =>
    signedBy(signedAs(signed, []), ada).signatures[0]?.sig ?? new Uint8Array()
  const [, base64 = ''] = ada.anchor.split(':')
  const ALIASES = [
    `ed25519:${base64.replace('=', '')}`,
    `ed25519:${base64.replaceAll('+', '-').replaceAll('/', '_')}`,
    // The last character of 32 bytes has two bits that say nothing.
    `ed25519:${base64.replace('4=', '5=')}`,
    `ED25519:${base64}`,
    ` ${ada.anchor}`,
    `${ada.anchor}\n`,
    `ed25519: ${base64}`,
    `ed25519:${Buffer.from(base64, 'base64').toString('hex')}`,
  ]

  test('a key that signs under a second spelling counts once', () => {
    assert.equal(new Set([ada.anchor, ...ALIASES]).size, ALIASES.length + 1)
    const sig = message(RELEASE)
    const signatures = [ada.anchor, ...ALIASES].map(keyid => ({ keyid, sig }))
    assert.equal(ask({ release: by(RELEASE, ada, alan) }), undefined)
    const read = readSigned(signedAs(RELEASE, signatures).envelope, 'release')
    assert.ok(read.ok)
    assert.deepEqual(
      signersIn(
        read.value,
        [ada, alan, grace].map(({ anchor }) => anchor),
      ),
      [ada.anchor],
    )
    assert.equal(ask({ release: read.value })?.code, 'too_few_signatures')
  })

  test('a key that appears twice among the signatures is malformed', () => {
    const sig = message(RELEASE)
    const two = [ada, alan].map(({ anchor: keyid }) => ({ keyid, sig }))
    assert.ok(readSigned(signedAs(RELEASE, two).envelope, 'release').ok)
    const twice = [two[0], two[0]].map(one => ({ keyid: one?.keyid ?? '', sig }))
    assert.deepEqual(readSigned(signedAs(RELEASE, twice).envelope, 'release'), {
      ok: false,
      problem: 'a key appears twice',
    })
  })

  test('the signature of one key counts for no other, and none of another statement counts', () => {
    const keyid = alan.anchor
    const asAlan = signedAs(RELEASE, [{ keyid, sig: message(RELEASE) }, ...by(RELEASE, ada).signatures])
    assert.equal(ask({ release: asAlan })?.code, 'too_few_signatures')
    const ofRoot = signedAs(RELEASE, by(SECOND, ada, alan).signatures)
    assert.equal(ask({ release: ofRoot })?.code, 'too_few_signatures')
  })

  const alsoGood = (text: string, keys: string) => text.replace(/"keys":\[[^\]]*\]/, `"keys":[${keys}]`)
  const rootKeys = (keys: readonly string[]) =>
    readSigned(
      signedText(alsoGood(textOf(SECOND), keys.map(key => JSON.stringify(key)).join(',')), ada, alan),
      'root',
    )

  test('a root names each key once, in its one spelling', () => {
    const sorted = [ada.anchor, alan.anchor, grace.anchor].sort()
    assert.ok(rootKeys(sorted).ok)
    for (const alias of ALIASES) {
      const read = rootKeys([...sorted, alias].sort())
      assert.deepEqual(read, { ok: false, problem: 'one of its keys is no usable key' }, alias)
    }
    const problems = [
      [[...sorted, sorted[2] ?? ''], 'a key appears twice in its keys'],
      [[...sorted].reverse(), 'its keys are not sorted'],
      [[], 'its keys are no list of keys'],
      [[...sorted, BEAT.anchor].sort(), 'a key of the root is a key of heartbeats too'],
      // Any person can sign for a key of small order.
      [[`ed25519:AQ${'A'.repeat(41)}=`, ...sorted].sort(), 'one of its keys is no usable key'],
    ] as const
    for (const [keys, problem] of problems) assert.deepEqual(rootKeys(keys), { ok: false, problem })
  })
})

function textOf({ payload }: SignedStatement<ChannelStatement>): string {
  return Buffer.from(payload).toString('utf8')
}

/** One text in place of another, which is there once. */
function swapped(text: string, from: string, to: string): string {
  assert.equal(text.split(from).length, 2, `${from} in ${text}`)
  return text.replace(from, () => to)
}

describe('what is malformed', () => {
  const FILE = `{"blake3":"${'a'.repeat(64)}","sha256":"${'b'.repeat(64)}","size":1}`
  const named = (name: string) => [`"files":{`, `"files":{${JSON.stringify(name)}:${FILE},`] as const
  const STATEMENTS = {
    root: [SECOND, ada, alan],
    release: [RELEASE, ada, grace],
    heartbeat: [HEARTBEAT, BEAT],
  } as const
  const read = (kind: keyof typeof STATEMENTS, text: string) => {
    const [, ...signers] = STATEMENTS[kind]
    return readSigned(signedText(text, ...signers), kind)
  }
  type Edit = readonly [from: string, to: string, problem: RegExp | undefined]
  const numbers = (member: string, value: number): Edit[] => {
    const edit = (text: string, problem: RegExp | undefined): Edit => [
      `"${member}":${value}`,
      `"${member}":${text}`,
      problem,
    ]
    const otherValues = ['0', '-1', '-0', '1.5', 'null', 'true', '"2"', '[1]']
    const tooLarge = ['9007199254740992', '9007199254740993', '18446744073709551617', '1e400']
    const spellings = [`${value}.0`, `${value}e0`, `0${value}`, `+${value}`]
    return [
      edit('9007199254740991', member === 'threshold' ? /threshold/ : undefined),
      ...[...otherValues, ...tooLarge, ...spellings].map(text => edit(text, /./)),
    ]
  }
  const EDITS: { readonly [K in keyof typeof STATEMENTS]: readonly Edit[] } = {
    root: [
      ...numbers('version', 2),
      ...numbers('epoch', 1),
      ...numbers('threshold', 2),
      ['"threshold":2', '"threshold":0', /threshold is no whole number from 1 to 3/],
      ...numbers('heartbeat_seconds', DAY),
      ['"threshold":2', '"threshold":3', undefined],
      ['"threshold":2', '"threshold":1', undefined],
      ['"threshold":2', '"threshold":4', /threshold is no whole number from 1 to 3, the number of its keys/],
      ['"version":2', '"version":1', /root 1 names a channel/],
      [`"channel":"blake3:${FIRST.digest}",`, '', /it names no channel/],
      [FIRST.digest, FIRST.digest.toUpperCase(), /it names no channel/],
      ['"kind":"root"', '"kind":"release"', /no statement of the kind "root"/],
      ['"threshold":2', '"threshold":2,"threshold":2', /./],
      ['"threshold":2', '"threshold":2,"more":1', /canonical/],
      ['"threshold":2', '"threshold": 2', /canonical/],
      [after(365 * DAY), '2027-02-30T00:00:00Z', /expires is not a UTC second/],
      [after(365 * DAY), '2027-11-20T12:00:00.0Z', /expires is not a UTC second/],
      [after(365 * DAY), '2027-11-20T24:00:00Z', /expires is not a UTC second/],
    ],
    release: [
      ...numbers('version', 1),
      ...numbers('epoch', 1),
      [...named('a.txt'), undefined],
      [...named('a-._z9'), undefined],
      [...named('a'.repeat(64)), undefined],
      ...[
        '..',
        'a..b',
        'a..',
        '../a',
        'a/../b',
        'a/b',
        'a\\b',
        '.a',
        '-a',
        '_a',
        'A',
        'ä',
        '',
        'a'.repeat(65),
        'a b',
        'a\u0000',
        '7',
        '__proto__',
        '_1.root.json',
      ].map((name): Edit => [...named(name), /a name that no file|not sorted|__proto__|canonical/]),
      ['"trust-policy.toml"', '"trust-policy.tom"', /trust-policy\.toml is none of its files/],
      [`"size":${Buffer.byteLength(POLICY)}`, '"size":4194305', /the size of trust-policy\.toml/],
      [`"size":${Buffer.byteLength(POLICY)}`, '"size":4194304', undefined],
      [`"size":${Buffer.byteLength(POLICY)}`, '"size":-1', /the size of trust-policy\.toml/],
      ['"sha256":', '"sha512":', /is not described by/],
    ],
    heartbeat: [
      ...numbers('epoch', 1),
      ...numbers('version', 2),
      [`"expires":"${after(DAY)}"`, `"expires":"${after(0)}"`, /it expires before it is issued/],
      [`"expires":"${after(DAY)}"`, `"expires":"${after(1)}"`, undefined],
      [`"root":{"version":2`, `"root":{"version":0`, /does not name a root and a release/],
    ],
  }
  for (const [kind, edits] of Object.entries(EDITS) as [keyof typeof EDITS, readonly Edit[]][])
    test(`of a ${kind}`, () => {
      const text = textOf(STATEMENTS[kind][0])
      assert.ok(read(kind, text).ok)
      for (const [from, to, problem] of edits) {
        const found = read(kind, swapped(text, from, to))
        if (problem === undefined) assert.ok(found.ok, to)
        else assert.match(found.ok ? 'it is accepted' : found.problem, problem, to)
        if (problem !== undefined) assert.ok(!found.ok, to)
      }
    })

  test('16 files at most', () => {
    const files = (count: number) =>
      Array.from({ length: count - 1 }, (_, index) => `"a${String(index).padStart(2, '0')}":${FILE},`).join(
        '',
      )
    const many = (count: number) =>
      read('release', swapped(textOf(RELEASE), '"files":{', `"files":{${files(count)}`))
    assert.ok(many(16).ok)
    assert.deepEqual(many(17), { ok: false, problem: 'it has more than 16 files' })
  })
})

test('the channel is root 1, by name in every later root', () => {
  assert.equal(channelOf(FIRST), FIRST.digest)
  assert.equal(channelOf(SECOND), FIRST.digest)
  assert.equal(pinnedRootProblem(SECOND, SECOND.digest), undefined, 'any root may be the pinned one')
})
