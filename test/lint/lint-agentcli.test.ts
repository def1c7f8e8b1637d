// Which system's tools.json a file is, and what lint says of one of agentcli's.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { createStyle } from '../../src/cli/render/style.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { type AgentcliFile, lintAgentcli, toolsKindOf } from '../../src/lint/lint-file.ts'
import { renderFindings } from '../../src/lint/render.ts'
import { AGENTCLI_RULES } from '../../src/lint/rules/agentcli.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { detectToolsKind, type ToolsKind } from '../../src/tools/detect-tools.ts'
import { findingLine } from '../support/lint-fixtures.ts'
import { memoryFiles } from '../support/memory.ts'

const SHARED = join(import.meta.dirname, '../../../shared')
const skip = existsSync(SHARED) ? false : 'the shared inputs are not here'
const encoder = new TextEncoder()

describe('which system’s file it is', () => {
  const command = { name: 'a', command: ['/bin/true'] }
  const exec = { id: 'a', transport: { kind: 'exec', command: '/bin/true' } }
  const call = { type: 'function', function: { name: 'a' } }
  const kinds: [kind: ToolsKind, value: unknown][] = [
    ['runloop', { version: 1, tools: [exec] }],
    ['runloop', { version: 1 }],
    ['runloop', { version: 2, tools: [{}] }],
    ['agentcli', { tools: [command] }],
    ['agentcli', { tools: [{ name: 'a' }, command] }],
    ['agentcli', { Tools: [{ NAME: 'a', COMMAND: [] }] }],
    ['openai', [call, call]],
    ['mcp', { tools: [{ name: 'a', inputSchema: {} }] }],
    ['agent-tool', { schema_version: '0.2.0', tool_id: 'a' }],
    ['agent-tool', { schema_version: '0.2.0', interface_id: 'a' }],
    ['agent-tool', [{ schema_version: '0.2.0', interface_id: 'a' }]],
    ['agent-tool', { records: [{ schema_version: '0.2.0', interface_id: 'a' }] }],
    ['agent-tool', { schema_version: '0.2.0', permission_profile_id: 'a' }],
    ['agent-tool', { schema_version: '0.2.0', invocation_id: 'a' }],
    ['mixture', { version: 1, tools: [command] }],
    ['mixture', { version: 1, tools: [{ id: 'a', command: '/bin/true' }] }],
    ['mixture', { version: '1', tools: [command] }],
    ['mixture', { version: null, tools: [command] }],
    ['mixture', { tools: [command, exec] }],
    ['mixture', { tools: [{ ...command, ...exec }] }],
    ['mixture', { tools: [command, { inputSchema: {} }] }],
    ['mixture', { version: 1, tools: [{ inputSchema: {} }] }],
    ['mixture', [call, { schema_version: '0.2.0' }]],
    ['openai', [call, 1]],
    ['mcp', [{ name: 'a', inputSchema: {} }, {}]],
    [
      'anthropic',
      {
        tools: [
          { name: 'a', input_schema: {} },
          { type: 'web_search_20250305', name: 'b' },
        ],
      },
    ],
    ['anthropic', [{ name: 'a', input_schema: {} }]],
    ['agentcli', { tools: [{ ...command, input_schema: {} }] }],
    ['gemini', { functionDeclarations: [] }],
    ['gemini', { tools: [{ function_declarations: [{ name: 'a' }] }, { googleSearch: {} }] }],
    ['gemini', [{ functionDeclarations: [{ name: 'a' }] }]],
    ['server-json', { name: 'a/b', description: 'x', packages: [] }],
    ['server-json', { server: { $schema: 'https://a.example/schemas/1/server.schema.json' } }],
    ['mcpb', { manifest_version: '0.3', server: {}, tools: [{ name: 'a', description: 'x' }] }],
    ['mcp-clients', { mcpServers: {} }],
    ['openapi', { openapi: '3.1.0', paths: {} }],
    ['unknown', {}],
    ['unknown', { tools: [] }],
    ['unknown', { tools: [exec] }],
    ['unknown', { version: '1', tools: [exec] }],
    ['unknown', { version: 1.5 }],
    ['unknown', { tools: [{ name: 'a', command: '/bin/true' }] }],
    ['unknown', { schema_version: '0.2.0' }],
    ['unknown', []],
    ['unknown', null],
    ['unknown', 'tools'],
  ]
  for (const [kind, value] of kinds) {
    test(`${kind}: ${JSON.stringify(value)}`, () => assert.equal(detectToolsKind(value), kind))
  }

  test('real files', { skip }, () => {
    const real = (path: string) => toolsKindOf(readFileSync(join(SHARED, 'real', path)))
    assert.equal(real('agents/mailer/tools.json'), 'runloop')
    assert.equal(real('agents/system_tra/tools.json'), 'runloop')
    assert.equal(real('tools/agentcli/goagent.tools.json'), 'agentcli')
    assert.equal(real('tools/agentcli/goagent-readme.tools.json'), 'agentcli')
    assert.equal(real('tools/mcp/github.tools-list.json'), 'mcp')
  })

  test('bytes that are no JSON say nothing', () => {
    assert.equal(toolsKindOf(encoder.encode('{')), 'not-json')
    assert.equal(toolsKindOf(encoder.encode('\ufeff{}')), 'not-json')
    assert.equal(toolsKindOf(new Uint8Array()), 'not-json')
    assert.equal(toolsKindOf(encoder.encode('{"tools":[{"command":[1]}]}')), 'agentcli')
  })
})

const file = (text: string | Uint8Array, platform: AgentcliFile['platform'] = 'posix'): AgentcliFile => ({
  path: 'tools.json',
  label: 'here',
  bytes: typeof text === 'string' ? encoder.encode(text) : text,
  manifestDir: platform === 'posix' ? '/here' : 'C:\\here',
  platform,
})
/** The findings of a document, each on a line of its own. The note about output is in every one and left out. */
const lines = (text: string, platform?: AgentcliFile['platform']) =>
  lintAgentcli(file(text, platform))
    .findings.filter(({ rule }) => rule !== 'agentcli/output')
    .map(findingLine)
const tool = (members: string) => `{"tools":[\n{"name":"a","description":"d",${members}}]}`
const good = '"command":["./tools/bin/a"]'

describe('lint of an agentcli file', () => {
  test('a good file has a note and nothing else', () => {
    assert.deepEqual(lintAgentcli(file(tool(good))).findings.map(findingLine), [
      'info agentcli/output tools.json:1:2 What these programs print is not checked here: each answer must be one line of JSON',
    ])
    assert.deepEqual(lintAgentcli(file('{"tools":[]}')).findings, [])
  })

  for (const name of ['goagent', 'goagent-readme']) {
    test(`${name}.tools.json is good`, { skip }, () => {
      const bytes = readFileSync(join(SHARED, `real/tools/agentcli/${name}.tools.json`))
      const rules = lintAgentcli(file(bytes)).findings.map(({ rule }) => rule)
      assert.deepEqual(rules, ['agentcli/output'])
    })
  }

  const said: [what: string, members: string, ...findings: string[]][] = [
    [
      'the error in that system’s own words',
      '"command":["a"]',
      'error agentcli/load tools.json:2:42 tool[0] "a": relative command[0] must start with ./tools/bin/',
    ],
    [
      'an error about a name of a variable',
      `${good},"envPassthrough":["TZ","1"]`,
      'error agentcli/load tools.json:2:82 tool[0] "a": envPassthrough[1]: invalid name "1" (must match [A-Z_][A-Z0-9_]*)',
    ],
    [
      'another spelling of the program',
      '"command":["tools\\\\bin/../bin//a"]',
      'warning agentcli/program tools.json:2:42 "tools\\\\bin/../bin//a" is read as "./tools/bin/a"',
    ],
    [
      'a schema that is no object',
      `${good},"schema":null`,
      'warning agentcli/schema tools.json:2:68 The schema must be an object, found null',
    ],
    [
      'a schema of something else than an object, and no JSON Schema',
      `${good},"schema":{"type":"text"}`,
      'warning agentcli/schema tools.json:2:68 The schema does not say that the arguments are an object',
      'warning agentcli/schema tools.json:2:76 type must be "array", "boolean", "integer", "null", "number", "object" or "string", found "text"',
    ],
    [
      'an older dialect, which has another meta-schema',
      `${good},"schema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","exclusiveMinimum":true}`,
    ],
    [
      'a key that appears twice, and the value that counts',
      `${good},"name":"b c"`,
      'warning agentcli/duplicate-key tools.json:2:59 The key "name" appears twice in one object',
      'warning agentcli/name tools.json:2:66 "b c" cannot be the name of a function for OpenAI',
    ],
    [
      'a key that appears twice within a schema',
      `${good},"schema":{"type":"object","a":1,"a":2}`,
      'warning agentcli/duplicate-key tools.json:2:91 The key "a" appears twice in one object',
    ],
    [
      'one key in two spellings',
      `${good},"NAME":"b"`,
      'warning agentcli/key tools.json:2:59 "name" and "NAME" are one key to agentcli, and the last one counts',
    ],
    [
      'a key in capitals',
      '"Command":["./tools/bin/a"]',
      'warning agentcli/key tools.json:2:31 "Command" is read as "command", by agentcli and by few others',
    ],
    [
      'a misspelt key',
      `${good},"envPassThru":["A"],"x-own":1`,
      'warning agentcli/key tools.json:2:59 "envPassThru" is not a key that agentcli reads',
    ],
    [
      'no time limit',
      `${good},"timeoutSec":-1`,
      'warning agentcli/timeout tools.json:2:72 -1 seconds are no time limit: the default counts',
    ],
    [
      'variables',
      `${good},"envPassthrough":["tz","TZ","HOME","LD_PRELOAD","OK"]`,
      'warning agentcli/env tools.json:2:77 "tz" is read as "TZ"',
      'warning agentcli/env tools.json:2:82 "TZ" is in the list already',
      'warning agentcli/env tools.json:2:87 "HOME" is passed on anyway',
      'warning agentcli/env tools.json:2:94 "LD_PRELOAD" changes which code the program runs',
    ],
    [
      'a number that others read otherwise',
      `${good},"x-big":12345678901234567890`,
      'warning agentcli/text tools.json:2:67 An integer beyond 2^53-1 is not read alike everywhere',
    ],
  ]
  for (const [what, members, ...findings] of said) {
    test(what, () => assert.deepEqual(lines(tool(members)), findings))
  }

  test('the host decides what is absolute', () => {
    const text = tool('"command":["C:\\\\a.exe"]')
    assert.deepEqual(lines(text, 'win32'), [])
    assert.deepEqual(lines(text), [
      'error agentcli/load tools.json:2:42 tool[0] "a": relative command[0] must start with ./tools/bin/',
    ])
  })

  test('one error, and warnings about everything', () => {
    assert.deepEqual(lines('{"tools":[{"name":"a"},{"name":"a","command":["x"]}]}'), [
      'warning agentcli/description tools.json:1:11 "a" has no description, by which a model would choose it',
      'error agentcli/load tools.json:1:11 tool[0] "a": command must have at least program name',
      'warning agentcli/description tools.json:1:24 "a" has no description, by which a model would choose it',
    ])
  })

  test('text that is no JSON, at its place', () => {
    assert.deepEqual(lines('{"tools":[\n  {"name": }\n]}'), [
      'error agentcli/load tools.json:2:12 parse manifest: expected a value, found "}"',
    ])
    assert.deepEqual(lines('{"tools":[{"name":"a","command":[1]}]}'), [
      'error agentcli/load tools.json:1:34 parse manifest: tools[0].command[0] must be a text, found a number',
    ])
  })

  test('bytes that are no text', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"tools":[], "x-a": "'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ])
    assert.deepEqual(lintAgentcli(file(bytes)).findings.map(findingLine), [
      'warning agentcli/text tools.json:1:1 The file is not UTF-8: byte FF at byte offset 21 does not fit',
    ])
  })

  test('an error that quotes a name of a megabyte is cut', () => {
    const { findings } = lintAgentcli(file(`{"tools":[{"name":"${'n'.repeat(1_000_000)}"}]}`))
    assert.equal(findings.find(({ rule }) => rule === 'agentcli/load')?.message.length, 2001)
  })

  test('every rule has been seen, and none is one about agents', () => {
    const seen = new Set(said.flatMap(([, , ...findings]) => findings.map(line => line.split(' ')[1])))
    const names = Object.values(AGENTCLI_RULES).map(({ id }) => id)
    assert.deepEqual(
      names.filter(id => !seen.has(id)),
      ['agentcli/description', 'agentcli/output'],
    )
    assert.ok(!RULES.some(({ id }) => names.some(name => name === id)))
    for (const [key, { id, summary, why, fix }] of Object.entries(AGENTCLI_RULES)) {
      assert.equal(id, `agentcli/${key}`)
      assert.match(summary, /^.{10,89}[^.]$/)
      assert.match(why, /^[A-Z].{20,}\.$/s)
      assert.match(fix, /^[A-Z].{5,}\.$/s)
    }
  })

  test('people see the place', () => {
    const text = renderFindings(lintAgentcli(file('{"tools":[{"name":1}]}')), createStyle(false), 80)
    assert.equal(
      text,
      [
        'here/tools.json:1:19 error parse manifest: tools[0].name must be a text, found a number agentcli/load',
        '  > 1 │ {"tools":[{"name":1}]}',
        '      │                   ^',
        '  fix: Correct this, then check again: agentcli stops at the first problem',
        '',
      ].join('\n'),
    )
  })

  test('whatever the bytes, it ends, and every place is in the text', () => {
    const source = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.json().map(text => encoder.encode(text)),
      fc
        .record({
          tools: fc.array(
            fc.dictionary(fc.constantFrom('name', 'NAME', 'command', 'schema', 'x'), fc.jsonValue()),
          ),
        })
        .map(value => encoder.encode(JSON.stringify(value, null, 1))),
    )
    fc.assert(
      fc.property(source, bytes => {
        const { agent, findings } = lintAgentcli(file(bytes))
        const text = agent.documents.get('tools.json')?.text ?? agent.unreadable[0]?.text ?? ''
        const count = text.split('\n').length
        for (const { line, message, fix } of findings) {
          assert.ok(line >= 1 && line <= count)
          assert.match(message, /[^.\s]$/)
          assert.match(fix, /^[A-Z].*[^.\s]$/s)
        }
        renderFindings({ agent, findings }, createStyle(false), 80)
      }),
    )
  })

  test('a hostile file ends soon', () => {
    const many = `{"tools":[${'{"a":1},'.repeat(40_000)}{}]}`
    const { findings } = lintAgentcli(file(many))
    assert.ok(findings.length <= 1001 * Object.keys(AGENTCLI_RULES).length)
    // What is left out is said by the last one that is there.
    const rules = new Map<string, string[]>()
    for (const { rule, message } of findings) rules.set(rule, [...(rules.get(rule) ?? []), message])
    const full = [...rules].filter(([, messages]) => messages.length > 1000)
    assert.ok(full.length > 0)
    for (const [rule, messages] of rules) {
      const said = messages.filter(message => message.endsWith(`; what follows of ${rule} is not listed`))
      assert.equal(said.length, messages.length > 1000 ? 1 : 0)
      assert.ok(messages.length <= 1001)
    }
    const wide = `{"tools":[{"name":"a","command":["/x"],"schema":{${'"p":{},'.repeat(20_000)}"q":1}}]}`
    assert.ok(lintAgentcli(file(wide)).findings.length > 0)
  })
})

describe('a tools.json of agentcli within an agent', () => {
  const findings = (text: string) =>
    lintAgent(read(memoryFiles({ 'tools.json': text }), 'a'), UNPREPARED)
      .filter(({ file }) => file === 'tools.json')
      .map(findingLine)

  test('is one error, and no list of all that version 1 would have', () => {
    assert.deepEqual(findings(tool(good)), [
      'error tools/agentcli tools.json:1:1 This is an agentcli tools.json, not version 1 of the bundle’s format',
    ])
  })

  test('and a mixture of the two is said to be one', () => {
    const text = '{"version":1,"tools":[\n{"id":"a","command":["/bin/true"]}]}'
    assert.ok(
      findings(text).includes(
        'error tools/agentcli tools.json:2:11 "command" belongs to agentcli’s format, and the rest of the file to another',
      ),
    )
    assert.deepEqual(findings(text.replace('1', '2')), [
      'error tools/version tools.json:1:12 Version 2 is newer than this rlp reads (1)',
    ])
  })
})
