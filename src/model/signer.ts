// Who signs.

/** Somebody who signs: a key in memory, or one that never leaves its device. */
export interface Signer {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** Ed25519 over exactly these bytes. */
  sign(message: Uint8Array): Uint8Array
}
