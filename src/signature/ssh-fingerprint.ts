// A public key → the fingerprint that ssh-keygen -l and ssh-add -l print.
import { hash } from 'node:crypto'
import type { AnchorKey } from '../model/signer.ts'
import { readAnchor } from './kinds/index.ts'

/** @param blob the public key as ssh writes it (RFC 4253, 6.6) */
export function fingerprintOf(blob: Uint8Array): string {
  return `SHA256:${hash('sha256', blob, 'base64').replaceAll('=', '')}`
}

export function sshFingerprint({ kind, bytes }: AnchorKey): string {
  const parts = [Buffer.from(`ssh-${kind}`), bytes].flatMap(part => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length)
    return [length, part]
  })
  return fingerprintOf(Buffer.concat(parts))
}

/** Of an anchor string. Null for what names no key: an identity, or the key id of an invalid signature. */
export function fingerprintOfAnchor(text: string): string | null {
  const read = readAnchor(text)
  return 'key' in read ? sshFingerprint(read.key) : null
}
