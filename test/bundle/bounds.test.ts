// What a stranger's bundle may hold is counted over all of its files, before anything is built from them.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { preferNative } from '../../src/bundle/blake3.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { PARSE_LIMITS, TEXT_LIMITS } from '../../src/model/limits.ts'
import { agentTree } from '../support/agent.ts'
import { LIST_LIMITS } from '../support/list-limits.ts'
import { memoryFiles } from '../support/memory.ts'

const FAMILIES = RULES.filter(({ id }) => /^(?:json|toml)\/|\/shape$/.test(id))

// Some of the files here are megabytes.
before(preferNative)

/** The findings about texts and shapes of the usual agent with these files in place of its own. */
function found(files: Readonly<Record<string, string>>): string[] {
  const agent = read(memoryFiles({ ...agentTree(), ...files }), 'x')
  return lintAgent(agent, UNPREPARED, FAMILIES).map(
    ({ rule, file, message }) => `${rule} ${file}: ${message}`,
  )
}

/** A JSON list with so many values, itself one of them. */
const listOf = (values: number) =>
  `[${Array(values - 1)
    .fill('0')
    .join()}]`

describe('JSON values are counted over all files', () => {
  const { allJsonValues } = PARSE_LIMITS
  const quarter = allJsonValues / 4
  const used = countValues(JSON.parse(String(agentTree()['tools.json'])))
  const three = {
    'schemas/a.json': listOf(quarter),
    'schemas/b.json': listOf(quarter),
    'schemas/c.json': listOf(quarter),
  }

  test('as many as are allowed are read', () => {
    assert.deepEqual(found({ ...three, 'schemas/d.json': listOf(quarter - used) }), [])
  })

  test('the first one more is an error that names the limit, in the file in which it is', () => {
    const message = `More than ${allJsonValues} JSON values in this file and those read before it`
    const seen = found({ ...three, 'schemas/d.json': listOf(quarter - used), 'schemas/e.json': '0' })
    // tools.json comes after schemas/ in the order of paths.
    assert.deepEqual(seen, [`json/too-large tools.json: ${message}`])
  })
})

test('one object has a number of members', () => {
  const { jsonMembers } = PARSE_LIMITS
  const text = (members: number) =>
    `{${Array.from({ length: members }, (_, index) => `"x-${index}":0`).join()}}`
  assert.deepEqual(found({ 'schemas/a.json': text(jsonMembers) }), [])
  const message = `An object with more than ${jsonMembers} members`
  assert.deepEqual(found({ 'schemas/a.json': text(jsonMembers + 1) }), [
    `json/too-large schemas/a.json: ${message}`,
  ])
})

test('TOML tokens are counted over manifest and policy', () => {
  const { allTomlTokens } = PARSE_LIMITS
  const policy = (lines: number) => ({ 'policy.caps': `[capabilities]${'\n'.repeat(lines)}` })
  const comments = '#\n'.repeat(allTomlTokens / 4)
  const manifest = { 'manifest.toml': `${agentTree()['manifest.toml']}${comments}` }
  const lines = allTomlTokens / 2 - 1000
  assert.deepEqual(found({ ...manifest, ...policy(lines) }), [])
  // Each of the two is allowed by itself.
  assert.deepEqual(found(policy(lines + 2000)), [])
  assert.deepEqual(found({ ...manifest, ...policy(lines + 2000) }), [
    `toml/too-large policy.caps: More than ${allTomlTokens} lines, keys, values and signs in this file and those read before it`,
  ])
})

describe('single texts have a length', () => {
  const { id, url, header, argument, grant, description } = TEXT_LIMITS
  const http = (more: object) => ({ kind: 'http', method: 'GET', url: 'https://a.example/', ...more })
  const exec = (more: object) => ({ kind: 'exec', command: '/usr/bin/jq', ...more })
  const CASES: readonly (readonly [
    what: string,
    most: number,
    tool: (text: (length: number) => string, most: number) => object,
  ])[] = [
    ['id', id, (text, most) => ({ id: text(most) })],
    ['description', description, (text, most) => ({ description: text(most) })],
    ['url', url, (text, most) => ({ transport: http({ url: `https://a.example/${text(most - 18)}` }) })],
    ['value of headers', header, (text, most) => ({ transport: http({ headers: { a: text(most) } }) })],
    ['argument', argument, (text, most) => ({ transport: exec({ args: [text(most)] }) })],
    ['command', grant, (text, most) => ({ transport: exec({ command: `/${text(most - 1)}` }) })],
    ['capability', grant, (text, most) => ({ capabilities: [`kb_read:${text(most - 8)}`] })],
    ['secret', grant, (text, most) => ({ secrets: [text(most)] })],
    ['tag', id, (text, most) => ({ observability: { tags: [text(most)] } })],
    ['variable', id, (text, most) => ({ 'x-rlp': { env: [text(most)] } })],
  ]
  for (const [what, most, tool] of CASES) {
    test(what, () => {
      const shape = (length: number) => {
        const entry = {
          id: 'a',
          description: 'b',
          transport: exec({}),
          input_schema: {},
          result_schema: {},
          ...tool(size => 'A'.repeat(size), length),
        }
        return found({ 'tools.json': JSON.stringify({ version: 1, tools: [entry] }) })
      }
      assert.deepEqual(shape(most), [])
      const [first, ...others] = shape(most + 1)
      assert.match(
        String(first),
        new RegExp(`^tools/shape tools\\.json: .*at most ${most} characters, found ${most + 1}`),
      )
      assert.deepEqual(others, [])
    })
  }

  test('characters are counted as Unicode does', () => {
    const tools = (text: string) => {
      const entry = { id: text, description: 'b', transport: exec({}), input_schema: {}, result_schema: {} }
      return found({ 'tools.json': JSON.stringify({ version: 1, tools: [entry] }) })
    }
    assert.deepEqual(tools('🙂'.repeat(id)), [])
    assert.equal(tools('🙂'.repeat(id + 1)).length, 1)
  })
})

describe('the lists of one tool have a length', () => {
  const { ofOneTool } = LIST_LIMITS
  const exec = { kind: 'exec', command: '/usr/bin/jq' }
  const http = { kind: 'http', method: 'GET', url: 'https://a.example/' }
  const CASES: readonly (readonly [what: string, unit: string, tool: (names: string[]) => object])[] = [
    ['arguments', 'entries', args => ({ transport: { ...exec, args } })],
    [
      'headers',
      'members',
      names => ({ transport: { ...http, headers: Object.fromEntries(names.map(name => [name, 'v'])) } }),
    ],
    ['secrets', 'entries', secrets => ({ secrets })],
    ['capabilities', 'entries', names => ({ capabilities: names.map(name => `kb_read:${name}`) })],
    ['tags', 'entries', tags => ({ observability: { tags } })],
    ['variables', 'entries', env => ({ 'x-rlp': { env } })],
  ]
  for (const [what, unit, tool] of CASES) {
    test(what, () => {
      const shape = (length: number) => {
        const names = Array.from({ length }, (_, index) => `A${index}`)
        const usual = {
          id: 'a',
          description: 'b',
          transport: exec,
          input_schema: {},
          result_schema: {},
        }
        return found({
          'tools.json': JSON.stringify({ version: 1, tools: [{ ...usual, ...tool(names) }] }),
        })
      }
      assert.deepEqual(shape(ofOneTool), [])
      const [first, ...others] = shape(ofOneTool + 1)
      assert.match(
        String(first),
        new RegExp(`^tools/shape tools\\.json: .*at most ${ofOneTool} ${unit}, found ${ofOneTool + 1}$`),
      )
      assert.deepEqual(others, [])
    })
  }
})

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, child) => sum + countValues(child), 1)
}
