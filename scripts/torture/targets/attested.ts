// Target: what came with a bundle. Whatever is in the file, the bundle is trusted only if a line of it is what the policy requires, by a
// reading that shares no code with ours.
import { verify as verifySignature } from 'node:crypto'
import { outline } from '../../../src/agent/read-in-turns.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import { readAttestations } from '../../../src/statement/lines.ts'
import { verify } from '../../../src/verify/verify.ts'
import { bundleOf } from '../../../test/support/agent.ts'
import { attestation, linesOf, PROVENANCE, payloadOf } from '../../../test/support/attested.ts'
import {
  ASKING,
  KEYS,
  policySource,
  preAuth,
  signed,
  trustContext,
} from '../../../test/support/trust-world.ts'
import { mutateBytes } from '../mutate/bytes.ts'
import { mutateJson } from '../mutate/json.ts'
import { demand, type Target } from './target.ts'
import { WORDS } from './words.ts'

const FILES = signed(ASKING, 'release')
const BUNDLE = bundleOf(FILES)
const POLICY = policySource(`[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [{ type = "${PROVENANCE}", by = ["ci"] }]
`)
const GOOD = payloadOf(FILES).toString()
const SUBJECT = JSON.stringify(JSON.parse(GOOD).subject[0].digest)

export const ATTESTED_TARGET: Target = {
  name: 'attested',
  share: 400,
  make(random) {
    const changed = mutateJson(random, JSON.parse(GOOD), WORDS.envelope)
    const payload = random.once(3) ? GOOD : Buffer.from(changed).toString()
    const line = attestation(FILES, [random.pick([KEYS.second, KEYS.second, KEYS.stranger])], { payload })
    const lines = linesOf(random.once(4) ? 'foreign' : line, line)
    return random.once(3) ? mutateBytes(random, lines) : lines
  },
  async answer(bytes) {
    const trust = { ...trustContext({ sources: [POLICY] }), attestations: readAttestations('beside', bytes) }
    const { report } = await verify(await outline(await readBundle(BUNDLE, { keep: 'parsed' })), {
      expect: 'any',
      trust,
    })
    const { verdict, reasons } = report
    demand(verdict === 'trusted' || verdict === 'untrusted', `the verdict is ${verdict}`)
    if (verdict === 'trusted')
      demand(
        Buffer.from(bytes).toString('latin1').split('\n').some(isRequired),
        'it is trusted without what is required',
      )
    else demand(reasons[0]?.code === 'attestation_missing', `the reason is ${reasons[0]?.code}`)
    return verdict
  },
}

function isRequired(line: string): boolean {
  try {
    const envelope = JSON.parse(line)
    const payload = Buffer.from(envelope.payload, 'base64')
    const isSigned = envelope.signatures.some((one: { sig: string }) =>
      verifySignature(null, preAuth(payload), KEYS.second.private, Buffer.from(one.sig, 'base64')),
    )
    const { predicateType, subject } = JSON.parse(payload.toString())
    return (
      isSigned &&
      predicateType === PROVENANCE &&
      subject.some(({ digest }: { digest: object }) =>
        Object.entries(JSON.parse(SUBJECT)).every(
          ([name, hex]) => (digest as Record<string, unknown>)[name] === hex,
        ),
      )
    )
  } catch {
    // What is no JSON of that form is not what is required.
    return false
  }
}
