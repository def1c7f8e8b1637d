// The interface of a signer.

/** A key that signs: in memory, or on a device that it never leaves. */
export interface Signer {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** Ed25519 over exactly these bytes. */
  sign(message: Uint8Array): Uint8Array
}
