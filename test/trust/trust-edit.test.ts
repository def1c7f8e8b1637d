// Edits of a trust policy: exactly what was meant, everything else as it is written, and nothing of what is malformed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { RlpError } from '../../src/model/error.ts'
import { PARSE_LIMITS } from '../../src/model/limits.ts'
import { ParseBudget } from '../../src/text/parse-budget.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { findTomlProblem } from '../../src/toml/tree.ts'
import { editTrustPolicy, NEW_POLICY, ruleInDocument } from '../../src/trust/edit.ts'
import type { TrustChange } from '../../src/trust/edits/index.ts'
import { parseTrustPolicy } from '../../src/trust-policy/parse.ts'
import { readTrustPolicy } from '../../src/trust-policy/policy.ts'
import { LATE, slice, upTo } from '../support/runs.ts'
import { KEYS } from '../support/trust-world.ts'

const R = KEYS.release.anchor
const S = KEYS.security.anchor
const N = KEYS.second.anchor
const DIGEST = `blake3:${'a'.repeat(64)}`

function documentOf(text: string) {
  const parsed = parseToml('p.toml', Buffer.from(text))
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.problem.message)
  return parsed.document
}

const edited = (text: string, change: TrustChange) => editTrustPolicy(documentOf(text), change)
const rule = { allowCaps: ['kb_read:a'], allowNet: [], allowExec: false }

describe('in place', () => {
  const cases: [what: string, before: string, change: TrustChange, after: string][] = [
    [
      'the first signer of a new policy',
      NEW_POLICY,
      { do: 'add', name: 'r', key: R, rules: [{ ...rule, agents: ['m'] }] },
      `${NEW_POLICY}
[anchors]
r = "${R}"

[rules]
r = { allow_caps = ["kb_read:a"], allow_net = [], allow_exec = false, agents = ["m"] }
`,
    ],
    [
      'a second one, with comments and CRLF',
      `# ours\r\n[anchors] # who\r\nr   =  '${R}' # release\r\n\r\n# more to come\r\n`,
      { do: 'add', name: 's', key: S },
      `# ours\r\n[anchors] # who\r\nr   =  '${R}' # release\r\ns = "${S}"\r\n\r\n# more to come\r\n`,
    ],
    [
      'a development key',
      '[anchors]\n',
      { do: 'add', name: 'd', key: S, allowDev: true },
      `[anchors]\nd = { key = "${S}", allow_dev = true }\n`,
    ],
    [
      'a key that attests',
      '[anchors]\n',
      { do: 'add', name: 'b', key: S, use: ['attest'] },
      `[anchors]\nb = { key = "${S}", use = ["attest"] }\n`,
    ],
    [
      'another key of one who attests',
      `[anchors]\nb = { key = "${R}", use = ["attest"] }\n`,
      { do: 'add', name: 'b', key: S, isFurtherKey: true },
      `[anchors]\nb = { use = ["attest"], keys = ["${R}", "${S}"] }\n`,
    ],
    [
      'in braces',
      `anchors = { r = "${R}" }\n`,
      { do: 'add', name: 's', key: S },
      `anchors = { r = "${R}", s = "${S}" }\n`,
    ],
    [
      'among headers',
      `[anchors.r]\nkey = "${R}"\n`,
      { do: 'add', name: 's', key: S },
      `[anchors.r]\nkey = "${R}"\n\n[anchors]\ns = "${S}"\n`,
    ],
    [
      'without a final newline',
      `[anchors]\nr = "${R}"`,
      { do: 'add', name: 's', key: S },
      `[anchors]\nr = "${R}"\ns = "${S}"`,
    ],
    [
      'what is there already',
      `[anchors]\nr = "${R}" # x\n`,
      { do: 'add', name: 'r', key: R },
      `[anchors]\nr = "${R}" # x\n`,
    ],
    [
      'a further key of a text',
      `[anchors]\nr = "${R}" # mine\n`,
      { do: 'add', name: 'r', key: N, isFurtherKey: true },
      `[anchors]\nr = { keys = ["${R}", "${N}"] } # mine\n`,
    ],
    [
      'a further key of a table',
      `[anchors]\nr = { allow_dev = true, key = "${R}" }\n`,
      { do: 'add', name: 'r', key: N, isFurtherKey: true },
      `[anchors]\nr = { allow_dev = true, keys = ["${R}", "${N}"] }\n`,
    ],
    [
      'a further key below a header',
      `[anchors.r]\nkey = "${R}" # old\nallow_dev = false\n`,
      { do: 'add', name: 'r', key: N, isFurtherKey: true },
      `[anchors.r]\nallow_dev = false\nkeys = ["${R}", "${N}"]\n`,
    ],
    [
      'a further key of a list, line by line',
      `[anchors]\nr = { keys = [\n  "${R}", # old\n  "${S}",\n] }\n`,
      { do: 'add', name: 'r', key: N, isFurtherKey: true },
      `[anchors]\nr = { keys = [\n  "${R}", # old\n  "${S}",\n  "${N}",\n] }\n`,
    ],
    [
      'a rule for a signer who only approved',
      `[anchors]\nr = "${R}"\n\n[require]\nsignatures = 1\n`,
      { do: 'add', name: 'r', rules: [rule] },
      `[anchors]\nr = "${R}"\n\n[require]\nsignatures = 1\n\n[rules]\nr = { allow_caps = ["kb_read:a"], allow_net = [], allow_exec = false }\n`,
    ],
    [
      'a wider rule',
      `[anchors]\nr = "${R}"\n[rules]\nr = { allow_caps = ["time"], agents = ["m"], allow_net = "any" } # why\n`,
      {
        do: 'add',
        name: 'r',
        rules: [{ allowCaps: ['time', 'kb_read:a'], allowNet: ['h'], allowExec: true, agents: ['m'] }],
      },
      `[anchors]\nr = "${R}"\n[rules]\nr = { allow_caps = ["time", "kb_read:a"], agents = ["m"], allow_net = "any", allow_exec = true } # why\n`,
    ],
    [
      'for another agent: a rule of its own',
      `[anchors]\nr = "${R}"\n[rules]\nr = { allow_net = "any", agents = ["m"] } # why\n`,
      { do: 'add', name: 'r', rules: [{ allowExec: true, agents: ['n'] }] },
      `[anchors]\nr = "${R}"\n[rules]\nr = [\n  { allow_net = "any", agents = ["m"] },\n  { allow_caps = [], allow_net = [], allow_exec = true, agents = ["n"] },\n] # why\n`,
    ],
    [
      'for another agent, below a header',
      `[anchors]\nr = "${R}"\n[rules.r] # why\nallow_net = "any" # all\nagents = ["m"]\n\n[require]\nsignatures = 1\n`,
      { do: 'add', name: 'r', rules: [{ allowExec: true, agents: ['n'] }] },
      `[anchors]\nr = "${R}"\n[[rules.r]] # why\nallow_net = "any" # all\nagents = ["m"]\n\n[[rules.r]]\nallow_caps = []\nallow_net = []\nallow_exec = true\nagents = ["n"]\n\n[require]\nsignatures = 1\n`,
    ],
    [
      'a third rule of a list, without a final newline',
      `[anchors]\r\nr = "${R}"\r\n[[rules.r]]\r\nagents = ["m"]\r\n[[rules.r]]\r\nagents = ["n"] # n`,
      { do: 'add', name: 'r', rules: [{ allowCaps: ['time'], agents: ['o'] }] },
      `[anchors]\r\nr = "${R}"\r\n[[rules.r]]\r\nagents = ["m"]\r\n[[rules.r]]\r\nagents = ["n"] # n\r\n\r\n[[rules.r]]\r\nallow_caps = ["time"]\r\nallow_net = []\r\nallow_exec = false\r\nagents = ["o"]`,
    ],
    [
      'one rule of a list grows',
      `[anchors]\nr = "${R}"\n[rules]\nr = [\n  { agents = ["m"], allow_caps = ["time"] }, # m\n  { agents = ["n"] },\n]\n`,
      { do: 'add', name: 'r', rules: [{ allowCaps: ['model'], allowExec: true, agents: ['m'] }] },
      `[anchors]\nr = "${R}"\n[rules]\nr = [\n  { agents = ["m"], allow_caps = ["time", "model"], allow_exec = true }, # m\n  { agents = ["n"] },\n]\n`,
    ],
    [
      'one rule of a list grows, below its header',
      `[anchors]\nr = "${R}"\n[[rules.r]]\nagents = ["m"] # m\n[[rules.r]]\nagents = ["n"]\n`,
      { do: 'add', name: 'r', rules: [{ allowNet: 'any', agents: ['m'] }] },
      `[anchors]\nr = "${R}"\n[[rules.r]]\nagents = ["m"] # m\nallow_net = "any"\n[[rules.r]]\nagents = ["n"]\n`,
    ],
    [
      'one rule of a list grows, below indented lines',
      `[anchors]\nr = "${R}"\n[[rules.r]]\n  agents = ["m"] # m\n[[rules.r]]\n  agents = ["n"]\n`,
      { do: 'add', name: 'r', rules: [{ allowNet: 'any', agents: ['m'] }] },
      `[anchors]\nr = "${R}"\n[[rules.r]]\n  agents = ["m"] # m\n  allow_net = "any"\n[[rules.r]]\n  agents = ["n"]\n`,
    ],
    [
      'for another agent, behind a table inside of the first rule',
      `[anchors]\nr = "${R}"\n[rules.r]\nagents = ["m"]\nallow_caps = ["secrets:k"]\n[rules.r.secrets_to]\nk = ["h:443"]\n# end\n`,
      { do: 'add', name: 'r', rules: [{ allowExec: true, agents: ['n'] }] },
      `[anchors]\nr = "${R}"\n[[rules.r]]\nagents = ["m"]\nallow_caps = ["secrets:k"]\n[rules.r.secrets_to]\nk = ["h:443"]\n\n[[rules.r]]\nallow_caps = []\nallow_net = []\nallow_exec = true\nagents = ["n"]\n# end\n`,
    ],
    [
      'removed, with a list of rules',
      `[anchors]\nr = "${R}"\n[[rules.r]]\nagents = ["m"] # m\n[[rules.r]]\nagents = ["n"]\n`,
      { do: 'remove', name: 'r' },
      `[anchors]\n`,
    ],
    [
      'a wider rule below a header, line by line',
      `[anchors]\nr = "${R}"\n[rules.r]\nallow_caps = [\n  "time", # clock\n]\n# end\n`,
      { do: 'add', name: 'r', rules: [{ allowCaps: ['kb_read:a'], allowNet: ['h'] }] },
      `[anchors]\nr = "${R}"\n[rules.r]\nallow_caps = [\n  "time",\n  "kb_read:a", # clock\n]\nallow_net = ["h"]\n# end\n`,
    ],
    [
      'a rule for every agent stays one',
      `[anchors]\nr = "${R}"\n[rules]\nr = { allow_exec = true }\n`,
      { do: 'add', name: 'r', rules: [{ agents: ['m'] }] },
      `[anchors]\nr = "${R}"\n[rules]\nr = { allow_exec = true }\n`,
    ],
    [
      'any, when it was said',
      `[anchors]\nr = "${R}"\n[rules]\nr = { allow_caps = ["time"] }\n`,
      { do: 'add', name: 'r', rules: [{ allowCaps: 'any' }] },
      `[anchors]\nr = "${R}"\n[rules]\nr = { allow_caps = "any" }\n`,
    ],
    [
      'removed, with the rule',
      `[anchors]\n# first\nr = "${R}"\ns = "${S}"\n\n[rules]\nr = {}\n`,
      { do: 'remove', name: 'r' },
      `[anchors]\n# first\ns = "${S}"\n\n[rules]\n`,
    ],
    [
      'removed from among headers',
      `[anchors.r]\nkey = "${R}"\n\n[anchors.s]\nkey = "${S}"\n\n[rules.r]\nallow_exec = true\n`,
      { do: 'remove', name: 'r' },
      `\n[anchors.s]\nkey = "${S}"\n\n`,
    ],
    [
      'a revoked key',
      `[anchors]\nr = "${R}"\n`,
      { do: 'revoke', what: [R] },
      `[anchors]\nr = "${R}"\n\n[revoked]\n"${R}" = {}\n`,
    ],
    [
      'a revoked key, with why',
      `[revoked]\n"${S}" = {} # x\n`,
      { do: 'revoke', what: [R, DIGEST], since: '2026-11-01', reason: 'it\'s "gone"' },
      `[revoked]\n"${S}" = {} # x\n"${R}" = { since = "2026-11-01", reason = "it's \\"gone\\"" }\n"${DIGEST}" = { since = "2026-11-01", reason = "it's \\"gone\\"" }\n`,
    ],
    [
      'a revocation that gets its reason later',
      `[revoked]\n"${R}" = { since = '2026-11-01' }\n`,
      { do: 'revoke', what: [R], reason: 'lost', replacedBy: S },
      `[revoked]\n"${R}" = { since = '2026-11-01', reason = "lost", replaced_by = "${S}" }\n`,
    ],
  ]
  for (const [what, before, change, after] of cases) {
    test(what, () => {
      assert.equal(edited(before, change), after)
      assert.equal(
        edited(after, change.do === 'remove' ? { do: 'revoke', what: [] } : change),
        after,
        'twice is once',
      )
    })
  }
})

test('requirements go to the end, with the line ends of the file', () => {
  const requiring = (agent: string): TrustChange => ({
    do: 'require',
    entry: { agents: [agent], signers: ['r'], signatures: 1 },
  })
  const block = (agent: string) => `\r\n[[require]]\r\nagents = ["${agent}"]\r\nsigners = ["r"]\r\n`
  const before = `[anchors]\r\nr = "${R}"\r\n`
  const one = edited(before, requiring('m'))
  assert.equal(one, before + block('m'))
  assert.equal(edited(one, requiring('n')), before + block('m') + block('n'))
  assert.equal(edited(before.trimEnd(), requiring('m')), one.trimEnd())
})

describe('a policy as large as verify reads', () => {
  const HEAD = `[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${'0'.repeat(64)}" }\n[anchors]\nr = "${R}"\ns = "${S}"\n[rules]\nr = [{ allow_caps = ["time"], agents = ["m"] }]\n[revoked]\n`
  const bundle = (index: number) => `blake3:${index.toString(16).padStart(64, '0')}`
  const large = (count: number) =>
    HEAD + Array.from({ length: count }, (_, index) => `"${bundle(index)}" = {}\n`).join('')
  const read = (text: string) => {
    const parsed = parseTrustPolicy('p.toml', Buffer.from(text))
    return parsed.ok ? readTrustPolicy(parsed.document) : parsed
  }
  const identity = { issuer: 'https://accounts.example', email: 'ada@acme.example' }
  const CHANGES: readonly TrustChange[] = [
    { do: 'revoke', what: [R], reason: 'lost' },
    { do: 'revoke', what: [bundle(0), DIGEST], reason: 'leaks' },
    { do: 'revoke', what: Array.from({ length: 2000 }, (_, index) => bundle(100_000 + index)) },
    { do: 'add', name: 'n', key: N, rules: [{ ...rule, agents: ['m'] }] },
    { do: 'add', name: 'r', key: N, isFurtherKey: true },
    { do: 'add', name: 'r', rules: [{ ...rule, agents: ['m'] }] },
    { do: 'add', name: 'ada', identity },
    { do: 'remove', name: 's' },
    { do: 'group', group: { name: 'g', of: ['r', 's'], atLeast: 2 } },
    { do: 'require', entry: { agents: ['m'], signers: ['r'], signatures: 1 } },
    { do: 'floor', agents: 'm', version: '1.0.0' },
  ]
  test('every change of one is made', () => {
    const small = large(10)
    const text = large(14_000)
    assert.ok(read(text).ok)
    const parsed = parseTrustPolicy('p.toml', Buffer.from(text))
    assert.ok(parsed.ok)
    const added = (before: string, after: string) => {
      const lines = new Set(before.split('\n'))
      return after.split('\n').filter(line => !lines.has(line))
    }
    for (const change of slice(CHANGES, 6)) {
      const after = editTrustPolicy(parsed.document, change)
      assert.ok(read(after).ok)
      assert.deepEqual(added(text, after), added(small, edited(small, change)), change.do)
    }
  })
  test('one that the change would make too large to be read is refused, and no line of it is proposed', {
    skip: LATE,
  }, () => {
    const tokens = (text: string) => {
      const budget = new ParseBudget()
      assert.equal(findTomlProblem(text, budget), undefined)
      let left = 0
      while (budget.takesToken()) left++
      return budget.mostTokens - left
    }
    const ofLine = tokens(large(2)) - tokens(large(1))
    const full = large(Math.floor((PARSE_LIMITS.trustPolicyTokens - tokens(large(0))) / ofLine))
    const parsed = parseTrustPolicy('p.toml', Buffer.from(full))
    assert.ok(parsed.ok)
    assert.throws(
      () => editTrustPolicy(parsed.document, { do: 'revoke', what: [DIGEST], reason: 'leaks' }),
      (error: RlpError) => {
        assert.equal(error.code, 'NOT_EDITABLE')
        assert.match(
          error.message,
          /^Cannot edit p\.toml: the result could not be read \(More than 400000 lines, keys/,
        )
        assert.equal(error.hint, 'Shorten the file or the value, then run the command again')
        return true
      },
    )
  })
})

describe('refused', () => {
  const two = `[anchors]\nr = "${R}"\ns = "${S}"\n`
  const cases: [what: string, before: string, change: TrustChange, code: string, message: RegExp][] = [
    [
      'a malformed policy',
      `${two}[more]\n`,
      { do: 'add', name: 'n', key: N },
      'NOT_EDITABLE',
      /malformed: more is not a key/,
    ],
    [
      'a malformed policy, also to revoke',
      '[anchors]\nr = 1\n',
      { do: 'revoke', what: [S] },
      'NOT_EDITABLE',
      /malformed/,
    ],
    ['an invalid name', two, { do: 'add', name: 'a b', key: N }, 'USAGE', /other characters/],
    ['a key of another signer', two, { do: 'add', name: 'n', key: R }, 'EXISTS', /one of r already/],
    ['another key under a name', two, { do: 'add', name: 'r', key: N }, 'EXISTS', /another key/],
    [
      'a development flag for a signer who is there',
      two,
      { do: 'add', name: 'r', key: R, allowDev: true },
      'EXISTS',
      /no development anchor/,
    ],
    [
      'what would be granted to every agent',
      `${two}[rules]\nr = { allow_net = "any" }\n`,
      { do: 'add', name: 'r', rules: [{ ...rule, agents: ['m'] }] },
      'NOT_EDITABLE',
      /its rule is for every agent, so every other agent would be granted the same/,
    ],
    [
      'what would be granted to another agent of the rule',
      `${two}[rules]\nr = { agents = ["m", "n"] }\n`,
      { do: 'add', name: 'r', rules: [{ ...rule, agents: ['m'] }] },
      'NOT_EDITABLE',
      /its rule is for m, n, so n would be granted the same/,
    ],
    [
      'a list of rules, and no agent',
      `${two}[rules]\nr = [{ agents = ["m"] }]\n`,
      { do: 'add', name: 'r', rules: [rule] },
      'NOT_EDITABLE',
      /say which one is meant/,
    ],
    ['a rule without an anchor', two, { do: 'add', name: 'n', rules: [rule] }, 'NOT_FOUND', /no anchor yet/],
    [
      'a revoked key',
      `${two}[revoked]\n"${N}" = {}\n`,
      { do: 'add', name: 'n', key: N },
      'EXISTS',
      /is revoked/,
    ],
    ['to remove an unknown one', two, { do: 'remove', name: 'n' }, 'NOT_FOUND', /no such anchor/],
    [
      'to remove who is required',
      `${two}[require]\nanchors = ["r"]\n`,
      { do: 'remove', name: 'r' },
      'NOT_EDITABLE',
      /\[require\] names it/,
    ],
    [
      'to remove one too many',
      `${two}[require]\nsignatures = 2\n`,
      { do: 'remove', name: 'r' },
      'NOT_EDITABLE',
      /as many signatures/,
    ],
  ]
  for (const [what, before, change, code, message] of cases) {
    test(what, () => {
      assert.throws(
        () => edited(before, change),
        (error: RlpError) => {
          assert.equal(error.code, code)
          assert.match(error.message, message)
          assert.match(error.message, /^Cannot /)
          assert.ok(error.hint)
          return true
        },
      )
    })
  }
})

test('whatever is edited in whatever layout says what was meant, and every other line is as it was', () => {
  const key = fc.constantFrom(R, S, N, KEYS.dev.anchor)
  const caps = fc.subarray(['time', 'kb_read:a', 'fs_ro:/x', 'secrets:a"b'])
  const request = fc.record({
    allowCaps: fc.oneof(caps, fc.constant('any' as const)),
    allowNet: fc.subarray(['h', 'h:1']),
    allowExec: fc.boolean(),
    agents: fc.oneof(fc.subarray(['m', 'n@v'], { minLength: 1 }), fc.constant(undefined)),
  })
  const change: fc.Arbitrary<TrustChange> = fc.oneof(
    fc
      .record({
        name: fc.constantFrom('a', 'b', 'c'),
        key: fc.option(key, { nil: undefined }),
        isFurtherKey: fc.boolean(),
        rule: fc.option(request, { nil: undefined }),
      })
      .map(({ name, key, rule, isFurtherKey }) => {
        const { agents, ...rest } = rule ?? {}
        const full = rule && { ...rest, ...(agents && { agents }) }
        return { do: 'add', name, isFurtherKey, ...(key && { key }), ...(full && { rules: [full] }) } as const
      }),
    fc.constantFrom('a', 'b', 'c').map(name => ({ do: 'remove', name }) as const),
    fc
      .record({ what: fc.subarray([R, S, DIGEST], { minLength: 1 }), reason: fc.string() })
      .map(rest => ({ do: 'revoke', ...rest }) as const),
  )
  const starts = [
    NEW_POLICY,
    `# top\n[rules] # r\n# in rules\n\n[anchors]\na = "${R}" # first\n\n# last\n`,
    `anchors = { a = { key = "${R}" } }\nrules = { a = { allow_caps = [] } }\nrevoked = {}\n`,
    `[anchors]\na = "${R}"\nb = "${S}"\n[rules]\na = [{ agents = ["m"] }, { agents = ["o"] }] # list\nb = { agents = ["o"] }\n`,
    `[anchors]\na = "${R}"\n[[rules.a]] # one\nagents = ["m"]\n\n# two\n[[rules.a]]\nagents = ["o"]\n`,
    `[anchors.a]\nkeys = [\n  "${R}",\n  # why\n  "${S}"\n]\n[anchors.b]\nkey = "${N}"\n[rules.a]\nallow_exec = false\n`,
  ]
  let count = 0
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.array(change, { maxLength: 6 }), (start, changes) => {
      let text = start
      for (const one of changes) {
        try {
          const before = text
          text = edited(text, one)
          count++
          const meant = one.do === 'add' ? one.rules?.[0]?.agents : undefined
          if (one.do === 'add' && meant !== undefined) {
            for (const agent of ['m', 'n@v', 'o', 'z'].filter(agent => !meant.includes(agent))) {
              const grants = (policy: string): object => ({
                ...ruleInDocument(documentOf(policy), one.name, agent),
                agents: [],
              })
              const was = ruleInDocument(documentOf(before), one.name, agent)
              if (was !== undefined || ruleInDocument(documentOf(text), one.name, agent) !== undefined)
                assert.deepEqual(grants(text), grants(before), `${agent} was not meant`)
            }
          }
        } catch (error) {
          // Refused is refused: the text is as it was.
          assert.ok(['EXISTS', 'NOT_FOUND', 'NOT_EDITABLE'].includes((error as RlpError).code), String(error))
        }
        assert.ok(readTrustPolicy(documentOf(text)).ok)
      }
      for (const line of start.split('\n').filter(line => line.startsWith('#')))
        assert.ok(text.includes(line), line)
    }),
    { numRuns: upTo(60, 300) },
  )
  assert.ok(count > upTo(15, 100), `only ${count} edits`)
})
