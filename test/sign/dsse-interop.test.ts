// Our envelopes under another implementation of DSSE, and theirs under our verification: both sign the same bytes.
import assert from 'node:assert/strict'
import { createPublicKey, sign as signBytes } from 'node:crypto'
import { test } from 'node:test'
import { bundleFromJSON } from '@sigstore/bundle'
import { DSSEBundleBuilder } from '@sigstore/sign'
import { toSignedEntity, Verifier } from '@sigstore/verify'
import { ASKING, judge, KEYS, signatureFile, signed, statementOf, wordsOf } from '../support/trust-world.ts'

const TYPE = 'application/vnd.in-toto+json'
const key = createPublicKey(KEYS.release.private)
const KEY_ID = 'release'

/** Their verifier with one key that never ends, and neither log nor clock: what is left is DSSE. */
const verifier = new Verifier(
  {
    certificateAuthorities: [],
    timestampAuthorities: [],
    tlogs: [],
    ctlogs: [],
    publicKey: () => ({ publicKey: key, validFor: () => true }),
  },
  { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 },
)

interface Envelope {
  readonly payload: string
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[]
}

function accepts(envelope: Envelope): void {
  const signatures = envelope.signatures.map(({ sig }) => ({ sig, keyid: '' }))
  const bundle = bundleFromJSON({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: KEY_ID }, tlogEntries: [], timestampVerificationData: null },
    dsseEnvelope: { payload: envelope.payload, payloadType: TYPE, signatures },
  })
  verifier.verify(toSignedEntity(bundle))
}

test('another verifier accepts our signature, and not one over other bytes', async () => {
  assert.equal((await judge(signed(ASKING, 'release'))).report.verdict, 'trusted')
  const envelope = JSON.parse(String(signatureFile(ASKING, [KEYS.release]))) as Envelope
  accepts(envelope)
  const payload = Buffer.from(`${Buffer.from(envelope.payload, 'base64')} `).toString('base64')
  assert.throws(() => accepts({ ...envelope, payload }), /signature/i)
})

test('another signer’s envelope is ours once it is written as ours', async () => {
  const signer = {
    sign: async (data: Buffer) => ({
      signature: signBytes(null, data, KEYS.release.private),
      key: { $case: 'publicKey' as const, publicKey: '', hint: KEY_ID },
    }),
  }
  const builder = new DSSEBundleBuilder({ signer, witnesses: [] })
  const data = Buffer.from(JSON.stringify(statementOf(ASKING)))
  const { content } = await builder.create({ data, type: TYPE })
  assert.equal(content.$case, 'dsseEnvelope')
  const { payload, signatures } = content.$case === 'dsseEnvelope' ? content.dsseEnvelope : assert.fail()
  const written = (sig: Buffer | undefined) =>
    JSON.stringify({
      payloadType: TYPE,
      payload: payload.toString('base64'),
      signatures: [{ keyid: KEYS.release.anchor, sig: sig?.toString('base64') }],
    })
  const tree = (text: string) => ({ ...ASKING, 'SIGNATURES/manifest.sig': text })
  assert.equal((await judge(tree(written(signatures[0]?.sig)))).report.verdict, 'trusted')
  const other = Buffer.from(signatures[0]?.sig ?? [])
  other[40] = (other[40] ?? 0) ^ 1
  assert.deepEqual(wordsOf(await judge(tree(written(other)))), ['invalid', 'signature_invalid'])
})
