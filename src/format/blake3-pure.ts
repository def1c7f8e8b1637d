// The BLAKE3 that runs everywhere, in a file of its own: the program loads it where the native one is not used (scripts/later.ts).
export { blake3 } from '@noble/hashes/blake3.js'
