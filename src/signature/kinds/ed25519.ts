// Anchors `ed25519:<base64>`.
import { canonicalBase64, ed25519KeyProblem, isEd25519Signature } from '../ed25519.ts'
import type { SignatureKind } from './kind.ts'

export const ed25519: SignatureKind<'ed25519'> = {
  kind: 'ed25519',
  read(body) {
    const bytes = /^[0-9a-fA-F]{64}$/.test(body) ? Buffer.from(body, 'hex') : canonicalBase64(body)
    if (bytes === undefined) return { problem: 'is not padded base64' }
    const problem = ed25519KeyProblem(bytes)
    return problem === undefined ? { key: { kind: 'ed25519', bytes: new Uint8Array(bytes) } } : { problem }
  },
  write: ({ bytes }) => Buffer.from(bytes).toString('base64'),
  spelling: /^[A-Za-z0-9+/]{43}=$/,
  problem: ({ bytes }) => ed25519KeyProblem(bytes),
  isSignature: ({ bytes }, message, signature) => isEd25519Signature(bytes, message, signature),
}
