// Documents beside a stored bundle: attached, found again by their type, and nothing to the signatures.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Report } from '../../src/model/report.ts'
import { attachDocument } from '../../src/registry/attach.ts'
import { attachedDocuments } from '../../src/registry/attached-documents.ts'
import { find } from '../../src/registry/open-carried.ts'
import { referenceIn } from '../../src/registry/open-store.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

const folder = temporary('attach')
const BILL = {
  artifactType: 'application/vnd.cyclonedx+json',
  mediaType: 'application/vnd.cyclonedx+json',
  content: Buffer.from('{"bomFormat":"CycloneDX"}'),
}
const signal = new AbortController().signal
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
    test('a document is attached once, found by its type, and decides nothing', async () => {
      const here = world(folder(what))
      const at = place(here.cwd)
      assert.equal((await here.rlp('agent', 'push', here.put('b', made({}, RELEASE)), at)).exit, 0)
      const { store, manifest } = await find(
        referenceIn(`${at}:1.0.0`, 'read'),
        { env: {} },
        { writes: true, signal },
        at,
      )
      try {
        const other = { ...BILL, artifactType: 'application/vnd.other' }
        const digest = await attachDocument(store, manifest, BILL)
        assert.equal(await attachDocument(store, manifest, BILL), digest)
        await attachDocument(store, manifest, other)
        const wanted = { ...BILL, mostBytes: 1000, most: 10 }
        const found = async (more: object = {}) =>
          attachedDocuments(store, manifest.digest, { ...wanted, ...more }, signal)
        assert.deepEqual(await found(), {
          documents: [{ digest, content: BILL.content }],
          incomplete: undefined,
        })
        for (const more of [
          { mostBytes: 10 },
          { mediaType: 'text/plain' },
          { artifactType: 'application/x' },
        ])
          assert.deepEqual(await found(more), { documents: [], incomplete: undefined })
        assert.ok((await found({ most: 1 })).incomplete)
        assert.equal(
          (await attachedDocuments(store, manifest.digest, wanted, AbortSignal.abort())).documents.length,
          0,
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
