// Statements about bundles for tests, written without the code under test.
import { createHash, sign } from 'node:crypto'
import { digestOf, type Tree } from './agent.ts'
import { preAuth, type TestKey } from './trust-world.ts'

export const PROVENANCE = 'https://slsa.dev/provenance/v1'
export const BUILDER = 'https://ci.example/builders/1'
export const SOURCE = 'https://git.example/acme/mini'

export interface Stated {
  readonly type?: string
  readonly subject?: readonly object[]
  readonly predicate?: object
  /** In place of all of it. */
  readonly payload?: string
}

/** A provenance of a tree, unless another statement is asked for. */
export function payloadOf(
  tree: Tree,
  { type = PROVENANCE, subject, predicate, payload }: Stated = {},
): Buffer {
  if (payload !== undefined) return Buffer.from(payload)
  const manifest = Buffer.from(tree['manifest.toml'] as string)
  const digest = { blake3: digestOf(manifest), sha256: createHash('sha256').update(manifest).digest('hex') }
  return Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: subject ?? [{ name: 'manifest.toml', digest }],
      predicateType: type,
      predicate: predicate ?? {
        buildDefinition: { externalParameters: { source: SOURCE } },
        runDetails: { builder: { id: BUILDER } },
      },
    }),
  )
}

/** One line of a file of attestations. */
export function attestation(tree: Tree, keys: readonly TestKey[], stated: Stated = {}): Buffer {
  const payload = payloadOf(tree, stated)
  const signatures = keys
    .map(key => ({ keyid: key.anchor, sig: sign(null, preAuth(payload), key.private).toString('base64') }))
    .sort((a, b) => (a.keyid < b.keyid ? -1 : 1))
  const envelope = {
    payloadType: 'application/vnd.in-toto+json',
    payload: payload.toString('base64'),
    signatures,
  }
  return Buffer.from(JSON.stringify(envelope))
}

export function linesOf(...lines: readonly (Uint8Array | string)[]): Buffer {
  return Buffer.concat(lines.flatMap(line => [Buffer.from(line as string), Buffer.from('\n')]))
}
