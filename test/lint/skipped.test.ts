// What lint does about an agent with a broken document: it skips the rules that go by the document, lists them, and goes on with the rest.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { askable } from '../../src/lint/lint-run.ts'
import { RULES, USUAL_RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Finding } from '../../src/model/finding.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf, type Tree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'

const tool = (id: string, more: object = {}) => ({
  id,
  description: `Reads what ${id} is about.`,
  transport: { kind: 'http', method: 'GET', url: 'https://api.git.example/issues' },
  input_schema: { type: 'object', additionalProperties: false },
  result_schema: { type: 'object', properties: { ok: { type: 'boolean' } } },
  ...more,
})
const MISTYPED = { url: 'https://api.git.example/{{input.number}}' }
const BAD_PATH = tool('path', { transport: { kind: 'http', method: 'GET', ...MISTYPED } })
/** A grant for plain http, which one of the tools may need; and one of every program, which advice about names all that the tools start. */
const POLICY =
  '[capabilities]\nnet = { hosts = ["api.git.example"], allow_http = true }\nexec = true\nfs_ro = ["/etc"]\nsecrets = ["runloop/git/key"]\n'

function treeOf(tools: string | readonly object[], policy = POLICY, more: Tree = {}): Tree {
  const text = typeof tools === 'string' ? tools : JSON.stringify({ version: 1, tools }, undefined, 2)
  return agentTree({ files: { 'policy.caps': policy, 'tools.json': text, ...more } })
}

const agentOf = (tree: Tree) => read(memoryFiles(tree), 'mini')
const findingsOf = (tree: Tree): Finding[] => lintAgent(agentOf(tree), UNPREPARED)
const rulesIn = (tree: Tree) => findingsOf(tree).map(({ rule }) => rule)
const skippedIn = (tree: Tree) =>
  Object.fromEntries(
    askable(agentOf(tree), USUAL_RULES).skipped.map(({ file, rules }) => [file, rules as readonly string[]]),
  )

describe('while tools.json is broken', () => {
  const broken = {
    'cannot be parsed': '{ "version": 1, "tools": [ }',
    'has one tool without an id': JSON.stringify({ version: 1, tools: [tool('a', { id: undefined })] }),
    'is in a later version': JSON.stringify({ version: 2, tools: [tool('a')] }),
  }
  test('the control: of a sound one all rules are asked, and grants that no tool needs are found', () => {
    const tree = treeOf([tool('a')])
    assert.deepEqual(skippedIn(tree), {})
    assert.ok(rulesIn(tree).includes('caps/broad-grant'))
    assert.ok(rulesIn(tree).includes('caps/unused-grant'))
  })

  for (const [name, text] of Object.entries(broken)) {
    test(`because it ${name}, nothing is said about grants, and the rules about them are listed`, () => {
      const tree = treeOf(text)
      assert.deepEqual(
        findingsOf(tree).filter(({ file }) => file !== 'tools.json'),
        [],
      )
      const { 'tools.json': skipped = [] } = skippedIn(tree)
      for (const rule of ['caps/broad-grant', 'caps/unused-grant', 'caps/not-granted', 'tools/url'])
        assert.ok(skipped.includes(rule), rule)
    })
  }

  test('a file of schemas is not called unused', () => {
    const schema = { 'schemas/a.v1.json': '{ "type": "string" }' }
    assert.ok(rulesIn(treeOf([tool('a')], POLICY, schema)).includes('schema/unused'))
    assert.ok(!rulesIn(treeOf('{', POLICY, schema)).includes('schema/unused'))
    const unread = { ...schema, 'schemas/b.v1.json': '{' }
    assert.ok(!rulesIn(treeOf([tool('a')], POLICY, unread)).includes('schema/unused'))
  })

  test('a suppression of a skipped rule is neither unknown nor unnecessary', () => {
    const lines = '\n[lint]\nsuppress = [{ rule = "caps/broad-grant", reason = "It may" }]\n'
    for (const tools of ['{', [tool('a', { id: undefined })]]) {
      const tree = treeOf(tools)
      assert.ok(
        !rulesIn({ ...tree, 'manifest.toml': tree['manifest.toml'] + lines }).includes(
          'manifest/suppression',
        ),
      )
    }
    // The control: a rule that was asked and finds nothing.
    const tree = treeOf([tool('a')], '[capabilities]\nnet = ["api.git.example"]\n')
    assert.ok(
      rulesIn({ ...tree, 'manifest.toml': tree['manifest.toml'] + lines }).includes('manifest/suppression'),
    )
  })
})

test('a suppression of a rule that runs only if it is named is not unknown', () => {
  const tree = treeOf([tool('a')])
  const lines = '\n[lint]\nsuppress = [{ rule = "schema/no-example", reason = "Plain" }]\n'
  assert.ok(
    !rulesIn({ ...tree, 'manifest.toml': tree['manifest.toml'] + lines }).includes('manifest/suppression'),
  )
})

describe('a tool that breaks the schema', () => {
  const broken = tool('broken', { confirm: true })
  const sound = treeOf([tool('a'), tool('b'), BAD_PATH])
  const [expected] = findingsOf(sound).filter(({ rule }) => rule === 'tools/input-path')

  test('does not hide what is wrong with the others, at their places', () => {
    assert.ok(expected !== undefined)
    for (const tools of [
      [broken, tool('b'), BAD_PATH],
      [tool('a'), broken, BAD_PATH],
    ]) {
      const tree = treeOf(tools)
      const found = findingsOf(tree)
      const [path] = found.filter(({ rule }) => rule === 'tools/input-path')
      assert.equal(path?.message, expected.message)
      assert.match(String(tree['tools.json']).split('\n')[(path?.line ?? 0) - 1] ?? '', /input\.number/)
      assert.equal(found.filter(({ rule }) => rule === 'tools/shape').length, 1)
    }
  })

  test('leaves rules about all tools unasked', () => {
    const tree = treeOf([broken, BAD_PATH])
    assert.deepEqual(skippedIn(tree), {
      'tools.json': [
        'caps/broad-grant',
        'caps/unused-grant',
        'tools/interface-unknown-tool',
        'schema/unused',
      ],
    })
    assert.ok(!rulesIn(tree).includes('caps/broad-grant'))
  })

  test('decides a verdict alone: verification says nothing about the others', async () => {
    const reasons = async (tree: Tree) => {
      const candidate = await readBundle(bundleOf(tree), { keep: 'all' })
      const { report } = await verify(await outline(candidate), { expect: 'any', allowUnsigned: true })
      return report.reasons.map(({ code }) => code)
    }
    const url = tool('url', { transport: { kind: 'http', method: 'GET', url: 'ftp://api.git.example/' } })
    assert.deepEqual(await reasons(treeOf([tool('a'), url])), ['tools/url', 'no_signature'])
    assert.deepEqual(await reasons(treeOf([broken, url])), ['tools/shape', 'no_signature'])
  })
})

test('while policy.caps or interfaces.json is broken, the rules that go by it are skipped', () => {
  const tools = [
    tool('mail.send', {
      description: 'Send a mail.',
      transport: { kind: 'http', method: 'POST', url: 'https://other.example/' },
    }),
  ]
  const { 'policy.caps': skipped = [] } = skippedIn(treeOf(tools, '[capabilities]\nnet = "a"\n'))
  assert.ok(skipped.includes('caps/not-granted') && skipped.includes('caps/entry'))
  assert.ok(!skipped.includes('caps/unknown-family'), 'what needs the text alone is asked')
  const records = treeOf(tools, POLICY, { 'interfaces.json': '[{}]' })
  assert.deepEqual(skippedIn(records)['interfaces.json']?.includes('tools/needs-confirmation'), true)
  assert.ok(!rulesIn(records).includes('tools/needs-confirmation'))
  assert.ok(rulesIn(treeOf(tools)).includes('tools/needs-confirmation'))
})

test('each rule about whole agents says what it needs of the documents it reads', () => {
  const named = RULES.filter(({ looks }) => looks === 'agent').filter(({ needs }) => needs === undefined)
  assert.deepEqual(named, [])
})
