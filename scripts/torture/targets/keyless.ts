// Target: a Sigstore bundle of strangers. Whatever is in it, the agent bundle is trusted only by the one certificate that the authorities of the root have
// given, over the one statement that it has signed, by a check of Node's own.
import { verify as verifySignature, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import { withRoot } from '../../../src/trust-policy/source.ts'
import { judgeUnder } from '../../../src/verify/judge-candidate.ts'
import { agentTree, bundleOf, digestOf } from '../../../test/support/agent.ts'
import { JOB_ANCHOR } from '../../../test/support/sigstore-world.ts'
import { policySource, preAuth } from '../../../test/support/trust-world.ts'
import { mutateBytes } from '../mutate/bytes.ts'
import { mutateJson } from '../mutate/json.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures/keyless')
const ROOT = readFileSync(join(FIXTURES, 'root.json'))
const GOOD = JSON.parse(readFileSync(join(FIXTURES, 'signature.json'), 'utf8'))
const { certificate: SHOWN } = GOOD.verificationMaterial
const BUNDLE = bundleOf(agentTree({ name: 'mini' }))
const POLICY = withRoot(
  policySource(`[anchors]
ci = { ${JOB_ANCHOR} }
[rules]
ci = { allow_caps = "any", allow_net = "any", allow_exec = true }
[sigstore]
trusted_root = { file = "root.json", blake3 = "${digestOf(ROOT)}" }
`),
  ROOT,
)
const WORDS = [
  'mediaType',
  'tlogEntries',
  'inclusionPromise',
  'rfc3161Timestamps',
  'x509CertificateChain',
  '__proto__',
]

export const KEYLESS_TARGET: Target = {
  name: 'keyless',
  share: 500,
  make(random) {
    const changed = random.once(2) ? withChangedPart(random) : GOOD
    const line = mutateJson(random, changed, WORDS)
    return random.once(4) ? mutateBytes(random, line) : line
  },
  async answer(bytes) {
    const candidate = await readBundle(BUNDLE, { keep: 'parsed', unsigned: true })
    const keyless = { bundles: [{ where: 'line 1', bytes }], problem: undefined }
    const attested = { label: 'beside', envelopes: [], problem: undefined, keyless }
    const { verification } = await judgeUnder([POLICY], candidate, 'any', {
      state: false,
      home: false,
      attested,
    })
    const { verdict } = verification.report
    demand(['trusted', 'untrusted', 'unsigned'].includes(verdict), `the verdict is ${verdict}`)
    if (verdict === 'trusted')
      demand(isGood(bytes), 'it is trusted by another certificate, statement or signature')
    return verdict
  },
}

/** What is inside its base64, which changes of JSON leave alone. */
function withChangedPart(random: Random): object {
  const copy = structuredClone(GOOD)
  const [entry] = copy.verificationMaterial.tlogEntries
  const change = (holder: Record<string, string>, member: string) => {
    const bytes = Buffer.from(holder[member] ?? '', 'base64')
    holder[member] = mutateBytes(random, bytes).toString('base64')
  }
  const [signature] = copy.dsseEnvelope.signatures
  const parts = [
    () => change(copy.verificationMaterial.certificate, 'rawBytes'),
    () => change(copy.dsseEnvelope, 'payload'),
    () => change(signature, 'sig'),
    () => change(entry, 'canonicalizedBody'),
    () => change(entry.inclusionPromise, 'signedEntryTimestamp'),
    () => change(entry.inclusionProof, 'rootHash'),
  ]
  random.pick(parts)()
  return copy
}

function isGood(bytes: Uint8Array): boolean {
  const { dsseEnvelope, verificationMaterial } = JSON.parse(Buffer.from(bytes).toString())
  const payload = Buffer.from(dsseEnvelope.payload, 'base64')
  const certificate = Buffer.from(verificationMaterial.certificate.rawBytes, 'base64')
  return (
    certificate.equals(Buffer.from(SHOWN.rawBytes, 'base64')) &&
    payload.equals(Buffer.from(GOOD.dsseEnvelope.payload, 'base64')) &&
    verifySignature(
      'sha256',
      preAuth(payload),
      new X509Certificate(certificate).publicKey,
      Buffer.from(dsseEnvelope.signatures[0].sig, 'base64'),
    )
  )
}
