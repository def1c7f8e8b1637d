// Sigstore bundles as services make them, of both kinds of logs, with and without a time stamp: judged by the whole against the root of these services.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { PolicySource } from '../../../src/model/trust.ts'
import { withRoot } from '../../../src/trust-policy/source.ts'
import { digestOf } from '../../support/agent.ts'
import { answerTo, examined, PAYLOAD, RULE } from '../../support/keyless-world.ts'
import { type SignedBy, type SigstoreServices, startSigstore } from '../../support/sigstore-services.ts'
import { policySource } from '../../support/trust-world.ts'

const AGENTS = `issuer = "https://token.actions.githubusercontent.com", repository_id = "123456789", owner_id = "42", workflow = ".github/workflows/release.yml", ref = "refs/tags/v*"`

let services: SigstoreServices
before(async () => {
  services = await startSigstore()
})
after(() => services.close())

function policyOf(
  anchor: string,
  change: (root: Record<string, unknown[]>) => void = () => {},
): PolicySource {
  const root = structuredClone(services.root) as unknown as Record<string, unknown[]>
  change(root)
  const bytes = Buffer.from(JSON.stringify(root))
  const text = `[anchors]\nci = { ${anchor} }\n[rules]\nci = ${RULE}\n[sigstore]\ntrusted_root = { file = "r.json", blake3 = "${digestOf(bytes)}" }\n`
  return withRoot(policySource(text), bytes)
}

const NOT = 'untrusted no_counted_signature'
const answer = async (how: SignedBy, policy = policyOf(AGENTS)) =>
  answerTo({ policy, lines: [Buffer.from(await services.sign(PAYLOAD, how))] })

describe('what services have signed', () => {
  for (const how of [{}, { stamped: true }, { version: 2 }] as const)
    test(`${JSON.stringify(how)} is trusted, and an hour later too`, async () => {
      assert.equal(await answer(how), 'trusted')
    })
  test('a log of the second kind without a time stamp has no time', async () => {
    assert.equal(await answer({ version: 2, stamped: false }), NOT)
  })
  test('without the authority of its time stamps, its log or its log of certificates in the root, it does not count', async () => {
    const none = (name: string) => policyOf(AGENTS, root => root[name]?.splice(0))
    assert.equal(await answer({ version: 2 }, none('timestampAuthorities')), NOT)
    const first = policyOf(AGENTS, root => root['tlogs']?.splice(0, 1))
    assert.equal(await answer({}, first), NOT)
    assert.equal(await answer({ version: 2 }, first), 'trusted')
  })
  test('a root without a log asks for a time stamp alone', async () => {
    const logless = policyOf(AGENTS, root => root['tlogs']?.splice(0))
    const made = JSON.parse(await services.sign(PAYLOAD, { version: 2 }))
    made.verificationMaterial.tlogEntries = []
    const lines = [Buffer.from(JSON.stringify(made))]
    assert.equal(await answerTo({ policy: logless, lines }), 'trusted')
    assert.equal(await answerTo({ policy: policyOf(AGENTS), lines }), NOT)
  })
  test('an environment, a person and a workload are read as they are written', async () => {
    const environment = AGENTS.replace('ref = "refs/tags/v*"', 'environment = "release"')
    assert.equal(await answer({ claims: { environment: 'release' } }, policyOf(environment)), 'trusted')
    assert.equal(await answer({ claims: { environment: 'staging' } }, policyOf(environment)), NOT)
    const person = { iss: 'https://id.example', sub: '1', email: 'ada@acme.example', email_verified: true }
    const ada = policyOf('issuer = "https://id.example", email = "ada@acme.example"')
    assert.equal(await answer({ claims: person }, ada), 'trusted')
    assert.equal(await answer({ claims: { ...person, email: 'eve@acme.example' } }, ada), NOT)
  })
  test('the report has its entry and its time', async () => {
    const lines = [Buffer.from(await services.sign(PAYLOAD))]
    const { report } = (await examined({ policy: policyOf(AGENTS), lines })).verification
    const [one] = report.keyless ?? []
    assert.equal(one?.result, 'proven')
    assert.match(one?.logIndex ?? '', /^[0-9]+$/)
    assert.match(one?.time ?? '', /^20[0-9]{2}-.*Z$/)
    assert.equal(one?.certificate.repository_id, '123456789')
  })
})
