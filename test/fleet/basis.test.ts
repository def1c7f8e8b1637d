// What a verdict depends on: each of it changes the basis, so that no verdict is used again that would be another one now.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basisOf } from '../../src/fleet/judge.ts'
import type { Attestations } from '../../src/model/attestation.ts'
import type { LockSource } from '../../src/model/lock.ts'
import type { PolicySource } from '../../src/model/trust.ts'
import { POLICY, policySource } from '../support/trust-world.ts'

type Given = Parameters<typeof basisOf>[0]
type Trust = Given['trust']

const NOW = new Date('2026-11-20T12:00:00Z')
const OPTIONS: Given['options'] = {
  allowUnsigned: false,
  allowDev: false,
  env: {},
  trustPolicy: undefined,
  attestations: undefined,
  locks: [],
}
const TRUST: Trust = {
  policies: [policySource(POLICY)],
  marks: { marks: [], wasSigned: false },
  overrides: [],
  now: NOW,
}
const GIVEN: Given = {
  sha256: 'a'.repeat(64),
  expect: 'any',
  options: OPTIONS,
  locks: [],
  trust: TRUST,
}

const basis = (more: Partial<Given> = {}) => basisOf({ ...GIVEN, ...more })
const trusting = (more: Partial<Trust>) => basis({ trust: { ...TRUST, ...more } })

const bytes = (text: string) => ({ where: 'line 1', bytes: Buffer.from(text) })
const ATTESTED: Attestations = { label: 'a.intoto.jsonl', envelopes: [bytes('one')], problem: undefined }
const LOCK: LockSource = {
  label: 'rlp.lock',
  folder: '/',
  digest: 'd'.repeat(64),
  lock: undefined,
  problems: [],
}
const OVERRIDE = { label: 'policy.caps', for: 'mini', bytes: Buffer.from('x') }

test('each of what a verdict depends on changes it, and the same gives the same', () => {
  const named = (name: string) =>
    basis({ expect: { name, variant: undefined, versions: undefined } as never })
  const [policy] = TRUST.policies as readonly [PolicySource]
  const attested = (more: Partial<Attestations>) => trusting({ attestations: { ...ATTESTED, ...more } })
  const keyless = (text: string, problem?: string) =>
    attested({
      keyless: {
        bundles: [bytes(text)],
        problem: problem === undefined ? undefined : { why: 'limit', message: problem },
      },
    })
  const all: Readonly<Record<string, string>> = {
    nothing: basis(),
    bytes: basis({ sha256: 'b'.repeat(64) }),
    'an agent': named('mini'),
    'another agent': named('other'),
    '--allow-unsigned': basis({ options: { ...OPTIONS, allowUnsigned: true } }),
    '--allow-dev': basis({ options: { ...OPTIONS, allowDev: true } }),
    'a policy': trusting({ policies: [policySource(`${POLICY}\n`)] }),
    'a policy of another role': trusting({ policies: [{ ...policy, role: 'system' }] }),
    'a policy with a problem': trusting({ policies: [{ ...policy, problems: ['others may write it'] }] }),
    'a policy that is not used': trusting({ policies: [{ ...policy, policy: undefined }] }),
    'no policy': trusting({ policies: [] }),
    'a mark': trusting({ marks: { marks: [], wasSigned: true } }),
    'an override': trusting({ overrides: [OVERRIDE] }),
    'an override of another agent': trusting({ overrides: [{ ...OVERRIDE, for: 'other' }] }),
    'another override': trusting({ overrides: [{ ...OVERRIDE, bytes: Buffer.from('y') }] }),
    'an override that cannot be read': trusting({
      overrides: [{ label: 'policy.caps', for: 'mini', problem: 'p' }],
    }),
    'a lock': basis({ locks: [LOCK] }),
    'another lock': basis({ locks: [{ ...LOCK, digest: 'e'.repeat(64) }] }),
    'a lock that is not there': basis({ locks: [{ ...LOCK, digest: undefined }] }),
    'a lock with a problem': basis({ locks: [{ ...LOCK, problems: ['p'] }] }),
    'two locks': basis({ locks: [LOCK, { ...LOCK, digest: 'e'.repeat(64) }] }),
    'a statement': attested({}),
    'another statement': attested({ envelopes: [bytes('two')] }),
    'two statements': attested({ envelopes: [bytes('one'), bytes('two')] }),
    'statements of another place': attested({ label: 'b.intoto.jsonl' }),
    'more statements than are read': attested({ problem: { why: 'limit', message: 'it has more' } }),
    'a statement by an identity': keyless('one'),
    'another statement by an identity': keyless('two'),
    'more of those than are read': keyless('one', 'it has more'),
  }
  const seen = new Map<string, string>()
  for (const [what, value] of Object.entries(all)) {
    assert.match(value, /^[0-9a-f]{64}$/)
    assert.equal(seen.get(value), undefined, `${what} is told from ${seen.get(value)}`)
    seen.set(value, what)
  }
  assert.equal(basis({ options: { ...OPTIONS, env: { A: 'b' } } }), all['nothing'])
  assert.equal(trusting({ policies: [policySource(POLICY)] }), all['nothing'])
  // Hosts keep the same policy at different paths, and the words of a problem name the path.
  assert.equal(trusting({ policies: [policySource(POLICY, 'other.toml')] }), all['nothing'])
  assert.equal(
    trusting({ policies: [{ ...policy, problems: ['others may write "/home/b/p.toml"'] }] }),
    all['a policy with a problem'],
  )
})

test('time changes it when a signer of a policy ends, to the second, and not before', () => {
  const until = POLICY.replace('dev = { ', 'dev = { until = "2026-11-20T12:00:00Z", ')
  assert.notEqual(until, POLICY)
  const at = (time: string, policy = until) =>
    trusting({ policies: [policySource(policy)], now: new Date(time) })
  const before = at('2026-11-01T00:00:00Z')
  assert.equal(at('2026-11-20T12:00:00Z'), before)
  assert.notEqual(at('2026-11-20T12:00:01Z'), before)
  assert.equal(at('2030-01-01T00:00:00Z'), at('2026-11-20T12:00:01Z'))
  assert.equal(at('2030-01-01T00:00:00Z', POLICY), at('2026-11-01T00:00:00Z', POLICY))
  assert.equal(at('2030-01-01T00:00:00Z', 'damaged'), at('2026-11-01T00:00:00Z', 'damaged'))
})
