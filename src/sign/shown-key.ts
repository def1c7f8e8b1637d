// A public key → every form of it that people need.
import { hash, type KeyObject } from 'node:crypto'
import { anchorString } from '../signature/kinds/index.ts'
import { publicPem } from '../signature/pem.ts'
import { sshFingerprint } from '../signature/ssh.ts'
import { anchorKeyOf } from './keys.ts'

export interface ShownKey {
  /** As a trust policy names it: `ed25519:…`. */
  readonly anchor: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it: for reading aloud. */
  readonly sshFingerprint: string
  /** SHA-256 over the 32 bytes of the key, as `sha256:` and hex: what this version still gives beside the other. */
  readonly fingerprint: string
  /** The public key, in PEM. */
  readonly pem: string
}

export function shownKey(key: KeyObject): ShownKey {
  const named = anchorKeyOf(key)
  return {
    anchor: anchorString(named),
    sshFingerprint: sshFingerprint(named),
    fingerprint: `sha256:${hash('sha256', named.bytes, 'hex')}`,
    pem: publicPem(key),
  }
}
