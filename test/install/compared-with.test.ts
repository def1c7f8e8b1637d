// What an upgrade is compared with: the content that is installed, or the last that was trusted in this root and of which nothing was revoked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparedWith } from '../../src/install/decide.ts'
import type { FileOnDisk, Offer } from '../../src/model/install.ts'

const permissions = { caps: [], tools: [] } as never
const wider = { caps: ['wider'], tools: [] } as never
const offer = { version: '2.0.0', manifestDigest: 'd2', permissions } as unknown as Offer
const file = { is: 'bundle', version: '1.5.0', manifestDigest: 'd15', fileDigest: 'f', permissions: wider }

function compared(
  facts: {
    readonly file?: object
    readonly installed?: string
    readonly baselines?: readonly object[]
    readonly revoked?: readonly string[]
  },
  policies?: readonly object[],
) {
  const { baselines = [], revoked = [], installed } = facts
  const policy = {
    revokedBundles: new Set(revoked),
    revokedKeys: new Map(revoked.map(key => [key, {}])),
  }
  const found = comparedWith(
    offer,
    installed === undefined ? undefined : ({ manifestDigest: installed } as never),
    {
      onDisk: { root: '/here', file: (facts.file ?? { is: 'nothing' }) as FileOnDisk } as never,
      state: { baselines } as never,
      trust: { policies: policies ?? [{ policy }] } as never,
    },
  )
  return found?.version
}

const baseline = (version: string, more: object = {}) => ({
  root: '/here',
  version,
  manifestDigest: `d${version}`,
  signers: ['k1', 'k2'],
  permissions,
  ...more,
})

test('the same content as what is installed was agreed to; other content is compared with the file', () => {
  assert.equal(compared({ file, installed: 'd2' }), '2.0.0')
  assert.equal(compared({ file, installed: 'd1' }), '1.5.0')
  assert.equal(compared({ file }), '1.5.0')
  assert.equal(compared({}), undefined)
})

test('a file that is no bundle, not vouched for, or revoked is not compared with', () => {
  const baselines = [baseline('1.0.0')]
  assert.equal(compared({ file: { is: 'something-else' }, baselines }), '1.0.0')
  assert.equal(compared({ file: { ...file, permissions: undefined }, baselines }), '1.0.0')
  assert.equal(compared({ file, baselines, revoked: ['d15'] }), '1.0.0')
  assert.equal(compared({ file, baselines, revoked: ['other'] }), '1.5.0')
})

test('of the former ones the last in this root counts that is not revoked, nor any of its signers', () => {
  const baselines = [
    baseline('1.0.0', { signers: ['k3'] }),
    baseline('1.1.0'),
    baseline('1.2.0', { root: '/there' }),
  ]
  assert.equal(compared({ baselines }), '1.1.0')
  assert.equal(compared({ baselines, revoked: ['d1.1.0'] }), '1.0.0')
  for (const key of ['k1', 'k2']) assert.equal(compared({ baselines, revoked: [key] }), '1.0.0')
  assert.equal(compared({ baselines, revoked: ['k1', 'k3'] }), undefined)
})

test('one policy of several is enough for a revocation, and one that cannot be used has none', () => {
  const none = { revokedBundles: new Set(), revokedKeys: new Map() }
  const one = { revokedBundles: new Set(['d15']), revokedKeys: new Map([['k1', {}]]) }
  const facts = { file, baselines: [baseline('1.1.0')] }
  assert.equal(compared(facts, [{ policy: undefined }, { policy: none }]), '1.5.0')
  assert.equal(compared(facts, [{ policy: undefined }, { policy: none }, { policy: one }]), undefined)
})
