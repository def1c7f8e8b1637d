// The one name of bytes in a registry.
import { hash } from 'node:crypto'

/** `sha256:` and 64 hex digits: how a registry names bytes. */
export const DIGEST: RegExp = /^sha256:[0-9a-f]{64}$/

export function sha256Of(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`
}
