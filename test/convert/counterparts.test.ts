// Exports against the programs that they are for: the official MCP client, OpenAI's own types and schema rules; and files that others made.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { validateToolName } from '@modelcontextprotocol/sdk/shared/toolNameValidation.js'
import { type Tool as Listed, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { toStrictJsonSchema } from 'openai/lib/transform'
import { overlay } from '../../src/agent/overlay.ts'
import { read } from '../../src/agent/read-agent.ts'
import { INTERFACES_FILE } from '../../src/agent-tool/records.ts'
import { exportText } from '../../src/convert/export.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { TOOLS_FILE } from '../../src/model/agent.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { WITHOUT_TURNS } from '../../src/model/turn.ts'
import { addTools } from '../../src/scaffold/add-tool.ts'
import { checkShape } from '../../src/schema/check.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { agentWith, exported, HTTP, imported, PLAIN } from '../support/conversion.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('counterparts')

/** Schemas that readers stumble over: recursive, boolean, without type, of every keyword. */
const ODD = [
  {
    id: 'tree',
    schema: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } },
  },
  {
    id: 'list',
    schema: {
      $ref: '#/$defs/n',
      $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } },
    },
  },
  { id: 'any', schema: true },
  { id: 'booleans', schema: { properties: { a: true, b: false }, items: true } },
  { id: 'choice', schema: { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] } },
  {
    id: 'named',
    schema: { $id: 'urn:x', $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
  },
  { id: 'named too', schema: { $id: 'urn:x', type: 'object', properties: { b: { type: 'string' } } } },
  {
    id: 'keywords',
    schema: {
      type: 'object',
      propertyNames: { maxLength: 3 },
      dependentRequired: { a: ['b'] },
      minProperties: 1,
    },
  },
  // Keywords that say nothing in 2020-12, and that the client's validator refuses.
  { id: 'old id', schema: { type: 'object', properties: { a: { id: 'x', $async: true, type: 'string' } } } },
  {
    id: 'nullable',
    schema: {
      type: 'object',
      properties: { a: { nullable: true }, b: { type: ['string', 'null'], nullable: false } },
    },
  },
].map(({ id, schema }) => ({ ...PLAIN, id, inputSchema: schema, resultSchema: schema }))

const TOOLS = [
  PLAIN,
  { ...HTTP, tags: ['mail'], budget: { usd: 0.1 }, capabilities: ['time'] },
  { ...PLAIN, id: 'a b/c', resultSchema: { type: 'object', properties: { n: { type: 'integer' } } } },
  { ...PLAIN, id: 'x'.repeat(200) },
  ...ODD,
]
const RECORDS = {
  [INTERFACES_FILE]: JSON.stringify([
    {
      schema_version: '0.2.0',
      interface_id: 'i',
      tool_id: PLAIN.id,
      user_facing_name: 'Query',
      is_read_only: true,
      is_destructive: false,
    },
  ]),
}

describe('MCP', () => {
  test('the official client accepts what an official server answers with it', async () => {
    const tools = await listed(TOOLS, { files: RECORDS })
    assert.equal(tools.length, TOOLS.length)
    for (const { name } of tools) assert.equal(validateToolName(name).isValid, true, name)
    assert.deepEqual(tools[0]?.annotations, { readOnlyHint: true, destructiveHint: false })
  })

  describe('its validator takes every result that fits', () => {
    const list = (schema: object) => ({ type: 'object', properties: { a: { type: 'array', ...schema } } })
    const text = { type: 'string' }
    const CASES: readonly (readonly [
      what: string,
      schema: JsonSchema,
      fits: readonly unknown[],
      not: unknown,
    ])[] = [
      ['a tuple', list({ prefixItems: [text], items: false }), [[], ['x']], ['x', 1]],
      ['a tuple with more', list({ prefixItems: [text], items: { type: 'number' } }), [['x', 1]], ['x', 'y']],
      [
        'a tuple whose rest others have judged',
        list({ allOf: [{ items: true }], prefixItems: [text], items: { type: 'number' } }),
        [['x', 1]],
        ['x', 'y'],
      ],
      [
        'a tuple in a tuple',
        list({ prefixItems: [{ prefixItems: [text], items: false }], items: { type: 'number' } }),
        [[['x'], 2]],
        [['x', 1], 2],
      ],
      ['at most', list({ contains: text, minContains: 0, maxContains: 1 }), [[], [1], ['x']], ['x', 'y']],
      ['none needed', list({ contains: text, minContains: 0, items: { type: 'array' } }), [[], [[]]], [1]],
      [
        'what nothing else has judged',
        list({ prefixItems: [{ type: 'number' }], contains: text, minContains: 0, unevaluatedItems: false }),
        [[], [1]],
        [1, 2],
      ],
      ['no null', list({ items: { type: ['string', 'null'], nullable: false } }), [[null, 'x']], [1]],
    ]
    for (const [what, schema, fits, not] of CASES) {
      test(what, async () => {
        const { document } = exported([{ ...PLAIN, resultSchema: schema }], 'mcp')
        const [tool] = (document as { tools: { outputSchema: never }[] }).tools
        assert.ok(tool)
        const theirs = new AjvJsonSchemaValidator().getValidator(tool.outputSchema)
        const [before, after] = await Promise.all([compileSchema(schema), compileSchema(tool.outputSchema)])
        assert.ok(before.ok && after.ok)
        for (const [a, isFit] of [...fits.map(a => [a, true] as const), [not, false] as const]) {
          // Written differently, it says the same.
          assert.equal(before.check({ a }) === undefined, isFit)
          assert.equal(after.check({ a }) === undefined, isFit)
          if (isFit) assert.equal(theirs({ a }).valid, true, what)
        }
      })
    }

    test('under a name that objects have', async () => {
      const schema = {
        type: 'object',
        properties: { constructor: { type: 'string' } },
        additionalProperties: false,
      }
      const tools = await listed([{ ...PLAIN, inputSchema: schema, resultSchema: schema }])
      assert.deepEqual(tools[0]?.inputSchema, tools[0]?.outputSchema)
      const theirs = new AjvJsonSchemaValidator().getValidator(tools[0]?.outputSchema as never)
      assert.deepEqual(
        [{ constructor: 'Ferrari' }, { constructor: 1 }, { other: 1 }].map(value => theirs(value).valid),
        [true, false, false],
      )
    })
  })
})

/** What the official client makes of an export. It drops what MCP does not know, and compiles every outputSchema. */
async function listed(entries: readonly object[], options = {}): Promise<readonly Listed[]> {
  const { document } = exported(entries, 'mcp', options)
  const { tools } = document as { tools: readonly object[] }
  const server = new Server({ name: 'test', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }) as never)
  const client = new Client({ name: 'test', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  try {
    const answer = await client.listTools()
    assert.deepEqual(answer.tools, tools)
    return answer.tools
  } finally {
    await client.close()
    await server.close()
  }
}

describe('OpenAI', () => {
  const chat = exported(TOOLS, 'openai', { files: RECORDS }).document as {
    function: { strict?: true; parameters: object; name: string }
  }[]

  test('its types take both shapes, and refuse everything else', () => {
    const project = folder('types')
    symlinkSync(resolve('node_modules'), join(project, 'node_modules'))
    const { document } = exported(TOOLS, 'openai', { api: 'responses' })
    writeFileSync(
      join(project, 'tools.ts'),
      `import type { OpenAI } from 'openai'
export const chat = ${exportText(chat).trim()} satisfies OpenAI.Chat.Completions.ChatCompletionTool[]
export const responses = ${exportText(document).trim()} satisfies OpenAI.Responses.Tool[]
// @ts-expect-error a function has a name
export const wrong = [{ type: 'function', function: { parameters: {} } }] satisfies OpenAI.Chat.Completions.ChatCompletionTool[]
// @ts-expect-error and says whether it is strict
export const wrongToo = [{ type: 'function', name: 'a', parameters: {} }] satisfies OpenAI.Responses.FunctionTool[]
`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'es2023',
      // Without those of browsers, which are the largest.
      '--lib',
      'es2023',
      '--module',
      'nodenext',
      '--types',
      'node',
    ]
    const { stdout, status } = spawnSync(
      process.execPath,
      [resolve('node_modules/typescript/bin/tsc'), ...options, 'tools.ts'],
      {
        cwd: project,
        encoding: 'utf8',
      },
    )
    assert.deepEqual([status, stdout], [0, ''])
  })

  test('names are those that it takes', () => {
    for (const { function: one } of chat) assert.match(one.name, /^[a-zA-Z0-9_-]{1,64}$/)
    assert.equal(new Set(chat.map(({ function: one }) => one.name)).size, TOOLS.length)
  })

  test('where strict is true its own rewriting finds nothing to do', () => {
    const strict = chat.filter(({ function: one }) => one.strict === true)
    assert.ok(strict.length >= 3)
    for (const { function: one } of strict)
      assert.deepEqual(toStrictJsonSchema(one.parameters as never), one.parameters)
  })

  test('no schema has at its root what it refuses there', () => {
    for (const { function: one } of chat) {
      const { type, properties } = one.parameters as { type?: string; properties?: object }
      assert.deepEqual([type, typeof properties], ['object', 'object'])
      for (const keyword of ['oneOf', 'anyOf', 'allOf', 'enum', 'not'])
        assert.ok(!(keyword in one.parameters))
    }
  })
})

/** Held against the schema of tools.json, and against every rule of lint that is an error. */
async function assertImports(path: string) {
  const text = readFileSync(path, 'utf8')
  const { tools, changes, format } = imported(text, { run: { is: 'command', command: '/usr/bin/call' } })
  const agent = agentWith([])
  const { tools: written, interfaces, policy } = await addTools(agent, tools, WITHOUT_TURNS)
  assert.deepEqual(checkShape('toolsV1', JSON.parse(written)), [])
  const files = new Map([
    [TOOLS_FILE, written],
    ...(interfaces === undefined ? [] : [[INTERFACES_FILE, interfaces] as const]),
    ['policy.caps', policy?.text ?? ''],
  ])
  const after = read(overlay(agent.files, files), 'after')
  const errors = lintAgent(after, UNPREPARED).filter(
    ({ severity, rule }) => severity === 'error' && !rule.startsWith('manifest/'),
  )
  assert.deepEqual(errors, [])
  assert.equal(after.tools?.tools.length, tools.length)
  return { format, tools, changes, after }
}

describe('files that others made', () => {
  const real = join(import.meta.dirname, '../../../shared/real/tools')
  const skip = existsSync(real) ? false : 'the shared inputs are not here'
  const files = (root: string) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.json'))
      .sort()

  test('all of them import', { skip }, async () => {
    const counts: string[] = []
    for (const name of files(real)) {
      const { format, tools } = await assertImports(join(real, name))
      assert.equal(format, name.split('/')[0])
      counts.push(`${name} ${tools.length}`)
    }
    assert.deepEqual(counts, [
      'agentcli/goagent-readme.tools.json 1',
      'agentcli/goagent.tools.json 28',
      'mcp/alfresco.tools-list.json 10',
      'mcp/github.tools-list.json 30',
    ])
  })

  test('our own import', async () => {
    const folder = 'fixtures/tools-elsewhere'
    const counts: string[] = []
    for (const name of files(folder))
      counts.push(`${name} ${(await assertImports(join(folder, name))).tools.length}`)
    assert.deepEqual(counts, [
      'agentcli.tools.json 2',
      'mcp.tools-list.json 2',
      'openai.chat.json 2',
      'openai.responses.json 1',
    ])
  })

  test('what an MCP server stated is stated again', { skip }, async () => {
    const path = join(real, 'mcp/github.tools-list.json')
    const { after } = await assertImports(path)
    const before = (
      JSON.parse(readFileSync(path, 'utf8')) as {
        tools: { name: string; annotations: Record<string, unknown> }[]
      }
    ).tools
    const entries = JSON.parse(after.documents.get(TOOLS_FILE)?.text ?? '').tools as object[]
    const again = exported(entries, 'mcp', {
      files: { [INTERFACES_FILE]: after.documents.get(INTERFACES_FILE)?.text ?? '' },
    })
    const { tools } = again.document as { tools: { name: string; annotations?: object; title?: string }[] }
    assert.deepEqual(
      tools.map(({ name, annotations, title }) => ({ name, title, ...annotations })),
      before.map(({ name, annotations: { idempotentHint: _, title, ...hints } }) => ({
        name,
        title,
        ...hints,
      })),
    )
  })
})
