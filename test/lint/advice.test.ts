// What the fixes of lint say, followed as a person would: the finding is gone then, and no new one is there.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { fix } from '../../src/lint/fix.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { Finding } from '../../src/model/finding.ts'
import { readUrl } from '../../src/policy/host.ts'
import { agentTree, type Tree } from '../support/agent.ts'
import { type FoundProblem, followed, problemsIn } from '../support/follow-fix.ts'
import { memoryFiles } from '../support/memory.ts'
import { upTo } from '../support/runs.ts'

/** Apart from the brace, so that it is seen to be no template of this language. */
const DOLLAR = '$'

interface Facts {
  readonly tools?: readonly object[]
  /** Lines below [capabilities]. */
  readonly policy?: readonly string[]
}

const tool = (more: object) => ({
  id: 'issue.read',
  description: 'Read one issue of a repository.',
  transport: { kind: 'http', method: 'GET', url: 'https://api.git.example/issues/{{input.number}}' },
  input_schema: {
    type: 'object',
    properties: { number: { type: 'integer', description: 'Number of the issue, for example 7' } },
    required: ['number'],
    additionalProperties: false,
  },
  result_schema: { type: 'object', properties: { ok: { type: 'boolean' } } },
  ...more,
})

function treeOf({ tools = [tool({})], policy = ['net = ["api.git.example"]'] }: Facts): Tree {
  return agentTree({
    files: {
      'policy.caps': `[capabilities]\n${policy.join('\n')}\n`,
      'tools.json': JSON.stringify({ version: 1, tools }, undefined, 2),
    },
  })
}

const agentOf = (tree: Tree): Agent => read(memoryFiles(tree), 'mini')
/** Without the digests, which every change of a file makes stale. */
const findingsOf = (tree: Tree): Finding[] =>
  lintAgent(agentOf(tree), UNPREPARED).filter(({ rule }) => !rule.startsWith('manifest/digest'))
const fixesOf = (facts: Facts, rule: string) =>
  findingsOf(treeOf(facts)).flatMap(finding => (finding.rule === rule ? [finding.fix] : []))

const http = (url: string, more: object = {}) => ({ kind: 'http', method: 'GET', url, ...more })
const HOST = 'https://api.git.example'

describe('the fix', () => {
  for (const written of [
    '{number}',
    `${DOLLAR}{number}`,
    `${DOLLAR}{input.number}`,
    ':number',
    '<number>',
    '%7Bnumber%7D',
  ]) {
    test(`for ${written} in a url is the placeholder in its place`, () => {
      const facts = { tools: [tool({ transport: http(`${HOST}/issues/${written}`) })] }
      assert.deepEqual(fixesOf(facts, 'tools/foreign-placeholder'), ['Replace it with "{{input.number}}"'])
      assert.deepEqual(fixesOf(facts, 'tools/unsent-argument'), [])
    })
  }

  test('for {{number}} names the input', () => {
    const facts = { tools: [tool({ transport: http(`${HOST}/issues/{{number}}`) })] }
    assert.deepEqual(fixesOf(facts, 'tools/placeholder'), ['Replace it with "{{input.number}}"'])
  })

  test('leaves what may be meant', () => {
    for (const url of [`${HOST}/v1/models/a:number/{{input.number}}`, `${HOST}/{other}/{{input.number}}`]) {
      const facts = { tools: [tool({ transport: http(url) })] }
      assert.deepEqual(fixesOf(facts, 'tools/foreign-placeholder'), [], url)
    }
  })

  for (const [value, isKnown] of [
    [`Bearer ${DOLLAR}{TOKEN}`, true],
    ['$TOKEN', true],
    ['Bearer %TOKEN%', true],
    ['Bearer <token>', false],
    ['Bearer 9d1c7e52f0a84b3fa6c1', false],
  ] as const) {
    test(`for ${value} in a header ${isKnown ? 'is a secret' : 'is not about a variable'}`, () => {
      const transport = http(`${HOST}/issues/{{input.number}}`, { headers: { Authorization: value } })
      const facts = { tools: [tool({ transport })] }
      assert.equal(fixesOf(facts, 'tools/foreign-placeholder').length, isKnown ? 1 : 0)
      // The control: a literal is a credential to revoke.
      assert.equal(fixesOf(facts, 'secrets/likely-literal').length, value.includes('9d1c') ? 1 : 0)
    })
  }

  test('for a host that is one letter from a granted one asks, and does not grant first', () => {
    const near = { tools: [tool({ transport: http('https://api.gti.example/issues/{{input.number}}') })] }
    const [fix] = fixesOf({ ...near, policy: ['net = ["api.gti1.example"]'] }, 'caps/not-granted')
    assert.match(String(fix), /^Write in policy\.caps line 2: net = /)
    const typed = { tools: [tool({ transport: http('https://api.mial.example/{{input.number}}') })] }
    assert.deepEqual(fixesOf({ ...typed, policy: ['net = ["api.mail.example"]'] }, 'caps/not-granted'), [
      'If this is a slip, replace "api.mial.example" with "api.mail.example" in the tool, which is granted. If not, add "api.mial.example" to net in policy.caps',
    ])
    const counted = { tools: [tool({ transport: http('https://shard2.mail.example/{{input.number}}') })] }
    const policy = ['net = ["shard1.mail.example"]']
    assert.match(String(fixesOf({ ...counted, policy }, 'caps/not-granted')), /^Write in policy\.caps/)
  })

  test('for plain http is https first, and with a secret nothing else', () => {
    const plain = http('http://api.git.example/issues/{{input.number}}', {
      headers: { Authorization: 'Bearer {{secret:runloop/git/key}}' },
    })
    const policy = ['net = ["api.git.example"]', 'secrets = ["runloop/git/key"]']
    const open = { tools: [tool({ transport: plain, secrets: ['runloop/git/key'] })], policy }
    assert.deepEqual(fixesOf(open, 'caps/not-granted'), [
      'Write https:// in the url, because on the way everybody can read the secrets of the tool',
    ])
    const bare = { tools: [tool({ transport: http('http://api.git.example/issues/{{input.number}}') })] }
    assert.deepEqual(fixesOf(bare, 'caps/not-granted'), [
      'Write https:// in the url; only where the host has no https, write allow_http = true at net',
    ])
    assert.match(
      String(fixesOf({ ...bare, policy: [] }, 'caps/not-granted')),
      /^Write https:\/\/ in the url, and add below \[capabilities\] in policy\.caps: net = \["api\.git\.example"\];/,
    )
    const here = { tools: [tool({ transport: http('http://127.0.0.1/{{input.number}}') })] }
    assert.match(String(fixesOf(here, 'caps/not-granted')), /allow_http = true/)
  })

  test('for a key in the wrong object is the right one', () => {
    for (const [more, expected] of [
      [{ timeout_ms: 5 }, 'Move it into "x-rlp": "x-rlp": { "timeout_ms": 5 }'],
      [{ method: 'GET' }, 'Move it into "transport": "transport": { "method": "GET" }'],
      [{ timeoutMs: 5 }, 'Did you mean "timeout_ms" in "x-rlp"? If not, remove it'],
    ] as const)
      assert.deepEqual(fixesOf({ tools: [tool(more)] }, 'tools/shape'), [expected])
    const inside = { transport: http(`${HOST}/{{input.number}}`, { timeout_ms: 5 }) }
    assert.deepEqual(fixesOf({ tools: [tool(inside)] }, 'tools/shape'), [
      'Move it into "x-rlp" of the tool: "x-rlp": { "timeout_ms": 5 }',
    ])
  })

  test('for a scheme in capitals is small letters', () => {
    assert.deepEqual(readUrl('HTTPS://a.example/'), {
      problem: 'its scheme HTTPS has capitals',
      fix: 'Write "https://a.example/"',
    })
  })
})

const urls = fc.constantFrom(
  `${HOST}/issues/{{input.number}}`,
  `${HOST}/issues/{number}`,
  `${HOST}/issues/:number/x`,
  'https://other.example/{{input.number}}',
  'http://api.git.example/{{input.number}}',
  'https://api.gitt.example:8443/{{input.number}}',
)
const commands = fc.constantFrom(
  '/usr/bin/jq',
  '/usr/bin/jq -c',
  '/bin/sh -c id',
  '/bin/ls;id',
  '/usr/bin/npx x',
  '/proc/self/exe',
)
const transport = fc.oneof(
  urls.map(url => http(url)),
  commands.map(command => ({ kind: 'exec', command })),
)
const entries = (...all: string[]) => fc.uniqueArray(fc.constantFrom(...all), { maxLength: 2 })
const lines = fc
  .record({
    net: entries('api.git.example', 'other.example:8443', 'api.git.example:443'),
    fs_ro: entries('/srv/a', '/srv//a', '/home/ada/x'),
    exec: entries('/usr/bin/jq', '/usr/bin/jq -c', '/bin/sh'),
    secrets: entries('runloop/git/key', 'Runloop/git/key2'),
  })
  .map(lists =>
    Object.entries(lists).flatMap(([key, list]) =>
      list.length === 0 ? [] : `${key} = ${JSON.stringify(list)}`,
    ),
  )
const facts = fc.record({
  tools: fc
    .array(
      fc.record({
        transport,
        secrets: entries('runloop/git/key'),
        capabilities: fc.option(entries('net:api.git.example', 'fs_ro:/srv//a', 'exec:/usr/bin/jq'), {
          nil: undefined,
        }),
        requires_confirmation: fc.constantFrom(true, undefined),
      }),
      { minLength: 1, maxLength: 2 },
    )
    .map(list =>
      list.map((more, index) =>
        tool({ ...more, id: `tool.t${index}`, description: `Reads thing ${index}.` }),
      ),
    ),
  policy: lines,
})
const keyOf = ({ rule, problem: { file, message } }: FoundProblem) => `${rule.id} ${file} ${message}`
/** Without the digests, which every change of a file makes stale. */
const problemsOf = (tree: Tree) =>
  problemsIn(agentOf(tree), UNPREPARED, '').filter(({ rule }) => !rule.id.startsWith('manifest/digest'))

describe('any fix that says exactly what to write', () => {
  test('ends its finding and begins no other', () => {
    let done = 0
    fc.assert(
      fc.property(facts, given => {
        const tree = treeOf(given)
        const before = problemsOf(tree)
        const rules = new Set(before.map(({ rule }) => rule.id))
        for (const finding of before) {
          const after = followed(tree, 'mini', finding)
          if (after === undefined) continue
          done++
          const left = problemsOf(after)
          const was = before.filter(one => keyOf(one) === keyOf(finding)).length
          const is = left.filter(one => keyOf(one) === keyOf(finding)).length
          assert.ok(is < was, `${keyOf(finding)} is still there after: ${finding.problem.fix}`)
          // A capability that another tool's grant covers no longer counts as a slip, so what its tool left out is said by itself.
          const isSlip = before.some(({ problem }) => /, which the (?:url|command) needs;/.test(problem.fix))
          const fresh = left.filter(
            ({ rule }) => !rules.has(rule.id) && !(isSlip && rule.id === 'caps/undeclared-need'),
          )
          assert.deepEqual(fresh.map(keyOf), [], `after ${keyOf(finding)}: ${finding.problem.fix}`)
        }
      }),
      { numRuns: upTo(60, 300), seed: 11 },
    )
    assert.ok(done > 20, `only ${done} fixes were followed`)
  })

  test('by --fix too', () => {
    fc.assert(
      fc.property(facts, fc.boolean(), (given, isMarked) => {
        const tree = treeOf(given)
        const marked = isMarked ? { ...tree, 'tools.json': `\ufeff${tree['tools.json']}` } : tree
        const before = new Set(findingsOf(marked).map(({ rule }) => rule))
        const texts = fix(agentOf(marked)).files.map(({ path, text }) => [path, text])
        const unseen = findingsOf(tree).map(({ rule }) => rule)
        for (const { rule } of findingsOf({ ...marked, ...Object.fromEntries(texts) }))
          assert.ok(before.has(rule) || (isMarked && unseen.includes(rule)), rule)
      }),
      { numRuns: upTo(40, 100), seed: 12 },
    )
  })
})
