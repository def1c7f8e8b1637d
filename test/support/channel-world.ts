// A trust channel for tests, made by the functions that publish one: three people, two of whom sign, and a key of heartbeats.
import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChannelContents, NO_DRAFT, writeContents } from '../../src/channel/contents.ts'
import {
  drafted,
  firstRoot,
  heartbeatFor,
  nextRelease,
  nextRoot,
  type Rotation,
} from '../../src/channel/next-statements.ts'
import { addSignature, completed, messageOf } from '../../src/channel/signatures.ts'
import { writeChannelState } from '../../src/channel-file/state.ts'
import { channelMessage, writeSigned } from '../../src/channel-file/statement.ts'
import type { ChannelOffer } from '../../src/follow/channel-store.ts'
import { takeOffer } from '../../src/follow/take-offer.ts'
import type { ChannelPlaces } from '../../src/io/channel-places.ts'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import type { ChannelRoot, ChannelState, ChannelStatement, SignedStatement } from '../../src/model/channel.ts'
import { openStore } from '../../src/registry/open-store.ts'
import { secondAfter } from '../../src/text/time.ts'
import { newChannelState } from '../../src/trust/channels/advance.ts'
import { type Ran, run } from './fake-terminal.ts'
import { PATH } from './host.ts'
import { signer, type TestSigner } from './signed.ts'
import { KEYS, POLICY } from './trust-world.ts'

export const PEOPLE = { ada: signer(61), alan: signer(62), grace: signer(63) } as const
export const BEAT: TestSigner = signer(64)
export const STRANGER: TestSigner = signer(65)

/** The moment at which tests that take the time begin, and moments around it. */
export const NOW: Date = new Date('2026-11-20T12:00:00Z')
export const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000)
export const after = (seconds: number): string => secondAfter(NOW, seconds)
export const DAY = 86_400

export const NO_CHANGE: Omit<Rotation, 'expires'> = {
  addKeys: [],
  removeKeys: [],
  addHeartbeats: [],
  removeHeartbeats: [],
  threshold: undefined,
  heartbeatSeconds: undefined,
  newEpoch: false,
}

/** A draft with the signatures of some. */
export function signedBy<S extends ChannelStatement>(
  draft: SignedStatement<S>,
  ...signers: readonly TestSigner[]
): SignedStatement<S> {
  return signers.reduce(
    (signed, { anchor, sign }) =>
      addSignature(
        signed,
        signed.signatures.map(({ keyid }) => keyid),
        { keyid: anchor, sig: sign(messageOf(signed)) },
      ),
    draft,
  )
}

/** Root 1: two of three people, heartbeats of a day. */
export function rootOne(now: Date, about: Partial<ChannelRoot> = {}): SignedStatement<ChannelRoot> {
  const root = firstRoot({
    expires: secondAfter(now, 365 * DAY),
    threshold: 2,
    heartbeatSeconds: DAY,
    keys: Object.values(PEOPLE).map(({ anchor }) => anchor),
    heartbeats: [BEAT.anchor],
    ...about,
  })
  return signedBy(drafted(root, 'test'), PEOPLE.ada, PEOPLE.alan)
}

export const NOTHING: ChannelContents = {
  name: 'house',
  roots: [],
  release: undefined,
  files: new Map(),
  heartbeat: undefined,
  draft: NO_DRAFT,
}

export function filesOf(
  policy: string,
  others: Readonly<Record<string, Uint8Array>> = {},
): Map<string, Uint8Array> {
  return new Map([['trust-policy.toml', new Uint8Array(Buffer.from(policy))], ...Object.entries(others)])
}

/** The next release of a policy, signed by two people or by some others. */
export function withRelease(
  contents: ChannelContents,
  policy: string,
  now: Date,
  by: readonly TestSigner[] = [PEOPLE.ada, PEOPLE.grace],
  days = 30,
  others: Readonly<Record<string, Uint8Array>> = {},
): ChannelContents {
  const files = filesOf(policy, others)
  const release = signedBy(drafted(nextRelease(contents, files, secondAfter(now, days * DAY)), 'test'), ...by)
  return completed({ ...contents, draft: { root: undefined, release, files } })
}

export function withHeartbeat(
  contents: ChannelContents,
  now: Date,
  seconds = DAY,
  by: TestSigner = BEAT,
): ChannelContents {
  const heartbeat = heartbeatFor(contents, secondAfter(now, 0), secondAfter(now, seconds))
  return { ...contents, heartbeat: signedBy(drafted(heartbeat, 'test'), by) }
}

/** The next root, signed by two people. */
export function withRoot(
  contents: ChannelContents,
  now: Date,
  change: Partial<Rotation> = {},
  by: readonly TestSigner[] = [PEOPLE.ada, PEOPLE.alan],
): ChannelContents {
  const [newest] = contents.roots.slice(-1)
  if (newest === undefined) throw new Error('there is no root')
  const root = nextRoot(newest, { ...NO_CHANGE, expires: secondAfter(now, 365 * DAY), ...change })
  return { ...contents, roots: [...contents.roots, signedBy(drafted(root, 'test'), ...by)] }
}

/** A channel with one release and a heartbeat. */
export function channelWith(policy: string, now: Date = new Date()): ChannelContents {
  return withHeartbeat(withRelease({ ...NOTHING, roots: [rootOne(now)] }, policy, now), now)
}

/** The digest that a person gives to another. */
export function pinOf({ roots }: ChannelContents, version = 1): string {
  return `blake3:${roots[version - 1]?.digest}`
}

/** Stores it without a question. */
export async function publish(contents: ChannelContents, reference: string): Promise<void> {
  const deadline = new Deadline(new AbortController().signal)
  const store = await openStore(
    referenceIn(reference, 'publish'),
    { access: { env: {} }, deadline },
    { writes: true },
  )
  try {
    await store.changing(() => writeContents(store, contents))
  } finally {
    await store.close()
  }
}

/** A statement with other signatures, also none. */
export function signedAs<S extends ChannelStatement>(
  signed: SignedStatement<S>,
  signatures: SignedStatement<S>['signatures'],
): SignedStatement<S> {
  return { ...signed, signatures, envelope: writeSigned(signed.payload, signatures) }
}

/** What is published, as a place offers it. @param change a text is another one */
export function offerOf(
  { roots, release, heartbeat, files }: Pick<ChannelContents, 'roots' | 'release' | 'heartbeat' | 'files'>,
  change: (name: string, bytes: Uint8Array) => Uint8Array = (_, bytes) => bytes,
): ChannelOffer {
  const said = (name: string, bytes: Uint8Array | undefined) => bytes && change(name, bytes)
  const root = (version: number) =>
    said(`root ${version}`, roots.find(({ statement }) => statement.version === version)?.envelope)
  return {
    async *pinned() {
      for (const { statement } of roots) yield root(statement.version) as Uint8Array
    },
    root: async version => root(version),
    heartbeat: async () => said('heartbeat', heartbeat?.envelope),
    release: async () => said('release', release?.envelope),
    file: async name => said(name, files.get(name)),
  }
}

/** What a host knows that has taken all of it. @param pinned version of the root that a person pinned */
export async function takenFrom(contents: ChannelContents, now: Date, pinned = 1): Promise<ChannelState> {
  const state = newChannelState(pinOf(contents, pinned).slice('blake3:'.length))
  const { state: taken, refused } = await takeOffer(state, offerOf(contents), now)
  assert.equal(refused, undefined)
  return { ...taken, updated: secondAfter(now, 0) }
}

/** Writes down that a channel is followed, and what is known of it. */
export function writeFollowed(
  { list, states }: ChannelPlaces,
  { pinned, ...known }: ChannelState,
  name = 'house',
): string {
  mkdirSync(states, { recursive: true, mode: 0o755 })
  const table = `[channels.${name}]\nreference = "oci-layout:/house"\nroot = "blake3:${pinned}"\n`
  writeFileSync(list, table, { mode: 0o644 })
  const path = join(states, `${pinned}.channel`)
  writeFileSync(path, writeChannelState({ pinned, ...known }), { mode: 0o644 })
  return path
}

/** The same statement but for some members, signed by others. */
export function edited<S extends ChannelStatement>(
  { statement }: SignedStatement<S>,
  change: Partial<S>,
  ...signers: readonly TestSigner[]
): SignedStatement<S> {
  return signedBy(drafted({ ...statement, ...change }, 'test'), ...signers)
}

/** Any text in an envelope, also what no writer makes. */
export function signedText(payload: string, ...signers: readonly TestSigner[]): Uint8Array {
  const bytes = Buffer.from(payload)
  const sign = (one: TestSigner) => ({ keyid: one.anchor, sig: one.sign(channelMessage(bytes)) })
  return writeSigned(bytes, signers.map(sign))
}

/** The seeds of the keys in channel-world.ts. */
const SEEDS = { ada: 61, alan: 62, grace: 63, beat: 64, stranger: 65, linus: 66 } as const

export const MORE_POLICY = `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = "laptop lost" }\n`

export interface Publishing {
  readonly cwd: string
  readonly home: string
  /** As a person sees it. */
  say(...args: readonly string[]): Promise<Ran>
  /** @returns the `result` of its envelope; it has to exit with 0 */
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any command
  good(...args: readonly string[]): Promise<any>
  /** It has to be refused. @returns its code and exit code, its message and hint */
  bad(...args: readonly string[]): Promise<{ readonly is: string; readonly says: string }>
  /** Writes the public halves of keys beside the policies: `ada.pub`. */
  publicKeys(...names: readonly (keyof typeof SEEDS)[]): void
  /** A channel `house` with root 1 and release 1, which two of three have signed, and a heartbeat. */
  complete(): Promise<void>
}

export function publishing(cwd: string): Publishing {
  const home = join(cwd, 'home')
  mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 })
  for (const [name, seed] of Object.entries(SEEDS))
    writeFileSync(join(home, 'keys', `${name}.pem`), pem(seed), { mode: 0o600 })
  writeFileSync(join(cwd, 'policy.toml'), POLICY)
  writeFileSync(join(cwd, 'more.toml'), MORE_POLICY)
  const say = (...args: readonly string[]) => {
    process.env['RUNLOOP_HOME'] = home
    return run(['channel', ...args], undefined, { cwd, env: { PATH, RUNLOOP_HOME: home } })
  }
  const json = async (args: readonly string[]) => {
    const { exit, stdout, stderr } = await say(...args, '--json')
    return { exit, stderr, envelope: JSON.parse(stdout) }
  }
  const good = async (...args: readonly string[]) => {
    const { exit, envelope } = await json(args)
    assert.equal(exit, 0, `${args.join(' ')}: ${JSON.stringify(envelope)}`)
    return { ...envelope.result, warnings: envelope.warnings ?? [] }
  }
  return {
    cwd,
    home,
    say,
    good,
    async bad(...args) {
      const { exit, envelope } = await json(args)
      assert.equal(envelope.ok, false, args.join(' '))
      return { is: `${envelope.code} ${exit}`, says: `${envelope.message} | ${envelope.hint ?? ''}` }
    },
    publicKeys(...names) {
      for (const name of names) {
        const half = createPublicKey(pem(SEEDS[name])).export({ type: 'spki', format: 'pem' })
        writeFileSync(join(cwd, `${name}.pub`), half)
      }
    },
    async complete() {
      await good(...INIT)
      await good('release', 'house', 'policy.toml')
      await good('sign', 'house', '--key', 'ada', '--yes')
      await good('sign', 'house', '--key', 'alan', '--yes')
      await good('heartbeat', 'house', '--key', 'beat')
    },
  }
}

export const INIT: readonly string[] = [
  ...['init', 'house', '--name', 'house', '--key', 'ada', '--key', 'alan', '--key', 'grace'],
  ...['--threshold', '2', '--heartbeat-key', 'beat'],
]

function pem(seed: number): string {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()
}
