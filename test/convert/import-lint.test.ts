// What an import writes of a sound list has no finding, and what its author has to decide has one.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { importTools } from '../../src/library/generated/convert.ts'
import { digest, lint, scaffold } from '../../src/library/generated/index.ts'
import { temporary } from '../support/folder.ts'
import { STUB } from '../support/lint-agent.ts'

const folderFor = temporary('import-lint')
const COMMAND = { is: 'command', command: '/usr/bin/mcp-call' } as const
const URL = { is: 'url', method: 'POST', url: 'https://mcp.example/{name}', headers: {} } as const

const PROPERTIES = {
  city: { type: 'string', description: 'The city, for example Basel' },
  max_days: { type: 'integer', description: 'How many days, for example 3' },
}
/** Open, as most lists have it, with an optional argument. */
const SCHEMA = { type: 'object', properties: PROPERTIES, required: ['city'] }
const DESCRIPTION = 'Say what the weather in a city will be'
const READING = { title: 'Weather', readOnlyHint: true, destructiveHint: false, openWorldHint: true }

/** Findings beside the placeholder of a new agent: `rule file message`. */
async function said(list: unknown, run: typeof COMMAND | typeof URL, change = (text: string) => text) {
  const cwd = folderFor('agent')
  await scaffold('mini', { cwd, root: cwd })
  writeFileSync(join(cwd, 'list.json'), JSON.stringify(list))
  await importTools('list.json', { cwd, agent: 'mini', run, grant: true })
  const tools = join(cwd, 'mini/tools.json')
  writeFileSync(tools, change(readFileSync(tools, 'utf8')))
  await digest('mini', { cwd })
  const { findings } = await lint('mini', { cwd })
  return findings
    .filter(({ rule }) => rule !== STUB)
    .map(({ rule, file, message }) => `${rule} ${file} ${message}`)
}

const weather = (more: object = {}) => ({
  tools: [{ name: 'get_weather', description: DESCRIPTION, inputSchema: SCHEMA, ...more }],
})

describe('an import of a sound list', () => {
  const lists: [what: string, list: unknown][] = [
    ['MCP', weather()],
    ['MCP with hints and a title, which become a record', weather({ annotations: READING })],
    ['MCP with an output schema', weather({ outputSchema: { type: 'object' }, annotations: READING })],
    [
      'MCP with a tool that takes nothing',
      { tools: [{ name: 'get_time', description: 'Say what time it is', inputSchema: { type: 'object' } }] },
    ],
    [
      'OpenAI',
      [
        {
          type: 'function',
          function: { name: 'get_weather', description: DESCRIPTION, parameters: SCHEMA },
        },
      ],
    ],
    ['the Messages API', [{ name: 'get_weather', description: DESCRIPTION, input_schema: SCHEMA }]],
    [
      'Gemini',
      {
        tools: [
          {
            functionDeclarations: [
              {
                name: 'get_weather',
                description: DESCRIPTION,
                parameters: {
                  type: 'OBJECT',
                  properties: { city: { type: 'STRING', description: 'The city, for example Basel' } },
                },
              },
            ],
          },
        ],
      },
    ],
  ]
  for (const [what, list] of lists) {
    for (const run of [COMMAND, URL]) {
      test(`${what}, run by ${run.is}: no finding`, async () => {
        const found = await said(list, run)
        const isOpen = what.includes('output schema')
        // The list says everything that a tool needs, so nothing tells that its schema is a copy.
        assert.deepEqual(
          found.map(line => line.split(' ')[0]),
          isOpen ? ['schema/open-object'] : [],
        )
      })
    }
  }
})

describe('what an author has to decide is said', () => {
  test('of tools that change something, once; those that only read are not named', async () => {
    const names = ['send_note', 'delete_note', 'get_note']
    const tools = names.map(name => ({ name, description: `The tool ${name} of notes`, inputSchema: SCHEMA }))
    assert.deepEqual(await said({ tools }, COMMAND), [
      'tools/needs-confirmation tools.json 2 tools seem to change something, and no requires_confirmation says whether a person is asked first: "send_note" and "delete_note"',
    ])
  })

  test('a server that says that a tool only reads is believed, whatever its name says', async () => {
    const send = (annotations: object) => ({
      tools: [{ name: 'send_query', description: 'Send it to the index', inputSchema: SCHEMA, annotations }],
    })
    assert.deepEqual(await said(send({ readOnlyHint: true }), COMMAND), [])
    const ask = /^tools\/needs-confirmation tools\.json send_query seems to change something/
    assert.match((await said(send({ readOnlyHint: false }), COMMAND)).join('\n'), ask)
  })

  test('a request by POST changes something, unless its words say that it reads; PUT always does', async () => {
    const one = (name: string) => ({ tools: [{ name, description: `The ${name}`, inputSchema: SCHEMA }] })
    const put = { ...URL, method: 'PUT' } as unknown as typeof URL
    assert.match((await said(one('orders'), URL)).join(), /orders sends a POST/)
    assert.deepEqual(await said(one('search_orders'), URL), [])
    assert.match((await said(one('search_orders'), put)).join(), /search_orders sends a PUT/)
  })

  test('an empty result schema that an import did not make up is a slip', async () => {
    const own = (text: string) => text.replace(/,\s*"x-inferred": \[[^\]]*\]/, '')
    const found = await said(weather(), COMMAND, own)
    assert.deepEqual(
      found.map(line => line.split(' ')[0]),
      ['schema/open-object', 'schema/empty'],
    )
  })

  test('a record with more than hints, and no classifier_input', async () => {
    const list = weather({ annotations: READING })
    const cwd = folderFor('record')
    await scaffold('mini', { cwd, root: cwd })
    writeFileSync(join(cwd, 'list.json'), JSON.stringify(list))
    await importTools('list.json', { cwd, agent: 'mini', run: COMMAND, grant: true })
    const rulesOf = async (interfaces?: 'complete') =>
      (await lint('mini', { cwd, ...(interfaces && { interfaces }) })).findings
        .map(({ rule, severity }) => `${severity} ${rule}`)
        .filter(line => line.includes('interface-'))
    assert.deepEqual(await rulesOf(), [])
    assert.deepEqual(await rulesOf('complete'), ['error tools/interface-complete'])
    const file = join(cwd, 'mini/interfaces.json')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('"is_read_only"', '"ui_summary": "the weather", "is_read_only"'))
    assert.deepEqual(await rulesOf(), ['warning tools/interface-classifier'])
  })
})
