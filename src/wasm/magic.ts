// The first bytes of every core WebAssembly module.

/** `\0asm` and version 1. */
export const WASM_MAGIC: readonly number[] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]
