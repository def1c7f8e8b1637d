// BLAKE3 in one place: `@noble/hashes` everywhere, and the optional native package for large inputs, where it pays.
import { dirname } from 'node:path'
import { blake3 } from '@noble/hashes/blake3.js'
import { own } from '../model/own.ts'

/**
 * Below this many bytes in all, loading the native package costs more than it saves: 1.5 ms, as long as the pure one needs for its first
 * bytes, which are not compiled yet (docs/performance.md).
 */
export const NATIVE_FROM_BYTES = 4000

/** An unfinished hash. */
export interface Hasher {
  update(bytes: Uint8Array): Hasher
  /** 64 lower-case hex digits. Call it once, at the end. */
  hex(): string
}

interface Native {
  blake3(bytes: Buffer): Uint8Array
  Blake3Hasher: new () => { update(bytes: Buffer): unknown; digest(encoding: 'hex'): string }
}
/** Never in an `import`: who bundles this library would have to have the package, or to know that it need not be there. */
const PACKAGE = '@napi-rs/blake-hash'
let native: Native | null | undefined

/** Loads the native package if it is installed; afterwards {@link hasher} uses it. Without it everything works, only slower. */
export async function preferNative(): Promise<boolean> {
  if (native === undefined) {
    try {
      native = binary() ?? (requireHere()(PACKAGE) as Native)
    } catch {
      // Optional by design: not installed, no binary for this platform, or one that does not load. The pure one is used.
      native = null
    }
  }
  return native !== null
}

/** Not by an import: bundlers follow that one, and warn of what it is asked for. */
function requireHere(): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(import.meta.url)
}

/** Whether the native package hashes; undefined as long as nothing large was hashed. */
export function usesNative(): boolean | undefined {
  return native === undefined ? undefined : native !== null
}

/** The package without its loader, which needs 5 ms to detect the C library. If this fails, the loader is used. */
function binary(): Native | undefined {
  const suffix = own({ linux: '-gnu', win32: '-msvc' }, process.platform as string) ?? ''
  const name = `${PACKAGE}-${process.platform}-${process.arch}${suffix}`
  const require = requireHere()
  // First npm's usual place, then the package's own; neither if it is not installed or another binary is.
  const places = [() => name, () => require.resolve(name, { paths: [dirname(require.resolve(PACKAGE))] })]
  for (const place of places) {
    try {
      return require(place()) as Native
    } catch {
      // Try the next place, then the package's own loader.
    }
  }
  return undefined
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
  return hex(native ? native.blake3(asBuffer(bytes)) : blake3(bytes))
}

function hex(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('hex')
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
