// One policy's judgement: against a second implementation that only knows the statements of docs/spec/judging.md, and what may never happen.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Anchor } from '../../src/model/anchor.ts'
import type { Policy } from '../../src/model/policy.ts'
import type { Ceiling, Requirements, Revocation, TrustPolicy } from '../../src/model/trust.ts'
import { policyGrants } from '../../src/policy/ceiling.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import type { TrustFacts } from '../../src/trust/believed.ts'
import { type Judgement, judge, withCeiling } from '../../src/trust/judge.ts'
import { excessOver, grownRule } from '../../src/trust-policy/rule-fields/index.ts'
import { processorTime } from '../support/processor-time.ts'
import { runs } from '../support/runs.ts'

const NAMES = ['a', 'b', 'c', 'd'] as const
const keysOf = (name: string) => [`ed25519:${name}1`, `ed25519:${name}2`]
const ALL_KEYS = [...NAMES.flatMap(keysOf), 'ed25519:x']
const DIGEST = 'd'.repeat(64)
const GONE: Revocation = { since: undefined, reason: 'lost', replacedBy: undefined }

/** Grants and the entries of a rule that allow exactly them, so that containment is plain set inclusion. */
const UNIVERSE = ['kb_read:x', 'kb_write:y', 'time', 'net:h', 'exec'] as const
type Grant = (typeof UNIVERSE)[number]

const capsOf = (grants: readonly Grant[]): Policy => ({
  ...NO_GRANTS,
  kbRead: grants.includes('kb_read:x') ? ['x'] : [],
  kbWrite: grants.includes('kb_write:y') ? ['y'] : [],
  time: grants.includes('time'),
  net: { hosts: grants.includes('net:h') ? ['h'] : [], allowHttp: false },
  exec: grants.includes('exec') ? true : [],
})

const ceilingOf = (grants: readonly Grant[], agents?: readonly string[]): Ceiling => ({
  ...grownRule(undefined, {}),
  allowCaps: grants.filter(grant => grant !== 'exec' && grant !== 'net:h'),
  allowNet: grants.includes('net:h') ? ['h'] : [],
  allowExec: grants.includes('exec'),
  agents,
})

interface World {
  readonly rules: ReadonlyMap<
    string,
    { readonly grants: readonly Grant[]; readonly agents?: readonly string[] }
  >
  readonly dev: readonly string[]
  /** Anchors that only attest. */
  readonly attest: readonly string[]
  /** Anchors whose end is past. */
  readonly ended: readonly string[]
  /** The group `g`. */
  readonly group: { readonly of: readonly string[]; readonly atLeast: number }
  readonly require: TrustPolicy['require']
  readonly revoked: readonly string[]
  readonly isRevokedBundle: boolean
  readonly signers: readonly string[]
  readonly caps: readonly Grant[]
  readonly allowDev: boolean
}

const some = <T>(values: readonly T[]) => fc.subarray([...values])
const rule = fc
  .record({ grants: some(UNIVERSE), agents: fc.constantFrom(['m'], ['n'], undefined, undefined) })
  .map(({ grants, agents }) => ({ grants, ...(agents && { agents }) }))
const entry = fc
  .record({
    agents: fc.constantFrom(['m'], ['x', 'n'], ['m@pro'], undefined),
    signers: fc.subarray(['a', 'b', 'g']),
    signatures: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ agents, ...entry }) => ({ ...entry, ...(agents && { agents }) }))
const worlds: fc.Arbitrary<World> = fc.record({
  rules: fc
    .array(fc.tuple(fc.constantFrom(...NAMES, 'g'), rule), { maxLength: 4 })
    .map(entries => new Map(entries)),
  dev: some(NAMES.slice(3)),
  attest: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some(NAMES)),
  ended: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some(NAMES)),
  group: fc
    .tuple(fc.subarray([...NAMES], { minLength: 1 }), fc.nat())
    .map(([of, number]) => ({ of, atLeast: 1 + (number % of.length) })),
  require: fc.oneof(
    fc.constant(undefined),
    fc.record({ anchors: some(NAMES), signatures: fc.integer({ min: 1, max: 3 }) }),
    fc.array(entry, { minLength: 1, maxLength: 3 }),
  ),
  revoked: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some(ALL_KEYS)),
  isRevokedBundle: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  signers: some(ALL_KEYS),
  caps: some(UNIVERSE),
  allowDev: fc.boolean(),
})

function policyOf(world: World): TrustPolicy {
  const anchors: Anchor[] = NAMES.map(name => ({
    name,
    keys: keysOf(name),
    identity: undefined,
    until: world.ended.includes(name) ? '2026-01-01T00:00:00Z' : undefined,
    allowDev: world.dev.includes(name),
    use: world.attest.includes(name) ? ['attest'] : ['sign'],
  }))
  return {
    validUntil: undefined,
    trustedRoot: undefined,
    anchors,
    groups: [{ name: 'g', ...world.group }],
    floors: new Map(),
    rules: new Map([...world.rules].map(([name, { grants, agents }]) => [name, ceilingOf(grants, agents)])),
    require: world.require,
    revokedKeys: new Map(world.revoked.map(key => [key, GONE])),
    revokedBundles: new Map(world.isRevokedBundle ? [[DIGEST, GONE]] : []),
  }
}

function factsOf({ signers, allowDev }: World): TrustFacts {
  const evidence = { attestations: undefined, manifest: { blake3: DIGEST, sha256: DIGEST } }
  const about = { signers, manifestDigest: DIGEST, agent: 'm', notAfter: undefined }
  return { ...about, now: new Date('2026-01-01T00:00:00.001Z'), allowDev, evidence }
}

/** As verification asks: what a bundle wants is looked at only when its signers count. */
function judged(world: World): Judgement {
  const policy = policyOf(world)
  const asked = { agent: { name: 'm' }, caps: capsOf(world.caps) }
  return withCeiling(policy, judge(policy, factsOf(world)), asked)
}

/** docs/spec/judging.md, J-10, J-11, J-15, J-17, J-18, J-20 to J-23, statement by statement. */
function oracle(world: World): Judgement['verdict'] {
  if (world.isRevokedBundle) return 'revoked'
  const result = passes(world, world.revoked)
  // Ceilings are not asked: a key that is revoked is revoked, whatever its signer may grant.
  return result === 'untrusted' && passes(world, []) !== 'untrusted' ? 'revoked' : result
}

function passes(world: World, revoked: readonly string[]): 'passed' | 'untrusted' | 'policy_denied' {
  const counted = NAMES.filter(name => {
    const hasSigned = keysOf(name).some(key => world.signers.includes(key) && !revoked.includes(key))
    const signs = !world.attest.includes(name)
    const isDev = world.dev.includes(name) && !world.allowDev
    return hasSigned && signs && !isDev && !world.ended.includes(name)
  })
  const isMet = world.group.of.filter(name => counted.some(one => one === name)).length >= world.group.atLeast
  const parties: string[] = [...counted, ...(isMet ? ['g'] : [])]
  const entries = entriesFor(world)
  const demanded = requiredNames(world)
  if (demanded.some(name => !parties.includes(name))) return 'untrusted'
  if (counted.length < Math.max(1, ...entries.map(({ signatures }) => signatures))) return 'untrusted'
  const holds = (name: string) => {
    const rule = world.rules.get(name)
    if (rule === undefined) return false
    if (rule.agents !== undefined && !rule.agents.includes('m')) return false
    return world.caps.every(grant => rule.grants.includes(grant))
  }
  if (demanded.some(name => world.rules.has(name) && !holds(name))) return 'policy_denied'
  return parties.some(holds) ? 'passed' : 'policy_denied'
}

/** The entries that name the agent `m`. */
function entriesFor({ require }: World): readonly Requirements[] {
  const all =
    require === undefined
      ? []
      : Array.isArray(require)
        ? (require as Requirements[])
        : [require as Requirements]
  return all.filter(({ agents }) => agents === undefined || agents.includes('m'))
}

function requiredNames(world: World): readonly string[] {
  return entriesFor(world).flatMap(({ anchors = [], signers = [] }) => [...anchors, ...signers])
}

const check = (property: (world: World) => void) =>
  fc.assert(fc.property(worlds, property), { numRuns: runs(2000) })

describe('the judgement', () => {
  test('is what the sentences say', () => {
    const seen = new Set<string>()
    check(world => {
      const { verdict } = judged(world)
      seen.add(verdict)
      assert.equal(verdict, oracle(world))
    })
    assert.deepEqual([...seen].sort(), ['passed', 'policy_denied', 'revoked', 'untrusted'])
  })

  test('names a line that speaks against the bundle, or for it', () => {
    check(world => {
      const { verdict, code, at, lines, detail } = judged(world)
      const deciding = lines.filter(line => JSON.stringify(line.at) === JSON.stringify(at))
      assert.ok(deciding.length > 0, `${verdict} at ${at}`)
      assert.equal(verdict === 'passed', code === 'passed')
      assert.ok(deciding.some(line => line.detail === detail))
      if (verdict === 'passed') assert.ok(deciding.some(({ says }) => says === 'for'))
      else assert.ok(deciding.every(({ says }) => says !== 'for') || code === 'no_rule', `${code}`)
    })
  })

  test('passes only with one signer who may grant everything: a union never counts', () => {
    check(world => {
      const { verdict, granting, counted } = judged(world)
      assert.equal(granting !== undefined, verdict === 'passed')
      if (granting === undefined) return
      assert.ok(counted.includes(granting) || granting === 'g')
      assert.ok(world.caps.every(grant => world.rules.get(granting)?.grants.includes(grant)))
    })
  })
})

describe('what may never happen', () => {
  const isPassed = (world: World) => judged(world).verdict === 'passed'

  test('a signature more turns a yes into a no', () => {
    check(world => {
      if (!isPassed(world)) return
      for (const key of ALL_KEYS.filter(key => !world.signers.includes(key)))
        assert.ok(isPassed({ ...world, signers: [...world.signers, key] }), key)
    })
  })
  test('a rule for an approving anchor that is not required turns a yes into a no', () => {
    check(world => {
      if (!isPassed(world)) return
      for (const name of NAMES.filter(name => !world.rules.has(name) && !requiredNames(world).includes(name)))
        assert.ok(isPassed({ ...world, rules: new Map([...world.rules, [name, { grants: [] }]]) }))
    })
  })
  test('a narrower rule turns a no into a yes', () => {
    check(world => {
      if (isPassed(world)) return
      for (const [name, { grants, ...rest }] of world.rules)
        for (const grant of grants) {
          const narrow = { ...rest, grants: grants.filter(other => other !== grant) }
          assert.ok(!isPassed({ ...world, rules: new Map([...world.rules, [name, narrow]]) }))
        }
    })
  })
  test('asking for more turns a no into a yes', () => {
    check(world => {
      if (isPassed(world)) return
      for (const grant of UNIVERSE)
        assert.ok(!isPassed({ ...world, caps: [...new Set([...world.caps, grant])] }))
    })
  })
  test('a revocation turns a no into a yes', () => {
    check(world => {
      if (isPassed(world)) return
      for (const key of ALL_KEYS)
        assert.ok(!isPassed({ ...world, revoked: [...new Set([...world.revoked, key])] }))
      assert.ok(!isPassed({ ...world, isRevokedBundle: true }))
    })
  })
  test('a requirement turns a no into a yes', () => {
    check(world => {
      if (isPassed(world) || world.require !== undefined) return
      for (const name of NAMES)
        assert.ok(!isPassed({ ...world, require: { anchors: [name], signatures: 1 } }))
    })
  })
  test('the second key of one signer counts as a second signer', () => {
    check(world => {
      const { counted } = judged(world)
      assert.deepEqual(counted, [...new Set(counted)])
      if (judged(world).verdict === 'passed')
        for (const { signatures } of entriesFor(world)) assert.ok(counted.length >= signatures)
    })
  })
})

describe('a ceiling', () => {
  const inside = (policy: Partial<Policy>, ceiling: Partial<Ceiling>) =>
    excessOver({ ...grownRule(undefined, {}), ...ceiling }, { ...NO_GRANTS, ...policy }).length === 0
  const net = (...hosts: string[]): Partial<Policy> => ({ net: { hosts, allowHttp: false } })
  const cases: [what: string, policy: Partial<Policy>, ceiling: Partial<Ceiling>, is: boolean][] = [
    ['nothing is inside nothing', {}, {}, true],
    ['any is neither net', net('h'), { allowCaps: 'any' }, false],
    ['nor exec', { exec: ['/bin/sh'] }, { allowCaps: 'any', allowNet: 'any' }, false],
    [
      'but all else',
      { time: true, model: true, kbRead: true, kbWrite: true, secrets: ['x'], fs: ['/'] },
      { allowCaps: 'any' },
      true,
    ],
    ['exec is all or nothing', { exec: true }, { allowExec: true }, true],
    ['a host with its port', net('h:443'), { allowNet: ['h:443'] }, true],
    ['a host without port is every port', net('h'), { allowNet: ['h:443'] }, false],
    ['which an entry without port allows', net('h', 'h:8443'), { allowNet: ['h'] }, true],
    ['hosts compare in lower case', net('API.Mail.Example'), { allowNet: ['api.mail.example'] }, true],
    ['in punycode', net('xn--bcher-kva.example'), { allowNet: ['xn--bcher-kva.example'] }, true],
    ['and in no other script', net('bücher.example'), { allowNet: ['xn--bcher-kva.example'] }, false],
    ['a subdomain is another host', net('a.h.example'), { allowNet: ['h.example'] }, false],
    [
      'plain http is not in any list',
      { net: { hosts: ['h'], allowHttp: true } },
      { allowNet: ['h', 'allow-http'] },
      false,
    ],
    ['plain http is in any', { net: { hosts: ['h'], allowHttp: true } }, { allowNet: 'any' }, true],
    ['a host that is called like it', net('allow-http'), { allowNet: ['allow-http'] }, true],
    ['a host with an underscore is invalid', net('allow_http'), { allowNet: ['allow_http'] }, false],
    ['a scope', { kbRead: ['a'] }, { allowCaps: ['kb_read:a'] }, true],
    ['another scope', { kbRead: ['b'] }, { allowCaps: ['kb_read:a'] }, false],
    [
      'all of a family is in no list of scopes',
      { kbRead: true },
      { allowCaps: ['kb_read:a', 'kb_read:b'] },
      false,
    ],
    ['all of a family', { kbRead: true }, { allowCaps: ['kb_read'] }, true],
    ['reading is not writing', { kbWrite: ['a'] }, { allowCaps: ['kb_read', 'kb_read:a'] }, false],
    ['secrets by their whole name', { secrets: ['a/b'] }, { allowCaps: ['secrets:a'] }, false],
    ['a folder below', { fsRo: ['/data/x'] }, { allowCaps: ['fs_ro:/data'] }, true],
    ['the folder itself, with a slash', { fsRo: ['/data/'] }, { allowCaps: ['fs_ro:/data'] }, true],
    ['the folder itself, without', { fsRo: ['/data'] }, { allowCaps: ['fs_ro:/data/'] }, true],
    ['a folder beside', { fsRo: ['/database'] }, { allowCaps: ['fs_ro:/data'] }, false],
    ['a folder above', { fsRo: ['/'] }, { allowCaps: ['fs_ro:/data'] }, false],
    ['a way out', { fsRo: ['/data/../etc'] }, { allowCaps: ['fs_ro:/data'] }, false],
    ['everything below /', { fsRo: ['/etc'] }, { allowCaps: ['fs_ro:/'] }, true],
    ['what is below ~ is not known to', { fsRo: ['~/x'] }, { allowCaps: ['fs_ro:/'] }, false],
    ['below ~', { fsRo: ['~/x'] }, { allowCaps: ['fs_ro:~/'] }, true],
    ['writing is not reading', { fsRw: ['/data'] }, { allowCaps: ['fs_ro:/data', 'fs:/data'] }, false],
    ['an invalid folder', { fsRo: ['data'] }, { allowCaps: ['fs_ro:/'] }, false],
    [
      'a family that this build does not know is in no rule, not even any',
      { unknown: ['gpu'] },
      { allowCaps: 'any', allowNet: 'any', allowExec: true },
      false,
    ],
    [
      'whatever it is called',
      { unknown: ['exec:/bin/sh'] },
      { allowCaps: ['exec:/bin/sh'], allowExec: true },
      false,
    ],
  ]
  for (const [what, policy, ceiling, is] of cases) test(what, () => assert.equal(inside(policy, ceiling), is))

  test('tens of thousands of grants take no time', () => {
    const many = Array.from({ length: 40_000 }, (_, index) => `h${index}.example`)
    const policy = {
      ...NO_GRANTS,
      net: { hosts: many, allowHttp: false },
      kbRead: many,
      fsRo: many.map(name => `/${name}`),
    }
    const ceiling = grownRule(undefined, {
      allowCaps: many.slice(0, 20_000).map(name => `kb_read:${name}`),
      allowNet: many.slice(0, 20_000),
    })
    const begin = processorTime()
    assert.equal(excessOver(ceiling, policy).length, policyGrants(policy).length - 40_000)
    assert.ok(processorTime() - begin < 3000)
  })
})
