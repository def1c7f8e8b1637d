// verify with a lock, as a pure judgement: what is trusted and as locked is accepted; one change, and it is exactly `untrusted`
// (`not_as_locked`); a lock trusts nothing, and what refuses for other reasons still does, in its order.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import type { Lock, LockedAgent, LockSource } from '../../src/model/lock.ts'
import type { HighWaterMark, TrustContext } from '../../src/model/trust.ts'
import { WITHOUT_TURNS } from '../../src/model/turn.ts'
import { expectationIn } from '../../src/verify/expectation.ts'
import { lockDifferences, lockFacts } from '../../src/verify/lock.ts'
import { exitOf, type Verification, verify } from '../../src/verify/verify.ts'
import { manifestDigestOf } from '../../src/version/reference.ts'
import { agentTree, bundleOf, type Tree } from '../support/agent.ts'
import { processorTime } from '../support/processor-time.ts'
import { KEYS, type KeyName, POLICY, policySource, signed } from '../support/trust-world.ts'

const TOOL = {
  id: 'mini.run',
  description: 'Formats a text.',
  transport: { kind: 'exec', command: '/usr/bin/jq' },
  input_schema: { $ref: 'schema:words' },
  result_schema: { type: 'object' },
}
const SCHEMA = { type: 'object', properties: { words: { type: 'string' } }, additionalProperties: false }

interface Facts {
  readonly name?: string
  readonly version?: string
  readonly caps?: string
  readonly tool?: object
  readonly schema?: object
}

function tree({
  name = 'mini',
  version = '1.0.0',
  caps = 'kb_read = ["drafts"]\n',
  tool = TOOL,
  schema = SCHEMA,
}: Facts = {}): Tree {
  return agentTree({
    name,
    version,
    files: {
      'policy.caps': `[capabilities]\n${caps}exec = ["/usr/bin/jq"]\n`,
      'tools.json': JSON.stringify({ version: 1, tools: [tool] }),
      'schemas/words.json': JSON.stringify(schema),
    },
  })
}

interface Asked {
  readonly lock?: LockSource
  readonly policy?: string
  readonly marks?: readonly HighWaterMark[]
  readonly allowUnsigned?: boolean
  readonly allowDev?: boolean
  readonly expect?: string
  readonly now?: string
}

async function judged(bundle: Tree, asked: Asked = {}): Promise<Verification> {
  const { lock, policy = POLICY, marks = [], allowUnsigned = false, allowDev = false, expect = 'any' } = asked
  const trust: TrustContext = {
    policies: [policySource(policy)],
    allowDev,
    now: new Date(asked.now ?? '2026-11-20T12:00:00Z'),
    marks: { marks, wasSigned: marks.length > 0 },
    overrides: [],
  }
  const read = await outline(await readBundle(bundleOf(bundle), { keep: 'parsed' }))
  return verify(read, {
    expect: expectationIn(expect),
    trust,
    allowUnsigned,
    ...(lock && { locks: [lock] }),
  })
}

const words = ({ report }: Verification) => [report.verdict, report.reasons[0]?.code]

/** What a trusted bundle is locked with. */
async function entryOf(bundle: Tree, signers: readonly KeyName[] = ['release']): Promise<LockedAgent> {
  const { report, bundle: accepted } = await judged(bundle, { policy: BOTH })
  const facts = accepted && lockFacts(accepted.agent)
  assert.ok(facts && report.agent && report.identity, JSON.stringify(report.reasons))
  const keys = signers.map(name => KEYS[name].anchor).sort()
  return {
    source: './x',
    oci: undefined,
    version: report.agent.version,
    identity: manifestDigestOf(report.identity),
    signers: keys,
    ...facts,
  }
}

function source(agents: Readonly<Record<string, LockedAgent>>): LockSource {
  const lock: Lock = { agents: new Map(Object.entries(agents)) }
  return { label: 'rlp.lock', folder: '/', digest: undefined, lock, problems: [] }
}

/** Both may grant. */
const BOTH = POLICY.replace(
  '[rules]\n',
  '[rules]\nsecurity = { allow_caps = "any", allow_net = "any", allow_exec = true }\n',
).replace('agents = ["mini"]', 'agents = ["mini", "other"]')
const WIDE = BOTH.replace('["kb_read:drafts"]', '"any"')

const BASE = signed(tree(), 'release')
const ENTRY = await entryOf(BASE)
const LOCK = source({ mini: ENTRY })

test('what is trusted and as locked is accepted, and the report names the lock', async () => {
  const found = await judged(BASE, { lock: { ...LOCK, digest: 'd'.repeat(64) } })
  assert.deepEqual([found.report.verdict, exitOf(found)], ['trusted', 0])
  assert.deepEqual(found.report.lock, { path: 'rlp.lock', digest: 'd'.repeat(64) })
  assert.ok(
    found.report.checks.some(
      ({ step, detail }) => step === 'expectation' && detail === 'as rlp.lock pins it',
    ),
  )
  assert.equal((await judged(BASE)).report.lock, undefined)
})

test('more signatures than are locked may be there', async () => {
  const more = signed(tree(), ['release', 'security'])
  assert.deepEqual(words(await judged(more, { lock: LOCK, policy: BOTH })), ['trusted', undefined])
})

describe('one change, and it is not as locked', () => {
  for (const [name, changed, says, lock = LOCK] of [
    [
      'one capability more',
      { caps: 'kb_read = ["drafts"]\ntime = true\n' },
      /^It has the capability time, which rlp\.lock does not list$/,
    ],
    ['one capability less', { caps: '' }, /^It lacks the capability kb_read:drafts, which rlp\.lock lists$/],
    [
      'another description of a tool',
      { tool: { ...TOOL, description: 'Formats any text.' } },
      /^The tool mini\.run has another definition/,
    ],
    [
      'a member of a tool that this build does not know',
      { tool: { ...TOOL, 'x-note': 1 } },
      /^The tool mini\.run has another definition/,
    ],
    [
      'another schema, which a tool refers to',
      { schema: { ...SCHEMA, title: 'Words' } },
      /^The tool mini\.run has another definition/,
    ],
    [
      'another tool',
      { tool: { ...TOOL, id: 'mini.go' } },
      /^It has the tool mini\.go, which rlp\.lock does not list$/,
    ],
    ['another version', { version: '1.0.1' }, /^It is version 1\.0\.1, and rlp\.lock pins 1\.0\.0$/],
    ['another agent', { name: 'other' }, /^rlp\.lock has no other$/],
    ['an agent that is not in the lock', {}, /^rlp\.lock has no mini$/, source({ other: ENTRY })],
    ['a lock without agents', {}, /^rlp\.lock has no mini$/, source({})],
    [
      'another identity in the lock',
      {},
      /^It is blake3:[0-9a-f]{64}, and rlp\.lock pins blake3:e{64}$/,
      source({ mini: { ...ENTRY, identity: 'e'.repeat(64) } }),
    ],
    [
      'capabilities of a lock that was edited',
      {},
      /^It has the capability kb_read:drafts, which rlp\.lock does not list$/,
      source({ mini: { ...ENTRY, caps: ['exec:/usr/bin/jq'] } }),
    ],
    [
      'a signer that did not sign',
      {},
      /^The signature of ed25519:\S+, which rlp\.lock lists, is missing$/,
      source({ mini: { ...ENTRY, signers: [KEYS.security.anchor] } }),
    ],
  ] as const) {
    test(name, async () => {
      const bundle = signed(tree(changed), 'release')
      assert.deepEqual(words(await judged(bundle, { policy: WIDE })), ['trusted', undefined])
      const found = await judged(bundle, { lock, policy: WIDE })
      assert.deepEqual(words(found), ['untrusted', 'not_as_locked'])
      assert.deepEqual([exitOf(found), found.bundle], [1, undefined])
      assert.match(found.report.reasons[0]?.message ?? '', says)
      assert.match(found.report.reasons[0]?.hint ?? '', /rlp lock (?:add|update) '<bytes>' /)
    })
  }

  test('another signer who is trusted as well', async () => {
    const other = signed(tree(), 'security')
    assert.deepEqual(words(await judged(other, { policy: BOTH })), ['trusted', undefined])
    assert.deepEqual(words(await judged(other, { policy: BOTH, lock: LOCK })), ['untrusted', 'not_as_locked'])
  })

  test('a listed signer who no longer counts, where another one does', async () => {
    const two = signed(tree(), ['release', 'security'])
    const lock = source({ mini: await entryOf(two, ['release', 'security']) })
    assert.deepEqual(words(await judged(two, { lock, policy: BOTH })), ['trusted', undefined])
    const revoked = `${BOTH}\n[revoked]\n"${KEYS.release.anchor}" = {}\n`
    assert.deepEqual(words(await judged(two, { policy: revoked })), ['trusted', undefined])
    const found = await judged(two, { lock, policy: revoked })
    assert.deepEqual(words(found), ['untrusted', 'not_as_locked'])
    assert.match(found.report.reasons[0]?.message ?? '', /does not count under the trust policies$/)
  })

  test('spelling and order of members do not change a tool', async () => {
    const { id, ...rest } = TOOL
    const turned = tree({ tool: { ...rest, id } })
    const spaced = {
      ...turned,
      'tools.json': JSON.stringify({ tools: [{ ...rest, id }], version: 1 }, null, 3),
    }
    const facts = async (one: Tree) => {
      const { agent } = await judged(signed(one, 'release'))
      return agent && lockFacts(agent)?.tools
    }
    assert.deepEqual(await facts(turned), ENTRY.tools)
    // Its digest is not in the manifest, so only its reading is compared here.
    const read = await outline(await readBundle(bundleOf(spaced), { keep: 'parsed' }))
    assert.deepEqual(lockFacts(await read.whole(WITHOUT_TURNS))?.tools, ENTRY.tools)
  })
})

test('many capabilities are compared in time that grows with their number', () => {
  const caps = Array.from({ length: 60_000 }, (_, index) => `net:host${index}.example`)
  const side = {
    version: '1.0.0',
    identity: 'a',
    signers: [],
    facts: { caps: caps.slice(20_000), tools: new Map() },
  }
  const locked = { ...ENTRY, caps: caps.slice(0, 40_000), tools: new Map<string, string>(), signers: [] }
  const before = processorTime()
  assert.equal(lockDifferences(locked, side, 'rlp.lock').length, 40_000 + 1)
  const taken = processorTime() - before
  assert.ok(taken < 1000, `${taken} ms`)
})

describe('a lock makes nothing trusted', () => {
  const unsigned = tree()

  test('an unsigned bundle stays unsigned, and no flag accepts it against a lock', async () => {
    assert.deepEqual(words(await judged(unsigned, { lock: LOCK })), ['unsigned', 'no_signature'])
    assert.equal(exitOf(await judged(unsigned, { allowUnsigned: true })), 0)
    const found = await judged(unsigned, { lock: LOCK, allowUnsigned: true })
    assert.deepEqual([...words(found), exitOf(found)], ['untrusted', 'not_as_locked', 1])
  })

  test('signed by a stranger', async () => {
    const lock = source({ mini: { ...ENTRY, signers: [KEYS.stranger.anchor] } })
    assert.deepEqual(words(await judged(signed(tree(), 'stranger'), { lock })), [
      'untrusted',
      'no_counted_signature',
    ])
  })

  test('signed by a development key without --allow-dev', async () => {
    const lock = source({ mini: { ...ENTRY, signers: [KEYS.dev.anchor] } })
    const dev = signed(tree(), 'dev')
    assert.deepEqual(words(await judged(dev, { lock, allowDev: true })), ['trusted', undefined])
    assert.equal(words(await judged(dev, { lock }))[0], 'untrusted')
  })
})

describe('other refusals keep their place in the order', () => {
  const MARK: HighWaterMark = {
    agent: 'mini',
    version: '1.0.0',
    manifestDigest: 'f'.repeat(64),
    keys: [KEYS.release.anchor],
  }
  const broken = { ...BASE, 'policy.caps': '[capabilities]\n' }
  const elsewhere = source({ mini: { ...ENTRY, identity: 'e'.repeat(64) } })
  const revokedKey = `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = {}\n`
  const revokedBundle = `${POLICY}\n[revoked]\n"blake3:${ENTRY.identity}" = {}\n`
  for (const [name, bundle, asked, locked, notLocked] of [
    ['invalid', broken, {}, 'invalid', 'invalid'],
    ['no policy that decides', BASE, { policy: 'x = 1' }, 'indeterminate', 'indeterminate'],
    ['a revoked key', BASE, { policy: revokedKey }, 'revoked', 'revoked'],
    ['a revoked bundle', BASE, { policy: revokedBundle }, 'revoked', 'revoked'],
    ['unsigned', tree(), {}, 'unsigned', 'unsigned'],
    // After `untrusted` in the order.
    ['rolled back', BASE, { marks: [MARK] }, 'rolled_back', 'untrusted'],
    ['expired', signed(tree(), 'release', { notAfter: '2026-11-20T00:00:00Z' }), {}, 'expired', 'untrusted'],
    [
      'more than the signer may grant',
      signed(tree({ caps: 'kb_read = ["all"]\n' }), 'release'),
      {},
      'policy_denied',
      'untrusted',
    ],
  ] as const) {
    test(name, async () => {
      const entry = await judged(bundle, asked)
      assert.equal(entry.report.verdict, locked)
      const same = name.startsWith('more than') ? await wideEntry(bundle) : LOCK
      assert.equal((await judged(bundle, { ...asked, lock: same })).report.verdict, locked)
      const found = await judged(bundle, { ...asked, lock: elsewhere })
      assert.equal(found.report.verdict, notLocked)
      assert.equal(found.bundle, undefined)
    })
  }

  async function wideEntry(bundle: Tree): Promise<LockSource> {
    const { report, agent } = await judged(bundle)
    const facts = agent && lockFacts(agent)
    assert.ok(facts && report.identity)
    return source({ mini: { ...ENTRY, identity: manifestDigestOf(report.identity), ...facts } })
  }

  test('an unusable lock decides nothing', async () => {
    const lock: LockSource = { ...LOCK, lock: undefined, problems: ['rlp.lock:3: it is wrong'] }
    const found = await judged(BASE, { lock })
    assert.deepEqual([...words(found), exitOf(found)], ['indeterminate', 'lock_unusable', 3])
    assert.equal(words(await judged(broken, { lock }))[0], 'invalid')
    assert.equal(words(await judged(BASE, { lock, policy: revokedKey }))[0], 'indeterminate')
  })
})

describe('--expect blake3:…', () => {
  test('accepts exactly one bundle', async () => {
    assert.deepEqual(words(await judged(BASE, { expect: `blake3:${ENTRY.identity}` })), [
      'trusted',
      undefined,
    ])
    assert.deepEqual(words(await judged(BASE, { expect: `blake3:${ENTRY.identity.toUpperCase()}` })), [
      'trusted',
      undefined,
    ])
    const found = await judged(signed(tree({ version: '1.0.1' }), 'release'), {
      expect: `blake3:${ENTRY.identity}`,
    })
    assert.deepEqual(words(found), ['untrusted', 'unexpected_agent'])
    assert.match(
      found.report.reasons[0]?.message ?? '',
      /^Expected blake3:[0-9a-f]{64}, found mini@1\.0\.1, blake3:[0-9a-f]{64}$/,
    )
  })

  test('is refused when it is no digest', () => {
    for (const text of [
      'blake3:',
      'blake3:00',
      `blake3:${'g'.repeat(64)}`,
      `blake3:${'0'.repeat(65)}`,
      `sha256:${'0'.repeat(64)}`,
    ])
      assert.throws(() => expectationIn(text), { code: 'USAGE' }, text)
  })
})
