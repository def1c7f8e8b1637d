// The three statements of a trust channel ↔ bytes. Each is a closed JSON object in the one byte sequence that this serialiser writes, in a
// DSSE envelope with a payload type of its own (docs/spec/trust-channels.md, N-1 to N-10).

import { blake3Hex } from '../bundle/blake3.ts'
import type {
  ChannelFile,
  ChannelRoot,
  ChannelStatement,
  Heartbeat,
  Release,
  SignedStatement,
  StatementName,
} from '../model/channel.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import { isTable, own } from '../model/own.ts'
import {
  isUtcSecond,
  preAuthEncoding,
  type ReadStrictly,
  readEnvelope,
  type SignatureEnvelope,
  writeEnvelope,
} from '../signature/envelope.ts'
import { isSpelledAsAnchor, readAnchor } from '../signature/kinds/index.ts'
import { digestText } from '../text/digest-text.ts'

const CHANNEL_TYPE = 'application/vnd.runloop.trust-channel.v1+json'

/** The file of a release that every release has. */
export const CHANNEL_POLICY = 'trust-policy.toml'

/** A name that is a file everywhere, and no name of ours: those begin with `_`. */
const FILE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

type Members = Readonly<Record<string, unknown>>
type Kind = ChannelStatement['kind']
type OfKind<K extends Kind> = Extract<ChannelStatement, { kind: K }>

/** What is signed: DSSE's encoding of a payload. */
export function channelMessage(payload: Uint8Array): Uint8Array {
  return preAuthEncoding(payload, CHANNEL_TYPE)
}

export function writeChannelStatement(statement: ChannelStatement): Uint8Array {
  return Buffer.from(JSON.stringify(WRITE[statement.kind](statement as never)))
}

/** The members in the order in which they are written. */
const WRITE: { readonly [K in Kind]: (statement: OfKind<K>) => object } = {
  root: ({ kind, channel, version, epoch, expires, keys, threshold, heartbeats, heartbeatSeconds }) => ({
    kind,
    ...(channel !== undefined && { channel: digestText(channel) }),
    version,
    epoch,
    expires,
    keys,
    threshold,
    heartbeats,
    heartbeat_seconds: heartbeatSeconds,
  }),
  release: ({ kind, channel, epoch, version, expires, files }) => ({
    kind,
    channel: digestText(channel),
    epoch,
    version,
    expires,
    files: Object.fromEntries(
      files.map(({ name, blake3, sha256, size }) => [name, { blake3, sha256, size }]),
    ),
  }),
  heartbeat: ({ kind, channel, epoch, root, release, issued, expires }) => ({
    kind,
    channel: digestText(channel),
    epoch,
    root: { version: root.version, blake3: root.blake3 },
    release: { version: release.version, blake3: release.blake3 },
    issued,
    expires,
  }),
}

/** The envelope of a statement. A draft may have no signatures yet. */
export function writeSigned(payload: Uint8Array, signatures: SignatureEnvelope['signatures']): Uint8Array {
  return writeEnvelope({ payload, signatures }, CHANNEL_TYPE)
}

/**
 * Bytes → a statement of one kind, every byte of which is as this serialiser writes it. No signature is checked.
 * @param least signatures that it has to have; 0 for a draft
 */
export function readSigned<K extends Kind>(
  bytes: Uint8Array,
  kind: K,
  least = 1,
): ReadStrictly<SignedStatement<OfKind<K>>> {
  const form = { payloadType: CHANNEL_TYPE, least, most: CHANNEL_LIMITS.signatures }
  const read = readEnvelope(bytes, CHANNEL_LIMITS.envelopeBytes, form)
  if (!read.ok) return read
  const { payload, signatures } = read.value
  const statement = readStatement(payload, kind)
  if (!statement.ok) return statement
  const digest = blake3Hex(payload)
  return { ok: true, value: { statement: statement.value, payload, digest, envelope: bytes, signatures } }
}

/** A payload → the statement, as strictly. What a plain parser lets pass, a member twice or bad UTF-8, is no byte sequence of our serialiser. */
function readStatement<K extends Kind>(payload: Uint8Array, kind: K): ReadStrictly<OfKind<K>> {
  const members = parsedPlainly(payload)
  if (!isTable(members)) return bad('it is no JSON object')
  if (members['kind'] !== kind) return bad(`it is no statement of the kind "${kind}"`)
  const read = READ[kind](members as Members)
  if (typeof read === 'string') return bad(read)
  return Buffer.compare(writeChannelStatement(read), payload) === 0
    ? { ok: true, value: read as OfKind<K> }
    : bad('it is not in canonical form')
}

/** The value, or `undefined` if it is not JSON. */
function parsedPlainly(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The statement, or what is wrong with it. */
const READ: { readonly [K in Kind]: (members: Members) => OfKind<K> | string } = {
  root: readRoot,
  release: readRelease,
  heartbeat: readHeartbeat,
}

function readRoot(members: Members): ChannelRoot | string {
  const { channel, version, epoch, expires, keys, threshold, heartbeats } = members
  const heartbeatSeconds = members['heartbeat_seconds']
  if (!isCount(version)) return 'its version is no whole number from 1 to 2^53-1'
  if (!isCount(epoch)) return 'its epoch is no whole number from 1 to 2^53-1'
  const id = channel === undefined ? undefined : digestIn(channel)
  if (version === 1 && channel !== undefined) return 'root 1 names a channel, which has its name from root 1'
  if (version > 1 && id === undefined) return 'it names no channel'
  if (!isUtcSecond(expires)) return 'its expires is not a UTC second'
  const rootKeys = keysIn(keys, 'keys')
  if (typeof rootKeys === 'string') return rootKeys
  const heartbeatKeys = keysIn(heartbeats, 'heartbeats')
  if (typeof heartbeatKeys === 'string') return heartbeatKeys
  if (rootKeys.some(key => heartbeatKeys.includes(key))) return 'a key of the root is a key of heartbeats too'
  if (!isCount(threshold) || threshold > rootKeys.length)
    return `its threshold is no whole number from 1 to ${rootKeys.length}, the number of its keys`
  if (!isCount(heartbeatSeconds)) return 'its heartbeat_seconds is no whole number from 1 to 2^53-1'
  return {
    kind: 'root',
    channel: id,
    version,
    epoch,
    expires,
    keys: rootKeys,
    threshold,
    heartbeats: heartbeatKeys,
    heartbeatSeconds,
  }
}

function readRelease(members: Members): Release | string {
  const { epoch, version, expires, files } = members
  const channel = digestIn(members['channel'])
  if (channel === undefined) return 'it names no channel'
  if (!isCount(epoch)) return 'its epoch is no whole number from 1 to 2^53-1'
  if (!isCount(version)) return 'its version is no whole number from 1 to 2^53-1'
  if (!isUtcSecond(expires)) return 'its expires is not a UTC second'
  if (!isTable(files)) return 'it has no files'
  const names = Object.keys(files)
  if (names.length > CHANNEL_LIMITS.files) return `it has more than ${CHANNEL_LIMITS.files} files`
  if (!names.includes(CHANNEL_POLICY)) return `${CHANNEL_POLICY} is none of its files`
  if (names.some((name, at) => at > 0 && !((names[at - 1] ?? '') < name))) return 'its files are not sorted'
  const read: ChannelFile[] = []
  for (const name of names) {
    if (!isChannelFileName(name)) return 'a file has a name that no file of a release may have'
    const { blake3, sha256, size, ...others } = membersAt(files, name)
    if (!isHex(blake3) || !isHex(sha256) || Object.keys(others).length > 0)
      return `${name} is not described by blake3, sha256 and size`
    if (
      typeof size !== 'number' ||
      !Number.isSafeInteger(size) ||
      size < 0 ||
      size > CHANNEL_LIMITS.fileBytes
    )
      return `the size of ${name} is no whole number up to ${CHANNEL_LIMITS.fileBytes}`
    read.push({ name, blake3, sha256, size })
  }
  return { kind: 'release', channel, epoch, version, expires, files: read }
}

function readHeartbeat(members: Members): Heartbeat | string {
  const { epoch, issued, expires } = members
  const channel = digestIn(members['channel'])
  if (channel === undefined) return 'it names no channel'
  if (!isCount(epoch)) return 'its epoch is no whole number from 1 to 2^53-1'
  const root = nameIn(members['root'])
  const release = nameIn(members['release'])
  if (root === undefined || release === undefined)
    return 'it does not name a root and a release by version and blake3'
  if (!isUtcSecond(issued) || !isUtcSecond(expires)) return 'issued and expires are not UTC seconds'
  if (!(issued < expires)) return 'it expires before it is issued'
  return { kind: 'heartbeat', channel, epoch, root, release, issued, expires }
}

/** Whether a release may have a file of this name. JSON objects of some languages sort names of digits before others, so there are none. */
export function isChannelFileName(name: string): boolean {
  return FILE_NAME.test(name) && !name.includes('..') && !/^[0-9]+$/.test(name)
}

/** BLAKE3 of the payload of root 1: what a channel is. */
export function channelOf({ statement, digest }: SignedStatement<ChannelRoot>): string {
  return statement.channel ?? digest
}

/** Anchor strings in their one spelling, sorted, each once; or what is wrong. */
function keysIn(value: unknown, what: string): readonly string[] | string {
  if (!Array.isArray(value) || value.length === 0) return `its ${what} are no list of keys`
  if (value.length > CHANNEL_LIMITS.keys) return `it has more than ${CHANNEL_LIMITS.keys} ${what}`
  const keys: string[] = []
  for (const key of value) {
    if (typeof key !== 'string' || !isSpelledAsAnchor(key) || 'problem' in readAnchor(key))
      return `one of its ${what} is no usable key`
    const before = keys.at(-1)
    if (before === key) return `a key appears twice in its ${what}`
    if (before !== undefined && before > key) return `its ${what} are not sorted`
    keys.push(key)
  }
  return keys
}

function membersAt(files: Members, name: string): Members {
  const one = own(files, name)
  return isTable(one) ? one : {}
}

function nameIn(value: unknown): StatementName | undefined {
  if (!isTable(value)) return undefined
  const { version, blake3 } = value as Members
  return isCount(version) && isHex(blake3) ? { version, blake3 } : undefined
}

function digestIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^blake3:[0-9a-f]{64}$/.test(value) ? value.slice(7) : undefined
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
