// Where a bundle is sent: which repository and tag it gets, and what no reader would find there, or would refuse.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ociReferenceText } from '../../src/oci/reference.ts'
import { pushTarget, referenceFor, refuseStored, tagTaken } from '../../src/registry/push-target.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const MAILER = { name: 'mailer', version: '1.2.0+b.1' }

function reference(to: string, agent = MAILER, more: Partial<Parameters<typeof referenceFor>[3]> = {}) {
  return ociReferenceText(referenceFor(pushTarget(to, 1), agent, 'b', { doing: 'push', ...more }))
}

describe('a target', () => {
  test('with a tag takes one bundle, and without one many', () => {
    for (const to of ['oci://r.example/agents/mailer', 'oci-layout:store']) {
      assert.equal(pushTarget(`${to}:1.0.0`, 1).reference.tag, '1.0.0')
      assert.equal(pushTarget(to, 2).isMany, false)
      for (const [doing, message] of [
        ['push', /^Cannot push 2 bundles to ".*": one tag names one bundle$/],
        ['copy', /^Cannot copy 2 bundles to ".*": one tag names one bundle$/],
      ] as const)
        assert.throws(() => pushTarget(`${to}:1.0.0`, 2, doing), { code: 'USAGE', message })
    }
  })

  test('names no digest, which follows from the bundle', () => {
    for (const to of [`oci://r.example/agents/mailer@${DIGEST}`, `oci-layout:store:1.0.0@${DIGEST}`])
      assert.throws(() => pushTarget(to, 1), { code: 'USAGE', message: /the digest follows from the bundle/ })
  })

  test('that ends in a slash is above the place of each agent', () => {
    const { reference: registry, isMany } = pushTarget('oci://r.example/agents/', 3)
    assert.deepEqual(
      [registry.place, isMany],
      [{ in: 'registry', host: 'r.example', port: undefined, repository: 'agents/' }, true],
    )
    assert.deepEqual(pushTarget('oci-layout:store/', 3).reference.place, { in: 'layout', folder: 'store/' })
  })

  test('has to be a reference, with what is meant in the message', () => {
    assert.throws(() => pushTarget('store', 1), /Cannot push to "store"/)
    assert.throws(() => pushTarget('store', 1, 'copy'), /Cannot copy to "store"/)
    assert.throws(() => refuseStored({ path: 'oci-layout:store:1', label: 'x' }), /it is stored already/)
    refuseStored({ path: '/a/b', label: 'b' })
  })
})

describe('the reference of a bundle', () => {
  test('has the tag of the target, else the one that is asked for, else that of its version', () => {
    assert.equal(reference('oci://r.example/agents/mailer'), 'oci://r.example/agents/mailer:1.2.0_b.1')
    assert.equal(reference('oci-layout:store', MAILER, { tag: 'latest' }), 'oci-layout:store:latest')
    assert.equal(reference('oci-layout:store:mine', MAILER, { tag: 'latest' }), 'oci-layout:store:mine')
  })

  test('below a target that ends in a slash has the name of the agent, and of its variant', () => {
    const pro = { ...MAILER, variant: 'pro' }
    assert.equal(reference('oci://r.example/agents/'), 'oci://r.example/agents/mailer:1.2.0_b.1')
    assert.equal(reference('oci://r.example/agents/', pro), 'oci://r.example/agents/mailer.pro:1.2.0_b.1')
    assert.equal(reference('oci-layout:store/'), 'oci-layout:store/mailer:1.2.0_b.1')
    const odd = { ...MAILER, name: 'a___b' }
    assert.throws(() => reference('oci://r.example/agents/', odd), {
      code: 'USAGE',
      message: /^Cannot push "b" to "agents\/a___b": /,
    })
    // A folder has no such grammar.
    assert.equal(reference('oci-layout:store/', odd), 'oci-layout:store/a___b:1.2.0_b.1')
  })

  test('implies no other agent and no other version than it is', () => {
    const refused = { code: 'USAGE', message: /it is mailer 1\.2\.0\+b\.1, and readers would expect another/ }
    for (const to of ['oci://r.example/agents/other', 'oci://r.example/agents/mailer:1.2.1'])
      assert.throws(() => reference(to), refused)
    assert.equal(reference('oci://r.example/agents/mailer:mine'), 'oci://r.example/agents/mailer:mine')
  })

  test('of a version that no tag holds needs a tag', () => {
    const long = { name: 'mailer', version: `1.0.0-${'a'.repeat(130)}` }
    assert.throws(() => reference('oci://r.example/agents/mailer', long), /no tag holds the version 1\.0\.0-/)
    assert.equal(reference('oci-layout:store:mine', long), 'oci-layout:store:mine')
  })
})

test('a tag that names other content is named with that content', () => {
  const { code, message } = tagTaken(pushTarget('oci-layout:store:1.0.0', 1).reference, DIGEST, 'b', 'copy')
  assert.deepEqual(
    [code, message],
    ['EXISTS', `Cannot copy "b": oci-layout:store:1.0.0 names other content (${DIGEST})`],
  )
})
