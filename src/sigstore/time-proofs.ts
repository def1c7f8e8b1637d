// Reads what proves when a signature was made: an entry of Rekor, version 1 or 2, and the answer of a time stamp authority (RFC 3161). Both
// are compared with what was signed. Whether the log or the authority counts is for the verifier to decide.
import { hash } from 'node:crypto'
import { parseJson } from '../json/parse.ts'
import { isTable, own } from '../model/own.ts'
import { canonicalBase64 } from '../signature/ed25519.ts'
import { children, type Der, only } from './certificate.ts'

/** TransparencyLogEntry of Sigstore’s protocol, in JSON. */
export interface LogEntry {
  readonly logIndex: string
  readonly logId: { readonly keyId: string }
  readonly kindVersion: { readonly kind: string; readonly version: string }
  /** Seconds since 1970; left out where the log says no time. */
  readonly integratedTime?: string
  readonly inclusionPromise?: { readonly signedEntryTimestamp: string }
  readonly inclusionProof?: InclusionProof
  readonly canonicalizedBody: string
}

interface InclusionProof {
  readonly logIndex: string
  readonly rootHash: string
  readonly treeSize: string
  readonly hashes: readonly string[]
  readonly checkpoint: { readonly envelope: string }
}

/** What the entry has to be about. */
export interface Logged {
  readonly payload: Uint8Array
  readonly signature: Uint8Array
}

type Table = Readonly<Record<string, unknown>>
type ReadEntry = { readonly entry: LogEntry } | { readonly problem: string }

const MOST_HASHES = 64

export function readEntry1(bytes: Uint8Array, logged: Logged): ReadEntry {
  const entries = Object.values(tableIn(bytes) ?? {})
  const [value] = entries
  if (entries.length !== 1 || !isTable(value)) return { problem: 'it is not one entry' }
  const verification = own(value, 'verification')
  const promise = isTable(verification) ? base64(own(verification, 'signedEntryTimestamp')) : undefined
  const body = base64(own(value, 'body'))
  const keyId = hex(own(value, 'logID'))
  const logIndex = count(own(value, 'logIndex'))
  const integratedTime = count(own(value, 'integratedTime'))
  if (body === undefined || keyId === undefined || logIndex === undefined || integratedTime === undefined)
    return { problem: 'it has no body, index, time and log' }
  if (promise === undefined) return { problem: 'it has no promise of the log (signedEntryTimestamp)' }
  const proof = proofIn(isTable(verification) ? own(verification, 'inclusionProof') : undefined, hex)
  if (proof === 'malformed') return { problem: 'its proof of inclusion cannot be read' }
  return about(
    {
      logIndex,
      logId: { keyId },
      kindVersion: { kind: 'dsse', version: '0.0.1' },
      integratedTime,
      inclusionPromise: { signedEntryTimestamp: promise },
      ...(proof !== undefined && { inclusionProof: proof }),
      canonicalizedBody: body,
    },
    logged,
  )
}

export function readEntry2(bytes: Uint8Array, logged: Logged): ReadEntry {
  const value = tableIn(bytes)
  if (value === undefined) return { problem: 'it is no entry' }
  const id = own(value, 'logId')
  const keyId = isTable(id) ? base64(own(id, 'keyId')) : undefined
  const body = base64(own(value, 'canonicalizedBody'))
  const logIndex = count(own(value, 'logIndex') ?? 0)
  if (body === undefined || keyId === undefined || logIndex === undefined)
    return { problem: 'it has no body, index and log' }
  const proof = proofIn(own(value, 'inclusionProof'), base64)
  if (proof === undefined || proof === 'malformed') return { problem: 'it has no proof of inclusion' }
  return about(
    {
      logIndex,
      logId: { keyId },
      kindVersion: { kind: 'dsse', version: '0.0.2' },
      inclusionProof: proof,
      canonicalizedBody: body,
    },
    logged,
  )
}

/** An entry for another signature would make a bundle that no verifier accepts. */
function about(entry: LogEntry, { payload, signature }: Logged): ReadEntry {
  const { kind, version } = entry.kindVersion
  const body = tableIn(Buffer.from(entry.canonicalizedBody, 'base64'))
  if (body === undefined || own(body, 'kind') !== kind || own(body, 'apiVersion') !== version)
    return { problem: `it is no entry of the kind ${kind} ${version}` }
  const spec = at(body, 'spec')
  const said = version === '0.0.1' ? spec : at(spec, 'dsseV002')
  const signatures = said === undefined ? undefined : own(said, 'signatures')
  const [first, second] = Array.isArray(signatures) ? signatures : []
  const name = version === '0.0.1' ? 'signature' : 'content'
  const sig = isTable(first) && second === undefined ? own(first, name) : undefined
  const digest = at(said, 'payloadHash')
  const payloadHash =
    version === '0.0.1'
      ? hex(digest && own(digest, 'value'))
      : base64(digest === undefined ? undefined : own(digest, 'digest'))
  const isOurs =
    sig === Buffer.from(signature).toString('base64') && payloadHash === hash('sha256', payload, 'base64')
  return isOurs ? { entry } : { problem: 'it is about something else than what was signed' }
}

function proofIn(
  value: unknown,
  digest: (value: unknown) => string | undefined,
): InclusionProof | 'malformed' | undefined {
  if (value === undefined || value === null) return undefined
  if (!isTable(value)) return 'malformed'
  const given = own(value, 'checkpoint')
  const checkpoint = isTable(given) ? own(given, 'envelope') : given
  const logIndex = count(own(value, 'logIndex') ?? 0)
  const treeSize = count(own(value, 'treeSize'))
  const rootHash = digest(own(value, 'rootHash'))
  const listed = own(value, 'hashes') ?? []
  const hashes = Array.isArray(listed) && listed.length <= MOST_HASHES ? listed.map(digest) : [undefined]
  if (typeof checkpoint !== 'string' || logIndex === undefined || treeSize === undefined) return 'malformed'
  if (rootHash === undefined || !hashes.every(one => one !== undefined)) return 'malformed'
  return { logIndex, rootHash, treeSize, hashes, checkpoint: { envelope: checkpoint } }
}

function tableIn(bytes: Uint8Array): Table | undefined {
  const parsed = parseJson('entry', bytes)
  return parsed.ok && isTable(parsed.document.value) ? parsed.document.value : undefined
}

function at(table: Table | undefined, name: string): Table | undefined {
  const value = table && own(table, name)
  return isTable(value) ? value : undefined
}

/** Rekor 1 writes digests in hex, Sigstore bundles in base64. */
function hex(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^(?:[0-9a-f]{2})+$/.test(value)) return undefined
  return Buffer.from(value, 'hex').toString('base64')
}

function base64(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && canonicalBase64(value) !== undefined ? value : undefined
}

/** In JSON of the protocol, numbers of 64 bits are texts. */
function count(value: unknown): string | undefined {
  const text = String(value)
  return /^(?:0|[1-9][0-9]{0,18})$/.test(text) ? text : undefined
}

const SEQUENCE = 0x30
const INTEGER = 0x02
const OCTETS = 0x04
const TIME = 0x18
const EXPLICIT = 0xa0

interface TimeStamp {
  /** Milliseconds since 1970. */
  readonly time: number
  /** Digest of what was stamped. */
  readonly digest: Uint8Array
}

/** Undefined for anything else than a granted answer in DER. */
export function readTimeStamp(bytes: Uint8Array): TimeStamp | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const inside = (value: Der | undefined, tag: number) =>
    value?.tag === tag ? children(buffer, value) : undefined
  const [status, token] = inside(only(buffer, 0, buffer.length, SEQUENCE), SEQUENCE) ?? []
  const [granted] = inside(status, SEQUENCE) ?? []
  // 0 is granted, 1 granted with changes.
  if (granted?.tag !== INTEGER || granted.end - granted.start !== 1 || (buffer[granted.start] ?? 2) > 1)
    return undefined
  const [, content] = inside(token, SEQUENCE) ?? []
  const [signed] = inside(content, EXPLICIT) ?? []
  const [, , about] = inside(signed, SEQUENCE) ?? []
  const [, holder] = inside(about, SEQUENCE) ?? []
  const [octets] = inside(holder, EXPLICIT) ?? []
  if (octets?.tag !== OCTETS) return undefined
  const info = inside(only(buffer, octets.start, octets.end, SEQUENCE), SEQUENCE) ?? []
  const [, digest] = inside(info[2], SEQUENCE) ?? []
  const when = info[4]
  const time = when?.tag === TIME ? momentIn(buffer.toString('latin1', when.start, when.end)) : undefined
  if (digest?.tag !== OCTETS || time === undefined) return undefined
  return { time, digest: new Uint8Array(buffer.subarray(digest.start, digest.end)) }
}

/** GeneralizedTime in UTC: `20261127140301.25Z`. */
function momentIn(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hours, minutes, seconds, part = ''] = parts
  const time = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(time) ? undefined : time + Math.floor(Number(`0${part}`) * 1000)
}
