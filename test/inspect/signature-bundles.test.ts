// rlp agent inspect --signature-bundle: each signature as a Sigstore bundle, which the libraries of Sigstore read and verify.
import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { bundleFromJSON } from '@sigstore/bundle'
import { toSignedEntity, Verifier } from '@sigstore/verify'
import type { WrittenSignatures } from '../../src/inspect/signature-files.ts'
import { bundleOf } from '../support/agent.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { type World, world } from '../support/install-world.ts'
import { ASKING, KEYS, signed, type TestKey } from '../support/trust-world.ts'

const folder = temporary('signature-bundles')

/** Their verifier with one key, and neither log nor clock. */
function accepts(text: string, key: TestKey): void {
  const publicKey = createPublicKey(key.private)
  const verifier = new Verifier(
    {
      certificateAuthorities: [],
      timestampAuthorities: [],
      tlogs: [],
      ctlogs: [],
      publicKey: () => ({ publicKey, validFor: () => true }),
    },
    { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 },
  )
  verifier.verify(toSignedEntity(bundleFromJSON(JSON.parse(text))))
}

describe('inspect --signature-bundle', () => {
  let here: World
  before(() => {
    here = world(folder('here'))
    here.put('mini-1.0.0.agent.bundle', bundleOf(signed(ASKING, ['release', 'security'])))
    here.put('stranger', bundleOf(signed(ASKING, 'stranger')))
    here.put('unsigned', bundleOf(ASKING))
  })
  const write = (bundle: string, ...more: string[]) =>
    here.rlp('agent', 'inspect', bundle, '--signature-bundle', 'out', ...more)
  const files = () => readdirSync(join(here.cwd, 'out')).sort()
  const textOf = (file: string) => readFileSync(join(here.cwd, file), 'utf8')

  test('writes one file for each signature, and each verifies under its key alone', async () => {
    const { exit, envelope } = await write('mini-1.0.0.agent.bundle')
    assert.equal(exit, 0, JSON.stringify(envelope))
    const written = envelope.result?.['signatures'] as { file: string; signer: string }[]
    assert.deepEqual(
      written.map(({ signer }) => signer).sort(),
      [KEYS.release.anchor, KEYS.security.anchor].sort(),
    )
    assert.deepEqual(files(), written.map(({ file }) => file.replace('out/', '')).sort())
    for (const { file, signer } of written) {
      assert.match(file, /^out\/mini-1\.0\.0\.[0-9a-f]{16}\.sigstore\.json$/)
      const [own, other] = [KEYS.release, KEYS.security].sort(key => (key.anchor === signer ? -1 : 1))
      assert.ok(own !== undefined && other !== undefined)
      accepts(textOf(file), own)
      assert.throws(() => accepts(textOf(file), other), /signature/i)
      // The key itself is not there: a reader brings the one that he trusts.
      assert.doesNotMatch(textOf(file), /rawBytes|BEGIN/)
    }
  })

  test('again it changes nothing, and a file with other content stays', async () => {
    const before = snapshot(join(here.cwd, 'out'))
    const same = await write('mini-1.0.0.agent.bundle')
    assert.deepEqual([same.exit, same.envelope.result?.['changed']], [0, false])
    assert.deepEqual(snapshot(join(here.cwd, 'out')), before)
    const file = join(here.cwd, 'out', files()[0] ?? '')
    writeFileSync(file, 'mine')
    const { exit, envelope } = await write('mini-1.0.0.agent.bundle')
    assert.deepEqual([exit, envelope.code], [2, 'EXISTS'])
    assert.equal(readFileSync(file, 'utf8'), 'mine')
    const forced = await write('mini-1.0.0.agent.bundle', '--force')
    assert.deepEqual([forced.exit, forced.envelope.result?.['changed']], [0, true])
    assert.deepEqual(
      files().map(name => JSON.parse(textOf(`out/${name}`)).mediaType),
      Array(2).fill('application/vnd.dev.sigstore.bundle.v0.3+json'),
    )
  })

  test('asks for no trust, and says which verdict it has', async () => {
    const { exit, envelope } = await write('stranger', '--force')
    assert.equal(exit, 0)
    assert.equal((envelope.result as unknown as WrittenSignatures).report.verdict, 'untrusted')
  })

  test('writes nothing of what is unsigned or wrong, and no page', async () => {
    const wrong = bundleOf(signed(ASKING, 'release'))
    const at = wrong.indexOf('"sig":"') + 20
    wrong[at] = wrong[at] === 65 ? 66 : 65
    here.put('wrong', wrong)
    for (const [bundle, more, code] of [
      ['unsigned', [], 'NOT_VERIFIED'],
      ['wrong', [], 'NOT_VERIFIED'],
      ['none', [], 'NOT_VERIFIED'],
      ['mini-1.0.0.agent.bundle', ['--out', 'page.html'], 'USAGE'],
      ['mini-1.0.0.agent.bundle', ['--against', 'stranger'], 'USAGE'],
    ] as const) {
      const ran = await here.rlp('agent', 'inspect', bundle, '--signature-bundle', 'new', ...more)
      assert.notEqual(ran.exit, 0)
      assert.equal(ran.envelope.code, code, bundle)
      assert.equal(existsSync(join(here.cwd, 'new')), false)
    }
  })
})
