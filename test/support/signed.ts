// Keys that are the same in every run, and bundles signed with them.
import { createPrivateKey, createPublicKey, sign as signWith } from 'node:crypto'
import { read } from '../../src/format/read-agent.ts'
import { anchorString, rawPublicKey } from '../../src/format/signature/ed25519.ts'
import { SIGNATURE_FILE } from '../../src/model/agent.ts'
import type { Signer } from '../../src/model/signer.ts'
import { type SignOptions, sign } from '../../src/sign/sign.ts'
import { bundleOf, type Tree } from './agent.ts'
import { memoryFiles } from './memory.ts'

export interface TestSigner extends Signer {
  /** `ed25519:…`. */
  readonly anchor: string
}

/** @param seed tells keys apart */
export function signer(seed: number): TestSigner {
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.alloc(32, seed),
  ])
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const publicKey = rawPublicKey(createPublicKey(key))
  if (publicKey === undefined) throw new Error('not an Ed25519 key')
  return {
    publicKey,
    anchor: anchorString(publicKey),
    sign: message => new Uint8Array(signWith(null, message, key)),
  }
}

/** The tree with a signature of each signer. */
export function signedTree(tree: Tree, signers: readonly Signer[], options: SignOptions = {}): Tree {
  let signed = tree
  for (const one of signers) {
    const agent = read(memoryFiles(signed), 'test', 'bundle')
    signed = { ...signed, [SIGNATURE_FILE]: sign(agent, one, options) }
  }
  return signed
}

/** Its canonical archive. */
export function signedBundle(tree: Tree, ...signers: readonly Signer[]): Buffer {
  return bundleOf(signedTree(tree, signers))
}
