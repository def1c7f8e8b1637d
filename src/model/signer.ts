// Who signs, and with which kind of key.

interface Ed25519Key {
  readonly kind: 'ed25519'
  /** 32 of them. */
  readonly bytes: Uint8Array
}

/** The public key that an anchor names: a union over the kinds in src/signature/kinds/. */
export type AnchorKey = Ed25519Key

export type AnchorKind = AnchorKey['kind']

/** A key in memory, or one that never leaves its device and has to be asked. */
export interface Signer {
  readonly key: AnchorKey
  /** A signature over exactly these bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>
}
