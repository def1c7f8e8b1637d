// Documents beside a stored bundle: attached once, a statement found again, and nothing to the signatures.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import type { Report } from '../../src/model/report.ts'
import { attestationDocument } from '../../src/oci/manifest.ts'
import { attachDocument } from '../../src/registry/attach.ts'
import { find } from '../../src/registry/open-carried.ts'
import { readAdded } from '../../src/registry/read-added.ts'
import { aboutIn } from '../../src/registry/statements-about.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { installKeys } from '../support/trust-world.ts'

const folder = temporary('attach')
const STATEMENT = attestationDocument(Buffer.from('{"payload":""}'))
const BILL = {
  artifactType: 'application/vnd.cyclonedx+json',
  mediaType: 'application/vnd.cyclonedx+json',
  content: Buffer.from('{"bomFormat":"CycloneDX"}'),
}
const signal = new AbortController().signal
const deadline = new Deadline(signal)
const servers: FakeRegistry[] = []
before(async () => {
  for (const referrers of [true, false]) servers.push(await new FakeRegistry({ referrers }).start())
})
after(() => Promise.all(servers.map(one => one.stop())))

for (const [what, place] of Object.entries({
  'a layout folder': (cwd: string) => `oci-layout:${join(cwd, 'store')}`,
  'a registry with the referrers API': () => `oci://${servers[0]?.host}/agents/mini`,
  'a registry without it': () => `oci://${servers[1]?.host}/agents/mini`,
})) {
  describe(what, () => {
    test('a document is attached once, found if it is a statement, and decides nothing', async () => {
      const here = world(folder(what))
      const at = place(here.cwd)
      assert.equal((await here.rlp('agent', 'push', here.put('b', made({}, RELEASE)), at)).exit, 0)
      const { store, manifest } = await find(
        referenceIn(`${at}:1.0.0`, 'read'),
        { access: { env: {} }, deadline },
        { writes: true },
        at,
      )
      try {
        const first = await attachDocument(store, manifest, STATEMENT)
        assert.equal(first.changed, true)
        const digest = first.attached
        assert.deepEqual(await attachDocument(store, manifest, STATEMENT), {
          attached: digest,
          changed: false,
        })
        const other = await attachDocument(store, manifest, BILL)
        const found = await readAdded(store, manifest.digest, deadline)
        assert.deepEqual(
          found.attestations?.envelopes.map(({ where, bytes }) => [where, Buffer.from(bytes)]),
          [[digest, STATEMENT.content]],
        )
        assert.deepEqual([found.envelopes, found.incomplete], [[], undefined])
        assert.equal(found.attestations?.keyless, undefined, 'there are no signatures of identities')
        assert.deepEqual(
          found.others.map(one => one.digest),
          [other.attached],
        )
      } finally {
        await store.close()
      }
      const { envelope } = await here.rlp('agent', 'verify', `${at}:1.0.0`)
      const report = envelope.result?.bundles?.[0] as Report
      assert.equal(report.verdict, 'trusted')
      assert.equal(report.carried?.manifest, manifest.digest)
      assert.deepEqual([...new Set(report.carried?.added.map(({ result }) => result))], ['other'])
    })
  })
}

test('statements that could not be read are not attached, and what kept them from it is said', () => {
  const about = { identity: 'a'.repeat(64), sha256: [] }
  for (const [why, code] of [
    ['io', 'IO'],
    ['limit', 'LIMIT_EXCEEDED'],
  ] as const) {
    const problem = { why, message: 'it is too much' }
    const [of, none] = [
      { label: 'it', envelopes: [] },
      { bundles: [], problem: undefined },
    ]
    const refused = { code, message: 'Cannot attach "it": it is too much' }
    assert.throws(() => aboutIn({ ...of, problem, keyless: none }, about), refused)
    assert.throws(() => aboutIn({ ...of, problem: undefined, keyless: { ...none, problem } }, about), refused)
    // What is no Sigstore bundle is about nothing.
    for (const bundles of [[], [{ where: 'line 1', bytes: Buffer.from('{}') }]])
      assert.deepEqual(aboutIn({ ...of, problem: undefined, keyless: { ...none, bundles } }, about), [])
  }
})

test('push sets the tag when all that is stated about the bundle is beside it', async () => {
  const [server] = servers
  assert.ok(server !== undefined)
  const here = world(folder('order'))
  installKeys(here.home)
  here.put('b', made({ name: 'order', version: '7.0.0' }, RELEASE))
  for (const verb of [['sbom'], ['provenance', '--builder', 'https://ci.example/1']])
    assert.equal((await here.rlp('agent', ...verb, 'b', '--key', 'second')).exit, 0)
  server.asked.length = 0
  const at = `oci://${server.host}/agents/order`
  const first = await here.rlp('agent', 'push', 'b', at)
  assert.equal(first.exit, 0, JSON.stringify(first.envelope))
  const put = () =>
    server.asked.flatMap(({ method, url }) =>
      method === 'PUT' && url.includes('/manifests/') ? [url.replace(/^.*\/|[0-9a-f]{64}/g, '')] : [],
    )
  assert.deepEqual(put(), ['sha256:', 'sha256:', 'sha256:', '7.0.0'])
  // Once more: the tag stays as it is.
  server.asked.length = 0
  const again = await here.rlp('agent', 'push', 'b', at)
  assert.equal(again.exit, 0)
  assert.ok(!put().includes('7.0.0'))
})
