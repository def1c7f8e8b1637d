// Whatever a place offers, one update after the other, honest statements among edited ones: a host never goes back, never has two contents of one
// number, and takes nothing that fewer keys have signed than have to. Signatures are counted here anew, by other code.
import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { blake3Hex } from '../../src/bundle/blake3.ts'
import { drafted } from '../../src/channel/next-statements.ts'
import { readChannelState, writeChannelState } from '../../src/channel-file/state.ts'
import { takeOffer } from '../../src/follow/take-offer.ts'
import type {
  ChannelRoot,
  ChannelState,
  ChannelStatement,
  Heartbeat,
  Release,
  SignedStatement,
} from '../../src/model/channel.ts'
import { publicKey } from '../../src/signature/ed25519.ts'
import { secondAfter } from '../../src/text/time.ts'
import { channelFile, newChannelState } from '../../src/trust/channels/advance.ts'
import { judgeChannel } from '../../src/trust/channels/judge-channel.ts'
import {
  BEAT,
  DAY,
  filesOf,
  offerOf,
  PEOPLE,
  rootOne,
  STRANGER,
  signedAs,
  signedBy,
} from '../support/channel-world.ts'
import { among, IN_CI, runs } from '../support/runs.ts'
import { signer, type TestSigner } from '../support/signed.ts'
import '../support/seed.ts'
import { POLICY } from '../support/trust-world.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const { ada, alan, grace } = PEOPLE
const LINUS = signer(66)
/** By name, so that a step that fails can be read. */
const EVERYBODY: Readonly<Record<string, TestSigner>> = {
  ada,
  alan,
  grace,
  linus: LINUS,
  stranger: STRANGER,
  beat: BEAT,
}
const FIRST = rootOne(NOW)
const [CHANNEL, OTHER_CHANNEL] = [FIRST.digest, '1'.repeat(64)]
const FOLLOWED = { name: 'house', reference: '', root: FIRST.digest }
const anchors = (...people: readonly TestSigner[]) => people.map(({ anchor }) => anchor).sort()

/** Who speaks under a root that came later. */
const SPEAKERS = [
  { keys: anchors(ada, alan, grace), threshold: 2 },
  { keys: anchors(ada, alan, grace), threshold: 3 },
  { keys: anchors(ada, grace, LINUS), threshold: 2 },
  { keys: anchors(LINUS), threshold: 1 },
]
const POLICIES: readonly ReadonlyMap<string, Uint8Array>[] = [
  POLICY,
  `${POLICY}# another\n`,
  `${POLICY}# a third\n`,
].map(policy => filesOf(policy))

// A place makes each thing as it likes. What is honest is the likeliest, or nothing would ever be taken.
const signers = fc.oneof(
  { weight: 5, arbitrary: fc.constant(['ada', 'alan', 'grace', 'linus']) },
  { weight: 3, arbitrary: fc.subarray(Object.keys(EVERYBODY), { minLength: 1 }) },
)
const mostly = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
const numbers = fc.integer({ min: 1, max: 4 })

const root = fc.record({
  speakers: fc.constantFrom(...SPEAKERS),
  epochMore: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, -1),
  versionMore: mostly(0, 1, -1),
  channel: mostly(CHANNEL, OTHER_CHANNEL),
  days: mostly(300, -1),
  signers,
})
const release = fc.record({
  version: fc.oneof(
    { weight: 6, arbitrary: numbers },
    { weight: 1, arbitrary: fc.constant(Number.MAX_SAFE_INTEGER) },
  ),
  policy: fc.nat(POLICIES.length - 1),
  epochMore: mostly(0, 1, -1),
  channel: mostly(CHANNEL, OTHER_CHANNEL),
  days: mostly(30, -1),
  signers,
})
const heartbeat = fc.record({
  /** In minutes after the clock of the step. */
  issued: fc.integer({ min: -4, max: 11 }),
  seconds: mostly(DAY, DAY + 1, 1, 3600),
  names: mostly('both', 'another root', 'another release'),
  epochMore: mostly(0, 1),
  channel: mostly(CHANNEL, OTHER_CHANNEL),
  signer: mostly('beat', 'stranger', 'ada'),
})
const step = fc.record({
  /** How many of the roots it shows that the host knows, with a new one. */
  rootsShown: mostly(99, 1, 2),
  root: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: root }),
  release,
  heartbeat,
  files: mostly('right', 'others', 'none'),
  /** In minutes after the step before, or before it. */
  later: fc.integer({ min: -11, max: 14 }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Some have signed, and a forger says that others have. */
function made<S extends ChannelStatement>(statement: S, by: readonly string[]): SignedStatement<S> {
  const people = by.flatMap(name => EVERYBODY[name] ?? [])
  const signed = signedBy(drafted(statement, 'test'), ...people)
  const others = Object.values(EVERYBODY).filter(one => !people.includes(one))
  const sig = signed.signatures[0]?.sig ?? new Uint8Array(64)
  return signedAs(signed, [...signed.signatures, ...others.map(({ anchor }) => ({ keyid: anchor, sig }))])
}

function nextRoot(
  before: SignedStatement<ChannelRoot>,
  { speakers, signers, ...one }: NonNullable<Step['root']>,
) {
  const { statement } = before
  const about = {
    version: Math.max(2, statement.version + 1 + one.versionMore),
    channel: one.channel,
    epoch: Math.max(1, statement.epoch + one.epochMore),
    expires: secondAfter(NOW, one.days * DAY),
  }
  return made<ChannelRoot>({ ...statement, ...speakers, ...about }, signers)
}

/** What a place offers in a step, made with regard to the newest root that it shows. */
function offered(
  shown: readonly SignedStatement<ChannelRoot>[],
  { release: r, heartbeat: h, files }: Step,
  now: Date,
) {
  const newest = shown.at(-1) ?? FIRST
  const { epoch, version } = newest.statement
  const right = POLICIES[r.policy] ?? new Map<string, Uint8Array>()
  const released = made<Release>(
    {
      kind: 'release',
      channel: r.channel,
      epoch: Math.max(1, epoch + r.epochMore),
      version: r.version,
      expires: secondAfter(NOW, r.days * DAY),
      files: [...right].map(([name, bytes]) => channelFile(name, bytes)),
    },
    r.signers,
  )
  const issued = new Date(now.getTime() + h.issued * 60_000)
  const beaten = made<Heartbeat>(
    {
      kind: 'heartbeat',
      channel: h.channel,
      epoch: epoch + h.epochMore,
      root: { version, blake3: h.names === 'another root' ? OTHER_CHANNEL : newest.digest },
      release: {
        version: r.version,
        blake3: h.names === 'another release' ? OTHER_CHANNEL : released.digest,
      },
      issued: secondAfter(issued, 0),
      expires: secondAfter(issued, h.seconds),
    },
    [h.signer],
  )
  const others = POLICIES[(r.policy + 1) % POLICIES.length] ?? new Map()
  const given = { right, others, none: new Map<string, Uint8Array>() }[files] ?? right
  const offer = offerOf({ roots: shown, release: released, heartbeat: beaten, files: given })
  // Under the number that is asked for, whatever its own is.
  return { ...offer, root: async (version: number) => shown[version - 1]?.envelope }
}

const TYPE = 'application/vnd.runloop.trust-channel.v1+json'
const verified = new Map<string, boolean>()

/** A host keeps what it took, so the same bytes come back in every step: each signature is verified once. */
function isSignedBy(key: string, payload: Uint8Array, sig: Uint8Array): boolean {
  const bytes = [payload, sig].map(one => Buffer.from(one).toString('base64'))
  const about = [key, ...bytes].join(' ')
  const known = verified.get(about)
  if (known !== undefined) return known
  const message = Buffer.concat([Buffer.from(`DSSEv1 ${TYPE.length} ${TYPE} ${payload.length} `), payload])
  const object = publicKey(Buffer.from(key.replace('ed25519:', ''), 'base64'))
  const is = verify(null, message, object, sig)
  verified.set(about, is)
  return is
}

/** How many of some keys have signed, counted without the code that is tested. */
function signedByOf(
  keys: readonly string[],
  { payload, signatures }: SignedStatement<ChannelStatement>,
): number {
  const counting = keys.filter(key =>
    signatures.some(({ keyid, sig }) => keyid === key && isSignedBy(key, payload, sig)),
  )
  return new Set(counting).size
}

function refuseTooFew(of: ChannelRoot, signed: SignedStatement<ChannelStatement>): void {
  assert.ok(signedByOf(of.keys, signed) >= of.threshold, `too few have signed ${signed.statement.kind}`)
}

/** Everything that was ever taken, by kind, epoch and number. */
class Memory {
  readonly #contents = new Map<string, string>()
  readonly #highest = new Map<string, readonly [epoch: number, number: number]>()

  take(kind: string, epoch: number, number: number, digest: string): void {
    const [oldEpoch, old] = this.#highest.get(kind) ?? [0, 0]
    assert.ok(epoch > oldEpoch || (epoch === oldEpoch && number >= old), `${kind} goes back`)
    this.#highest.set(kind, [epoch, number])
    const key = `${kind} ${epoch} ${number}`
    assert.equal(this.#contents.get(key) ?? digest, digest, `two contents of ${key}`)
    this.#contents.set(key, digest)
  }
}

/** What must hold between two states, whatever happened. */
function checkTaken(before: ChannelState, after: ChannelState, isRefused: boolean, memory: Memory): void {
  assert.deepEqual(
    after.roots.slice(0, before.roots.length).map(({ digest }) => digest),
    before.roots.map(({ digest }) => digest),
  )
  for (const [index, one] of after.roots.entries()) {
    const earlier = after.roots[index - 1]?.statement
    refuseTooFew(one.statement, one)
    if (earlier !== undefined) refuseTooFew(earlier, one)
    assert.equal(one.statement.version, index + 1)
    memory.take(`root ${index + 1}`, one.statement.epoch, one.statement.version, one.digest)
    assert.ok(earlier === undefined || one.statement.epoch - earlier.epoch <= 1)
  }
  const { release, heartbeat, files } = after
  if (isRefused) {
    assert.deepEqual([release, heartbeat, files], [before.release, before.heartbeat, before.files])
    return
  }
  const [newest] = after.roots.slice(-1)
  assert.ok(newest && release && heartbeat)
  refuseTooFew(newest.statement, release)
  assert.ok(signedByOf(newest.statement.heartbeats, heartbeat) > 0)
  assert.equal(heartbeat.statement.root.blake3, newest.digest)
  assert.equal(heartbeat.statement.release.blake3, release.digest)
  assert.deepEqual([release.statement.channel, heartbeat.statement.channel], [CHANNEL, CHANNEL])
  const { epoch } = newest.statement
  assert.deepEqual([release.statement.epoch, heartbeat.statement.epoch], [epoch, epoch])
  memory.take('release', epoch, release.statement.version, release.digest)
  memory.take('heartbeat', epoch, Date.parse(heartbeat.statement.issued) / 1000, heartbeat.digest)
  assert.deepEqual(
    [...files.keys()],
    release.statement.files.map(({ name }) => name),
  )
  for (const { name, blake3 } of release.statement.files)
    assert.equal(blake3Hex(files.get(name) ?? new Uint8Array()), blake3)
}

/** By day as few as still meet everything that is named below. */
const RUNS = IN_CI ? runs(1500) : 75

test('a host never goes back, has one content of each number, and takes what enough have signed', async () => {
  const met: Record<string, number> = {}
  const meet = (what: string) => {
    met[what] = (met[what] ?? 0) + 1
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async steps => {
      const memory = new Memory()
      let known = newChannelState(FIRST.digest)
      let now = NOW
      for (const one of steps) {
        now = new Date(now.getTime() + one.later * 60_000)
        const before = known.roots.length === 0 ? [FIRST] : known.roots
        const [newest = FIRST] = before.slice(-1)
        const roots = one.root === null ? before : [...before, nextRoot(newest, one.root)]
        const proven: ChannelState[] = []
        const { state, refused } = await takeOffer(
          known,
          offered(roots.slice(0, one.rootsShown), one, now),
          now,
          async at => {
            proven.push(at)
          },
        )
        meet(
          refused?.code ??
            (known.release === undefined || known.release.digest === state.release?.digest
              ? 'taken'
              : 'taken anew'),
        )
        const [old, next] = [known.release?.statement, state.release?.statement]
        if (old && next && next.epoch > old.epoch && next.version < old.version) meet('numbers forgotten')
        if (state.roots.length > Math.max(1, known.roots.length)) meet('rotated')
        if ((state.roots.at(-1)?.statement.epoch ?? 1) > (known.roots.at(-1)?.statement.epoch ?? 1))
          meet('counted anew')
        assert.equal(proven.length, state.roots.length - known.roots.length)
        checkTaken(known, state, refused !== undefined, memory)
        known = refused === undefined ? { ...state, updated: secondAfter(now, 0) } : state
        // As it comes back from the disk.
        const read = readChannelState(writeChannelState(known))
        assert.ok(read.ok)
        assert.deepEqual(writeChannelState(read.state), writeChannelState(known))
        known = read.state
        const source = judgeChannel(FOLLOWED, known, now)
        if (source.policy === undefined) {
          meet(source.code ?? 'no code')
          continue
        }
        meet('decides')
        const [speaks] = known.roots.slice(-1)
        assert.ok(speaks && known.release)
        refuseTooFew(speaks.statement, known.release)
        assert.equal(source.digest, known.release.statement.files[0]?.blake3)
      }
    }),
    { numRuns: RUNS },
  )
  // What the property is about has happened, often enough.
  for (const what of [
    'taken',
    'taken anew',
    'decides',
    'rotated',
    'counted anew',
    'numbers forgotten',
    'trust_channel_stale',
    ...['too_few_signatures', 'older', 'other_content', 'wrong_epoch', 'other_channel', 'other_root'],
    ...['other_release', 'lasts_too_long', 'ended', 'wrong_bytes', 'missing', 'gap'],
  ])
    assert.ok((met[what] ?? 0) >= Math.max(1, among(20, 1500)), `${what} in ${JSON.stringify(met)}`)
})
