// Places in a registry as other clients write them: the reference that may be meant, and nothing for a path.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { meantReference, meantTag, readOciReference } from '../../src/oci/reference.ts'

for (const [text, meant] of [
  ['registry.example/agents/mailer:0.1.0', 'oci://registry.example/agents/mailer:0.1.0'],
  ['localhost:5000/mailer', 'oci://localhost:5000/mailer'],
  ['localhost/mailer', 'oci://localhost/mailer'],
  ['registry.example/agents/', 'oci://registry.example/agents'],
  ['docker://registry/mailer:1', 'oci://registry/mailer:1'],
  [`registry.example/a@sha256:${'0'.repeat(64)}`, `oci://registry.example/a@sha256:${'0'.repeat(64)}`],
  ['dist/mailer', undefined],
  ['mailer', undefined],
  ['./mailer', undefined],
  ['../mailer/x', undefined],
  ['registry.example', undefined],
  ['my.folder/mailer-0.1.0.agent.bundle', undefined],
  ['my.folder/mailer-0.1.0.agent.bundle.gz', undefined],
  ['https://registry.example/mailer', undefined],
  ['oci://registry.example/mailer', undefined],
  ['oci-layout:store', undefined],
  ['C:/agents/mailer', undefined],
] as const)
  test(`${text}: ${meant ?? 'a path'}`, () => assert.equal(meantReference(text), meant))

const HEX = 'a'.repeat(64)
for (const [text, meant] of [
  ['oci://host/agents/mailer:1.2.3+build', 'oci://host/agents/mailer:1.2.3_build'],
  ['oci://host:5000/mailer:1.2.3-rc.1+b.2', 'oci://host:5000/mailer:1.2.3-rc.1_b.2'],
  [`oci://host/mailer:1.2.3+build@sha256:${HEX}`, `oci://host/mailer:1.2.3_build@sha256:${HEX}`],
  [`oci://host/mailer:sha256-${HEX}`, `oci://host/mailer@sha256:${HEX}`],
  [`oci://host/mailer:sha256-${HEX}.sig`, `oci://host/mailer@sha256:${HEX}`],
  ['oci-layout:/srv/store:1.2.3+build', 'oci-layout:/srv/store:1.2.3_build'],
  [`oci-layout:/srv/store:sha256-${HEX}`, `oci-layout:/srv/store@sha256:${HEX}`],
  ['oci://host/mailer:1.2.3', undefined],
  ['oci://host/Mailer:1.2.3+build', undefined],
  ['oci://host/mailer:a+b+c', undefined],
  ['oci://host:5000', undefined],
  ['oci://host/mailer:', undefined],
] as const)
  test(`the tag of ${text}: ${meant ?? 'nothing else'}`, () => assert.equal(meantTag(text), meant))

test('what is meant is always a reference', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (host, path) => {
      const meant = meantReference(`${host}.example/${path}`)
      if (meant !== undefined) assert.ok('value' in readOciReference(meant))
    }),
  )
})
