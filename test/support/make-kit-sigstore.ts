// Writes fixtures/conformance/sigstore.json anew: `node --import tsx test/support/make-kit-sigstore.ts`. The keys of its authorities are made for it and
// forgotten, so all of it changes each time, and the vectors that hold it too.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleOf, manifestOf, sha256Hex, statementOf } from '../../fixtures/conformance/world.ts'
import { type Certifying, claim, JOB, pair, type Recording, sigstoreWorld, utf8 } from './sigstore-world.ts'

const PROVENANCE = 'https://slsa.dev/provenance/v1'
const world = sigstoreWorld()
const manifest = manifestOf({})
const payloadOf = (notAfter?: string) =>
  statementOf(manifest, { ...(notAfter !== undefined && { notAfter }) })

const FORK = {
  ...JOB,
  9: 'https://github.com/mallory/mini/.github/workflows/release.yml@refs/tags/v1.0.0',
  12: 'https://github.com/mallory/mini',
  15: '666',
  17: '13',
  18: 'https://github.com/mallory/mini/.github/workflows/release.yml@refs/tags/v1.0.0',
}
const SECOND = { ...JOB, 15: '2' }
const BRANCH = Object.fromEntries(
  Object.entries(JOB).map(([number, text]) => [number, text.replace('refs/tags/v1.0.0', 'refs/heads/main')]),
)
const { 15: _, ...WITHOUT_REPOSITORY } = JOB
const PERSON = { 8: 'https://accounts.example' }
const ADA = 'ada@acme.example'

const ARCHIVE = sha256Hex(bundleOf({}, []))
const workflow = (repository: string, ref: string) => ({
  buildDefinition: { externalParameters: { workflow: { repository, ref } } },
  runDetails: { builder: { id: 'https://ci.example/1' } },
})
const BUILT = workflow(JOB[12], JOB[14])

function provenance(predicate: object, digest: object = { sha256: ARCHIVE }, predicateType = PROVENANCE) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'kit-1.0.0.agent.bundle', digest }],
    predicateType,
    predicate,
  }
}
const { subject } = statementOf(manifest)

type Case = readonly [payload: object, certifying?: Certifying, recording?: Recording]

const CASES: Readonly<Record<string, Case>> = {
  job: [payloadOf()],
  fork: [payloadOf(), { claims: FORK }],
  second: [payloadOf(), { claims: SECOND }],
  branch: [payloadOf(), { claims: BRANCH }],
  'pull-request': [payloadOf(), { claims: { ...JOB, 20: 'pull_request' } }],
  'ends-first': [payloadOf('2026-07-01T00:00:00Z')],
  'ends-first-second': [payloadOf('2026-07-01T00:00:00Z'), { claims: SECOND }],
  'ends-last': [payloadOf('2026-09-01T00:00:00Z')],
  'of-another-manifest': [statementOf(manifestOf({ version: '1.0.1' }), { version: '1.0.1' })],
  'without-log': [payloadOf(), {}, { unlogged: true }],
  'without-log-of-certificates': [payloadOf(), { unlogged: true }],
  'by-another-authority': [payloadOf(), { by: pair().privateKey }],
  'by-another-log': [payloadOf(), {}, { by: pair().privateKey }],
  'after-the-certificate': [payloadOf(), {}, { time: new Date('2026-06-01T13:00:00Z') }],
  person: [payloadOf(), { claims: PERSON, names: [[1, ADA]] }],
  'person-by-uri': [payloadOf(), { claims: PERSON, names: [[6, ADA]] }],
  'person-with-two-names': [
    payloadOf(),
    {
      claims: PERSON,
      names: [
        [1, ADA],
        [1, 'eve@acme.example'],
      ],
    },
  ],
  'extension-twice': [payloadOf(), { more: [claim(15, utf8(JOB[15]))] }],
  'extension-without-der': [
    payloadOf(),
    { claims: WITHOUT_REPOSITORY, more: [claim(15, Buffer.from(JOB[15]))] },
  ],
  'extension-of-another-number': [
    payloadOf(),
    { claims: WITHOUT_REPOSITORY, more: [claim(5, Buffer.from(JOB[15]))] },
  ],
  built: [provenance(BUILT)],
  'built-by-fork': [provenance(BUILT), { claims: FORK }],
  'built-says-nothing': [provenance({})],
  'built-of-another-type': [provenance(BUILT, { sha256: ARCHIVE }, 'https://example.test/other')],
  'built-from-another-source': [provenance(workflow('https://github.com/acme/other', JOB[14]))],
  'built-at-another-ref': [provenance(workflow(JOB[12], 'refs/tags/v2.0.0'))],
  'built-a-signed-archive': [provenance(BUILT, { sha256: sha256Hex(bundleOf()) })],
  'built-about-the-manifest': [provenance(BUILT, subject[0]?.digest)],
}

const bundles = Object.fromEntries(
  Object.entries(CASES).map(([name, [payload, certifying, recording]]) => [
    name,
    world.signed(Buffer.from(JSON.stringify(payload)), certifying, recording),
  ]),
)
const lines = Object.entries(bundles).map(
  ([name, bundle]) => `${JSON.stringify(name)}:${JSON.stringify(bundle)}`,
)
const path = join(import.meta.dirname, '../../fixtures/conformance/sigstore.json')
writeFileSync(path, `{"root":${JSON.stringify(world.root)},"bundles":{\n${lines.join(',\n')}\n}}\n`)
