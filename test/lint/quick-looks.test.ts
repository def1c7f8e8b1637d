// Rules look at a whole text or document before they look at its parts. Such a look never hides what the parts have.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { schemaLongInline } from '../../src/lint/rules/schema/long-inline.ts'
import { schemasOf } from '../../src/lint/rules/schemas.ts'
import { secretsLiteral } from '../../src/lint/rules/secrets/literal.ts'
import { toolsCodeInjection } from '../../src/lint/rules/tools/code-injection.ts'
import { toolsInputFormat } from '../../src/lint/rules/tools/input-format.ts'
import { toolsJsonText } from '../../src/lint/rules/tools/json-text.ts'
import { toolsPlaceholder } from '../../src/lint/rules/tools/placeholder.ts'
import { secretIn } from '../../src/secret/packed-secret.ts'
import { foreignPlaceholders, mayBeForeign, shellVariable } from '../../src/tools/foreign-placeholder.ts'
import { hasInputsOnly, placeholdersIn } from '../../src/tools/template.ts'
import { agentTree } from '../support/agent.ts'
import { agentOfTree } from '../support/follow-fix.ts'
import { problemsOf } from '../support/lint-agent.ts'

const TOKEN = `ghp_${'a1B2'.repeat(9)}`
const LONG = 50_000

function agentWith(text: string) {
  return agentOfTree(agentTree({ files: { 'tools.json': text } }), 'mini')
}

function toolWith(members: object) {
  return {
    id: 'mail.send',
    description: 'Sends a mail to one person.',
    transport: { kind: 'exec', command: '/usr/bin/mail', args: [] },
    input_schema: { type: 'object' },
    result_schema: { type: 'object' },
    capabilities: ['exec:/usr/bin/mail'],
    ...members,
  }
}

const PIECES = [
  '{{',
  '}}',
  '{',
  '}',
  'input',
  '.',
  'to',
  '{{input.to}}',
  '{{secret:a}}',
  '{{ input.to }}',
  ' ',
]
const PLACES = fc.array(
  fc.constantFrom(...PIECES, '$', '%s', '<to>', ':to', '/', '[to]', '~/', '$HOME', '@{to}', '=', '-a'),
  { maxLength: 6 },
)

describe('placeholders', () => {
  test('that are not for values of the call are seen', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }), pieces => {
        const text = pieces.join('')
        assert.equal(
          hasInputsOnly(text),
          placeholdersIn(text).every(({ kind }) => kind === 'input'),
        )
      }),
      { numRuns: 2000 },
    )
  })

  test('of other systems, and variables, have a sign', () => {
    fc.assert(
      fc.property(PLACES, fc.constantFrom('url', 'header', 'argument'), (pieces, where) => {
        const text = pieces.join('')
        const isForeign = foreignPlaceholders({ where, text }).length > 0 || shellVariable(text) !== undefined
        if (isForeign) assert.equal(mayBeForeign(text), true)
      }),
      { numRuns: 2000 },
    )
  })
})

/** Texts and keys, with a credential somewhere, and in spellings of JSON that hide it from a search of the file. */
const WRITTEN = fc.array(
  fc.constantFrom(
    TOKEN,
    TOKEN.slice(0, 20),
    `see ${TOKEN}`,
    'plain',
    `https://hooks.slack.com/services/${'A1b2'.repeat(8)}`,
  ),
  { maxLength: 4 },
)

describe('credentials', () => {
  test('are found in every text and key, however they are escaped', () => {
    fc.assert(
      fc.property(WRITTEN, WRITTEN, fc.boolean(), (texts, keys, isEscaped) => {
        const properties = Object.fromEntries(
          keys.map((key, index) => [`${key}${index}`, { type: 'string' }]),
        )
        const tool = toolWith({ input_schema: { type: 'object', properties, examples: texts } })
        const text = JSON.stringify({ version: 1, tools: [tool] })
        const written = isEscaped ? text.replaceAll('ghp_', '\\u0067hp_').replaceAll('/', '\\/') : text
        const holding = [...texts, ...Object.keys(properties)].filter(one => secretIn(one) !== undefined)
        assert.equal(problemsOf(secretsLiteral, agentWith(written)).length, holding.length)
      }),
      { numRuns: 200 },
    )
  })
})

/** What there is in a schema beside white space, and can be taken for the key of another tool. */
const INSIDE = [
  '"type": "object"',
  '"properties": { "input_schema": {} }',
  '"examples": [{ "input\\u005fschema": 1 }]',
  '"description": "\\"input_schema\\""',
  '"required": ["input_schema"]',
]

describe('long schemas', () => {
  test('are found wherever they are, without a look at each', () => {
    let long = 0
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            inside: fc.constantFrom(...INSIDE),
            before: fc.constantFrom(0, 10, LONG / 2, LONG - 100, LONG),
            behind: fc.constantFrom(0, 10, LONG / 2),
            isResult: fc.boolean(),
            key: fc.constantFrom('input_schema', 'input\\u005fschema'),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        parts => {
          const tools = parts.map(({ inside, before, behind, isResult, key }, index) => {
            const schema = `{${' '.repeat(before)}${inside}${' '.repeat(behind)}}`
            const [input, result] = isResult ? ['{"type": "object"}', schema] : [schema, '{"type": "object"}']
            const { input_schema: _, result_schema: __, ...tool } = toolWith({ id: `mail.send${index}` })
            const rest = JSON.stringify(tool).slice(1, -1)
            return `{"result_schema": ${result}, ${rest}, "${key}": ${input}}`
          })
          const agent = agentWith(`{"version": 1, "tools": [${tools.join(', ')}]}`)
          const document = agent.documents.get('tools.json')
          assert.ok(document !== undefined && agent.tools !== undefined)
          const found = schemasOf(agent).filter(({ at }) => {
            const { start, end } = document.locate(at)
            return end - start >= LONG
          })
          long += found.length
          assert.equal(problemsOf(schemaLongInline, agent).length, found.length)
        },
      ),
      { numRuns: 150 },
    )
    assert.ok(long > 50, `only ${long} were long`)
  })
})

describe('a quick look leaves what only the parts can tell', () => {
  const http = (url: string) => ({ transport: { kind: 'http', method: 'GET', url } })
  const line = (command: string) => ({ transport: { kind: 'exec', command, args: [] } })
  for (const [rule, members] of [
    [toolsPlaceholder, http('https://a.example/x?#{{input.to}}')],
    [toolsJsonText, http('https://a.example/x?q=%7B%22a%22%3A%22{{input.to}}%22%7D')],
    [toolsCodeInjection, line('sh -c "echo {{input.to}}"')],
    [toolsInputFormat, line('/usr/bin/printf {{input.to}}')],
  ] as const)
    test(rule.id, () => {
      const input_schema = { type: 'object', properties: { to: { type: 'string' } } }
      const tools = [toolWith({ ...members, input_schema })]
      assert.equal(problemsOf(rule, agentWith(JSON.stringify({ version: 1, tools }))).length, 1)
    })
})
