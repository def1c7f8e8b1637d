// The services that other tests sign with: what they make has to be what others accept, or those tests show nothing.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bundleFromJSON } from '@sigstore/bundle'
import { TrustedRoot } from '@sigstore/protobuf-specs'
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify'
import { type SigstoreServices, startSigstore } from '../../support/sigstore-services.ts'

describe('the services of Sigstore that tests use', () => {
  let services: SigstoreServices
  before(async () => {
    services = await startSigstore()
  })
  after(() => services.close())

  const payload = Buffer.from('{"_type":"https://in-toto.io/Statement/v1"}')
  const verified = (line: string) => {
    const material = toTrustMaterial(TrustedRoot.fromJSON(services.root))
    return new Verifier(material).verify(toSignedEntity(bundleFromJSON(JSON.parse(line))))
  }

  it('make Sigstore bundles that verify against their root, with either version of Rekor', async () => {
    const one = verified(await services.sign(payload))
    assert.equal(one.identity?.extensions?.issuer, 'https://token.actions.githubusercontent.com')
    assert.equal(
      one.identity?.subjectAlternativeName,
      'https://github.com/acme/agents/.github/workflows/release.yml@refs/tags/v1.0.0',
    )
    verified(await services.sign(payload, { stamped: true }))
    verified(await services.sign(payload, { version: 2 }))
  })

  it('name a person by an address', async () => {
    const claims = {
      iss: 'https://accounts.example',
      sub: '7',
      email: 'ana@example.com',
      email_verified: true,
    }
    assert.equal(
      verified(await services.sign(payload, { claims })).identity?.subjectAlternativeName,
      'ana@example.com',
    )
  })

  it('make bundles that fail after one change', async () => {
    for (const version of [1, 2] as const) {
      const line = await services.sign(payload, { version })
      const changed = JSON.parse(line)
      changed.dsseEnvelope.payload = Buffer.from('{"_type":"other"}').toString('base64')
      assert.throws(() => verified(JSON.stringify(changed)))
    }
    const other = await startSigstore()
    try {
      const line = await other.sign(payload)
      assert.throws(() => verified(line))
    } finally {
      await other.close()
    }
  })

  it('say what time it is as they are told', async () => {
    services.setTime(new Date(Date.now() + 3_600_000))
    try {
      verified(await services.sign(payload, { version: 2 }))
    } finally {
      services.setTime()
    }
  })
})
