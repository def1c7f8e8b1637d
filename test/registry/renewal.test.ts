// When rlp agent push moves a tag without --force: the same agent, a later end, and all who had signed have signed again.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { countersign } from '../../src/library/generated/registry.ts'
import { MANIFEST_TYPE } from '../../src/oci/document.ts'
import { sha256Of, writeBundleManifest } from '../../src/oci/manifest.ts'
import { bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { good, madeTree, RELEASE, REVIEW, STRANGER, type World, world } from '../support/install-world.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'
import { slice } from '../support/runs.ts'
import { signedTree, type TestSigner } from '../support/signed.ts'

const folder = temporary('renewal')
const TREE = madeTree()
const OTHER_TREE = madeTree({ files: { 'README.md': 'other' } })
const FIRST = '2027-02-18T12:00:00Z'
const LATER = '2027-05-19T12:00:00Z'
const BUNDLE = 'mini-1.0.0.agent.bundle'

const signedBy = (signers: readonly TestSigner[], notAfter?: string, tree = TREE) =>
  bundleOf(signedTree(tree, signers, notAfter === undefined ? {} : { notAfter }))

async function push(here: World, to: string, bytes: Uint8Array, ...words: string[]) {
  here.put(BUNDLE, bytes)
  const { exit, envelope } = await here.rlp('agent', 'push', BUNDLE, to, ...words)
  return {
    exit,
    code: envelope.code,
    message: envelope.message ?? '',
    hint: envelope.hint ?? '',
    changed: envelope.result,
  }
}

/** A world whose tag names a bundle. */
async function stored(name: string, first: Uint8Array): Promise<World> {
  const here = world(folder(name))
  assert.equal((await push(here, 'oci-layout:store', first)).exit, 0)
  return here
}

const tagged = (here: World) => readFileSync(join(here.cwd, 'store/index.json'), 'utf8')
const keyOf = (signer: TestSigner) => ({
  key: signer.key,
  sign: async (message: Uint8Array) => signer.sign(message),
})

test('a renewal moves the tag, in a layout folder and in a registry, and the old digest stays', async () => {
  const registry = await new FakeRegistry({ referrers: true }).start()
  try {
    for (const to of ['oci-layout:store', `oci://${registry.host}/mini`]) {
      const here = world(folder('moves'))
      assert.equal((await push(here, to, signedBy([RELEASE], FIRST))).exit, 0)
      const { bundles } = await good(here, 'agent', 'verify', `${to}:1.0.0`, '--expect', 'mini')
      const old = bundles?.[0]?.carried?.manifest
      const moved = await push(here, to, signedBy([RELEASE, REVIEW], LATER))
      assert.equal(moved.exit, 0, moved.message)
      const now = await good(here, 'agent', 'verify', `${to}:1.0.0`, '--expect', 'mini')
      assert.notEqual(now.bundles?.[0]?.carried?.manifest, old)
      assert.equal(now.bundles?.[0]?.signatures.length, 2)
      await good(here, 'agent', 'verify', `${to}@${old}`, '--expect', 'mini')
      // It does not move back.
      assert.equal((await push(here, to, signedBy([RELEASE], FIRST))).code, 'EXISTS')
    }
  } finally {
    await registry.stop()
  }
})

describe('the tag stays', () => {
  const cases: readonly (readonly [
    what: string,
    first: Uint8Array,
    next: Uint8Array,
    says: RegExp,
    hint: RegExp,
  ])[] = [
    [
      'other content',
      signedBy([RELEASE], FIRST),
      signedBy([RELEASE], LATER, OTHER_TREE),
      /names other content/,
      /new version/,
    ],
    [
      'an end that is the same',
      signedBy([RELEASE], LATER),
      signedBy([RELEASE, REVIEW], LATER),
      /names the same agent, whose signatures end at 2027-05-19T12:00:00Z, and the new ones end at 2027-05-19/,
      /rlp agent sign mini-1\.0\.0\.agent\.bundle --key KEY --renew \d+d .* rlp agent sign oci-layout:\S+store:1\.0\.0 --key KEY adds/,
    ],
    [
      'an end that is earlier',
      signedBy([RELEASE], LATER),
      signedBy([RELEASE], FIRST),
      /the same agent/,
      /--renew/,
    ],
    [
      'no end before',
      signedBy([RELEASE]),
      signedBy([RELEASE], LATER),
      /whose signatures do not end/,
      // No end is later than none.
      /^rlp agent sign oci-layout:\S+store:1\.0\.0 --key KEY adds one/,
    ],
    ['no end after', signedBy([RELEASE], FIRST), signedBy([RELEASE]), /the new ones do not end/, /--renew/],
    [
      'a signer who is missing',
      signedBy([RELEASE, REVIEW], FIRST),
      signedBy([RELEASE], LATER),
      new RegExp(`renewed signature of ${REVIEW.anchor.replaceAll(/[+/]/g, '\\$&')} is missing`),
      /Let its owner run .* --renew \d+d on the same file.*--force/,
    ],
    [
      'another signer',
      signedBy([RELEASE], FIRST),
      signedBy([STRANGER], LATER),
      /the renewed signature of ed25519:\S+ is missing/,
      /--renew/,
    ],
  ]
  for (const [what, first, next, says, hint] of slice(cases, 3))
    test(`for ${what}`, async () => {
      const right = await stored('right', signedBy([RELEASE], FIRST))
      assert.equal((await push(right, 'oci-layout:store', signedBy([RELEASE], LATER))).exit, 0)
      const here = await stored('wrong', first)
      const before = tagged(here)
      const refused = await push(here, 'oci-layout:store', next)
      assert.deepEqual([refused.exit, refused.code], [2, 'EXISTS'], refused.message)
      assert.match(refused.message, says)
      assert.match(refused.hint, hint)
      assert.equal(tagged(here), before)
      assert.equal((await push(here, 'oci-layout:store', next, '--force')).exit, 0)
    })

  test('for a signer whose signature was added where the bundle is stored', async () => {
    const here = await stored('attached', signedBy([RELEASE], FIRST))
    const at = 'oci-layout:store:1.0.0'
    await countersign(at, { cwd: here.cwd, key: keyOf(REVIEW), expect: 'mini@1.0.0' })
    const refused = await push(here, 'oci-layout:store', signedBy([RELEASE], LATER))
    assert.equal(refused.code, 'EXISTS')
    assert.ok(
      refused.message.includes(`the renewed signature of ${REVIEW.anchor} is missing`),
      refused.message,
    )
    assert.equal((await push(here, 'oci-layout:store', signedBy([RELEASE, REVIEW], LATER))).exit, 0)
  })

  test('if what is attached cannot be read', async () => {
    const registry = await new FakeRegistry({ referrers: true }).start()
    try {
      const here = world(folder('unread'))
      const to = `oci://${registry.host}/mini`
      assert.equal((await push(here, to, signedBy([RELEASE], FIRST))).exit, 0)
      registry.meddle = ({ url = '' }, response) => url.includes('/referrers/') && say(response, 500, '{}')
      const refused = await push(here, to, signedBy([RELEASE], LATER))
      assert.deepEqual([refused.exit, refused.code], [3, 'STORE'])
      assert.match(
        refused.message,
        /^Cannot push to a tag that is taken: what is attached to \S+:1\.0\.0 was not read whole/,
      )
      registry.meddle = undefined
      assert.equal((await push(here, to, signedBy([RELEASE], LATER))).exit, 0)
    } finally {
      await registry.stop()
    }
  })

  test('if a registry claims the identity of the agent for other bytes', async () => {
    const registry = await new FakeRegistry({ referrers: true }).start()
    try {
      const here = world(folder('claims'))
      const to = `oci://${registry.host}/mini`
      assert.equal((await push(here, to, signedBy([RELEASE], FIRST))).exit, 0)
      const { bundles } = await good(here, 'agent', 'verify', `${to}:1.0.0`, '--expect', 'mini')
      const identity = bundles?.[0]?.identity?.replace('blake3:', '') ?? ''
      for (const bytes of [signedBy([RELEASE], FIRST, OTHER_TREE), Buffer.from('x')]) {
        const digest = sha256Of(bytes)
        registry.blobs.set(digest, Buffer.from(bytes))
        const facts = { title: BUNDLE, version: '1.0.0', identity, digest, size: bytes.length }
        registry.put(writeBundleManifest(facts), MANIFEST_TYPE, '1.0.0')
        const refused = await push(here, to, signedBy([RELEASE], LATER))
        assert.equal(refused.code, 'EXISTS')
        assert.match(refused.message, /names other content/)
      }
    } finally {
      await registry.stop()
    }
  })
})

describe('a copy', () => {
  const copy = async (here: World, ...words: string[]) => {
    const { exit, envelope } = await here.rlp(
      'agent',
      'copy',
      'oci-layout:store:1.0.0',
      'oci-layout:there',
      ...words,
    )
    return { exit, code: envelope.code, message: envelope.message ?? '', hint: envelope.hint ?? '' }
  }

  test('moves the tag by the same rule, with signatures that are beside the renewed bundle', async () => {
    const here = await stored('copied', signedBy([RELEASE, REVIEW], FIRST))
    assert.equal((await copy(here)).exit, 0)
    // One of the two has renewed the file, and the other one signs it where it is stored.
    assert.equal((await push(here, 'oci-layout:store', signedBy([RELEASE], LATER), '--force')).exit, 0)
    const refused = await copy(here)
    assert.deepEqual([refused.exit, refused.code], [2, 'EXISTS'])
    assert.ok(
      refused.message.includes(`the renewed signature of ${REVIEW.anchor} is missing`),
      refused.message,
    )
    assert.match(
      refused.hint,
      /Let its owner run rlp agent sign oci-layout:store:1\.0\.0 --key KEY, which adds it/,
    )
    await countersign('oci-layout:store:1.0.0', {
      cwd: here.cwd,
      key: keyOf(REVIEW),
      expect: 'mini@1.0.0',
    })
    // Without what is beside it, the signature would be lost.
    assert.equal((await copy(here, '--no-attach')).code, 'EXISTS')
    assert.equal((await copy(here, '--dry-run')).exit, 0)
    assert.equal((await copy(here)).exit, 0)
    const { bundles } = await good(here, 'agent', 'verify', 'oci-layout:there:1.0.0', '--expect', 'mini')
    assert.equal(bundles?.[0]?.signatures.length, 2)
  })

  test('leaves the tag at the same agent with a later end', async () => {
    const here = await stored('later', signedBy([RELEASE], LATER))
    assert.equal((await copy(here)).exit, 0)
    assert.equal((await push(here, 'oci-layout:store', signedBy([RELEASE], FIRST), '--force')).exit, 0)
    const refused = await copy(here)
    assert.equal(refused.code, 'EXISTS')
    assert.match(refused.message, /^Cannot copy .* names the same agent, whose signatures end at 2027-05-19/)
    assert.equal((await copy(here, '--force')).exit, 0)
  })
})
