// BLAKE3 in one place: `@noble/hashes` everywhere, and the optional native package for large inputs, where it pays.
import { blake3 } from '@noble/hashes/blake3.js'

/** Below this many bytes in all, loading the native package costs more than it saves (DESIGN §6). */
export const NATIVE_FROM_BYTES = 100_000

/** An unfinished hash. */
export interface Hasher {
  update(bytes: Uint8Array): Hasher
  /** 64 lower-case hex digits; the hasher is spent. */
  hex(): string
}

interface Native {
  Blake3Hasher: new () => { update(bytes: Buffer): unknown; digest(encoding: 'hex'): string }
}
let native: Native | null | undefined

/** Loads the native package when it is installed; afterwards {@link hasher} uses it. Without it everything works, only slower. */
export async function preferNative(): Promise<boolean> {
  if (native === undefined) {
    try {
      native = (await import('@napi-rs/blake-hash')) as unknown as Native
    } catch {
      // Optional by design: not installed, no binary for this platform, or one that does not load. The pure one answers.
      native = null
    }
  }
  return native !== null
}

export function hasher(): Hasher {
  if (native) {
    const inner = new native.Blake3Hasher()
    const outer: Hasher = {
      update(bytes) {
        inner.update(asBuffer(bytes))
        return outer
      },
      hex: () => inner.digest('hex'),
    }
    return outer
  }
  const inner = blake3.create()
  const outer: Hasher = {
    update(bytes) {
      inner.update(bytes)
      return outer
    },
    hex: () => hex(inner.digest()),
  }
  return outer
}

/** BLAKE3 of bytes in memory, 64 lower-case hex digits. */
export function blake3Hex(bytes: Uint8Array): string {
  return native && bytes.length >= NATIVE_FROM_BYTES ? hasher().update(bytes).hex() : hex(blake3(bytes))
}

function hex(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('hex')
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
