// The messages of an ssh agent, as bytes: which keys it has, and a signature by one of them (draft-ietf-sshm-ssh-agent). Also the
// fingerprint of a key, as ssh-keygen -l and ssh-add -l print it.
import { hash } from 'node:crypto'
import type { AnchorKey } from '../model/signer.ts'
import { readAnchor } from './kinds/index.ts'

const TYPE = { failure: 5, list: 11, listed: 12, sign: 13, signed: 14 } as const

/** OpenSSH sends and reads nothing longer. Without the length before it. */
export const MOST_AGENT_BYTES: number = 256 * 1024

/** The kind of key that signs our bytes as they are. */
export const SSH_ED25519 = 'ssh-ed25519'

export interface AgentIdentity {
  /** `ssh-ed25519`, `ssh-rsa` and so on. */
  readonly type: string
  /** The public key, as a request to sign names it. */
  readonly blob: Uint8Array
  readonly comment: string
  /** `SHA256:…`, as ssh-add -l prints it. */
  readonly fingerprint: string
  /** The 32 bytes of an Ed25519 key. */
  readonly ed25519: Uint8Array | undefined
}

export type AgentAnswer<T> =
  | { readonly is: 'answered'; readonly value: T }
  /** The agent says no, and does not say why. */
  | { readonly is: 'refused' }
  | { readonly is: 'nonsense' }

export function listRequest(): Uint8Array {
  return framed(Buffer.from([TYPE.list]))
}

export function signRequest(blob: Uint8Array, message: Uint8Array): Uint8Array {
  // No flags: those choose a hash for RSA.
  return framed(Buffer.concat([Buffer.from([TYPE.sign]), framed(blob), framed(message), Buffer.alloc(4)]))
}

/** @param answer without the length before it */
export function readIdentities(answer: Uint8Array): AgentAnswer<readonly AgentIdentity[]> {
  return readAnswer(answer, TYPE.listed, cursor => {
    const count = cursor.number()
    const identities: AgentIdentity[] = []
    // Each takes eight bytes or more, so that a wrong number ends the loop with the bytes.
    for (let left = count; left > 0; left--) identities.push(identity(cursor.text(), cursor.text()))
    return identities
  })
}

/** The 64 bytes of an Ed25519 signature. */
export function readAgentSignature(answer: Uint8Array): AgentAnswer<Uint8Array> {
  return readAnswer(answer, TYPE.signed, cursor => {
    const inner = new Cursor(cursor.text())
    const type = latin(inner.text())
    const signature = inner.text()
    inner.end()
    if (type !== SSH_ED25519 || signature.length !== 64) throw new CutShort()
    return new Uint8Array(signature)
  })
}

function identity(blob: Uint8Array, comment: Uint8Array): AgentIdentity {
  const cursor = new Cursor(blob)
  const type = latin(cursor.text())
  const isEd25519 = type === SSH_ED25519
  const key = isEd25519 ? cursor.text() : undefined
  if (isEd25519) cursor.end()
  return {
    type,
    blob,
    comment: new TextDecoder().decode(comment),
    fingerprint: fingerprintOf(blob),
    ed25519: key?.length === 32 ? new Uint8Array(key) : undefined,
  }
}

function readAnswer<T>(answer: Uint8Array, type: number, read: (cursor: Cursor) => T): AgentAnswer<T> {
  if (answer[0] === TYPE.failure && answer.length === 1) return { is: 'refused' }
  if (answer[0] !== type) return { is: 'nonsense' }
  const cursor = new Cursor(answer.subarray(1))
  try {
    const value = read(cursor)
    cursor.end()
    return { is: 'answered', value }
  } catch (error) {
    if (error instanceof CutShort) return { is: 'nonsense' }
    throw error
  }
}

/** The bytes end too early, or too late. */
class CutShort extends Error {}

class Cursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  number(): number {
    if (this.#bytes.length - this.#at < 4) throw new CutShort()
    this.#at += 4
    return this.#bytes.readUInt32BE(this.#at - 4)
  }

  /** Bytes with their length before them. */
  text(): Buffer {
    const length = this.number()
    if (this.#bytes.length - this.#at < length) throw new CutShort()
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new CutShort()
  }
}

function latin(bytes: Buffer): string {
  return bytes.toString('latin1')
}

/** Bytes with their length before them: a text in a message, and a message itself. */
function framed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** @param blob the public key as ssh writes it (RFC 4253, 6.6) */
function fingerprintOf(blob: Uint8Array): string {
  return `SHA256:${hash('sha256', blob, 'base64').replaceAll('=', '')}`
}

export function sshFingerprint({ kind, bytes }: AnchorKey): string {
  return fingerprintOf(Buffer.concat([framed(Buffer.from(`ssh-${kind}`)), framed(bytes)]))
}

/** Of an anchor string. Null for what names no key: an identity, or the key id of an invalid signature. */
export function fingerprintOfAnchor(text: string): string | null {
  const read = readAnchor(text)
  return 'key' in read ? sshFingerprint(read.key) : null
}
