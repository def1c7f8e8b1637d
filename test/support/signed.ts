// Keys that are the same in every run, and bundles signed with them.
import { createPrivateKey, createPublicKey, sign as signWith } from 'node:crypto'
import { read } from '../../src/agent/read-agent.ts'
import { SIGNATURE_FILE } from '../../src/model/agent.ts'
import type { AnchorKey } from '../../src/model/signer.ts'
import { type EndOptions, payloadFor, withSignature } from '../../src/sign/sign.ts'
import { rawPublicKey } from '../../src/signature/ed25519.ts'
import { preAuthEncoding } from '../../src/signature/envelope.ts'
import { anchorString } from '../../src/signature/kinds/index.ts'
import { bundleOf, type Tree } from './agent.ts'
import { memoryFiles } from './memory.ts'

/** Signs at once, so that tests can build what they need where they need it. */
export interface TestSigner {
  readonly key: AnchorKey
  sign(message: Uint8Array): Uint8Array
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
  const bytes = rawPublicKey(createPublicKey(key))
  if (bytes === undefined) throw new Error('not an Ed25519 key')
  const named = { kind: 'ed25519', bytes } as const
  return {
    key: named,
    anchor: anchorString(named),
    sign: message => new Uint8Array(signWith(null, message, key)),
  }
}

/** The tree with a signature of each signer. */
export function signedTree(tree: Tree, signers: readonly TestSigner[], options: EndOptions = {}): Tree {
  let signed = tree
  for (const one of signers) {
    const agent = read(memoryFiles(signed), 'test', 'bundle')
    const payload = payloadFor(agent, options)
    const signature = one.sign(preAuthEncoding(payload))
    signed = { ...signed, [SIGNATURE_FILE]: withSignature(agent, payload, one.key, signature) }
  }
  return signed
}

/** Its canonical archive. */
export function signedBundle(tree: Tree, ...signers: readonly TestSigner[]): Buffer {
  return bundleOf(signedTree(tree, signers))
}
