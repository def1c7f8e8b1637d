// The one name of bytes in a registry.
import { hash } from 'node:crypto'

export function sha256Of(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`
}
