// The digests of some bytes, of both ways to hash: what the native BLAKE3 and the pure one have to agree on.
import { blake3Hex, hasher } from '../../src/bundle/blake3.ts'

/** Around the edges of blocks, chunks and subtrees (BLAKE3 specification, §2.1 and §2.4). */
const SIZES = [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3999, 4000, 31_744, 102_400, 1_048_579]

function bytesOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => index % 251)
}

/** At once, and in pieces, by the one that is in use. */
export function digests(): string[][] {
  return SIZES.map(bytesOf).map(bytes => [
    blake3Hex(bytes),
    hasher().update(bytes.subarray(0, 1000)).update(bytes.subarray(1000)).hex(),
  ])
}
