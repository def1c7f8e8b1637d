// The files of a new agent: their exact text, that they lint, and what hostile answers do to them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WASI } from 'node:wasi'
import fc from 'fast-check'
import { readManifest } from '../../src/agent/manifest.ts'
import { read } from '../../src/agent/read-agent.ts'
import { blake3Hex } from '../../src/bundle/blake3.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { wasmNotWasm } from '../../src/lint/rules/wasm/not-wasm.ts'
import { wasmStub } from '../../src/lint/rules/wasm/stub.ts'
import type { Tool } from '../../src/model/tools.ts'
import { isGranted, notGranted } from '../../src/policy/containment.ts'
import { capabilityFamily } from '../../src/policy/families/index.ts'
import { readPolicy } from '../../src/policy/read.ts'
import { writePolicy } from '../../src/policy/write.ts'
import { grant, NO_GRANTS } from '../../src/scaffold/grant.ts'
import { type ScaffoldAnswers, scaffoldFiles, writeOpening } from '../../src/scaffold/scaffold.ts'
import { doubleQuoted } from '../../src/text/double-quoted.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { writeToolsV1 } from '../../src/tools/v1.ts'
import { isStub, STUB_WASM } from '../../src/wasm/stub.ts'
import { anyText } from '../support/any-text.ts'
import { problemsOf } from '../support/lint-agent.ts'
import { memoryFiles } from '../support/memory.ts'

const DEFAULTS: ScaffoldAnswers = {
  name: 'demo_agent',
  description: 'Agent demo_agent',
  model: 'null:echo',
  modelSecret: undefined,
  fs: ['~/.runloop/artifacts/demo_agent'],
  net: [],
  kbRead: [],
  kbWrite: [],
  tools: [],
}

const JQ: Tool = {
  id: 'text.query',
  description: 'Run a jq filter',
  transport: { kind: 'exec', command: '/usr/bin/jq', args: ['-r', '.a, .b'] },
  inputSchema: { type: 'object', additionalProperties: false },
  resultSchema: { type: 'object' },
  schemaRefs: {},
  capabilities: [],
  secrets: [],
  budget: undefined,
  requiresConfirmation: false,
  tags: [],
  rlp: { stdin: false, timeoutMs: undefined, env: [] },
}

const http = (url: string): Tool['transport'] => ({ kind: 'http', method: 'POST', url, headers: {} })

const SCHEMAS = '../../node_modules/rlp-bundle/schemas'

function texts(answers: ScaffoldAnswers): Record<string, string> {
  return Object.fromEntries(
    [...scaffoldFiles(answers, SCHEMAS)].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
  )
}

function agentOf(answers: ScaffoldAnswers) {
  return read(memoryFiles(Object.fromEntries(scaffoldFiles(answers, SCHEMAS))), answers.name)
}

/** Every rule that is registered, and the two of this folder wherever the registry is. */
const ALL_RULES = [...new Set([...RULES, wasmStub, wasmNotWasm])]

const TOOLS_SCHEMA = `${SCHEMAS}/tools.v1.schema.json`

const MANIFEST = `#:schema ../../node_modules/rlp-bundle/schemas/manifest.schema.json
[agent]
name = "demo_agent"
version = "0.1.0"
kind = "wasm32-wasip1"

entry_wasm = { path = "bin/demo_agent.wasm", blake3 = "${blake3Hex(STUB_WASM)}" }

[ports]
in = []
out = ["out"]

[caps]
file = "policy.caps"

[artifacts.tools]
path = "tools.json"
blake3 = "5ec244286215be46ff85d96e1bbae1ba0184c50daeba7b68516dc8792178d180"
version = 1

[artifacts.policy]
path = "policy.caps"
blake3 = "16a75c2174ba72c919accdc9f38b00d4dff27101242ce0d3adad41bd423b7f96"

[artifacts.files]
"README.md" = "9301959d739784cec07c3477b202ce63d98e06787dfc2c8a6c3d9a52e58d7a2b"

[schemas.with]
type = "object"
additionalProperties = false
required = ["input"]

[schemas.with.properties.input]
type = "string"
minLength = 1
`

const POLICY = `#:schema ../../node_modules/rlp-bundle/schemas/policy.schema.json
[capabilities]
fs = ["~/.runloop/artifacts/demo_agent"]
net = []
time = false
kb_read = false
kb_write = false
secrets = []
model = true
exec = false
`

const README = `# demo_agent

Agent demo_agent

Model: null:echo

## Build

\`bin/demo_agent.wasm\` is a placeholder that does nothing. Build your agent for wasm32-wasip1, put the module there, then run, in the
folder above this one:

    rlp agent digest demo_agent
    rlp agent lint demo_agent
    rlp agent pack demo_agent

\`policy.caps\` says what the agent may do, and \`tools.json\` lists the host tools that it may call.
`

test('the files of an agent with every default', () => {
  assert.deepEqual(
    {
      ...texts(DEFAULTS),
      'bin/demo_agent.wasm': isStub(scaffoldFiles(DEFAULTS).get('bin/demo_agent.wasm') ?? new Uint8Array()),
    },
    {
      'manifest.toml': MANIFEST,
      'policy.caps': POLICY,
      'tools.json': `{\n  "$schema": "${TOOLS_SCHEMA}",\n  "version": 1,\n  "tools": []\n}`,
      'README.md': README,
      'bin/demo_agent.wasm': true,
    },
  )
})

test('a new agent lints with one warning, that its entry is the stub', () => {
  const findings = lintAgent(agentOf({ ...DEFAULTS, tools: [JQ] }), UNPREPARED, ALL_RULES)
  assert.deepEqual(
    findings.map(({ rule, severity, file }) => [rule, severity, file]),
    [['wasm/stub', 'warning', 'bin/demo_agent.wasm']],
  )
})

test('hostile descriptions stay in the README and in the description, and change nothing else', () => {
  const hostile = [
    '"""',
    "'''",
    ']]]\n[agent]\nname = "other"',
    'a\r\nb\tc',
    '\\u0000 \u0000 \u001b[31m',
    'zażółć 👩🏽‍🚀 \u202e\u2028\ufeff',
    '\ud800 lone',
    'x'.repeat(10_000),
    '{{input.x}} $y `z`',
  ]
  for (const description of hostile) {
    const made = texts({ ...DEFAULTS, description })
    const readme = made['README.md'] ?? ''
    assert.equal(
      readme,
      README.replace('Agent demo_agent', () => description.toWellFormed()),
    )
    const manifest = made['manifest.toml'] ?? ''
    const parsed = parseToml('manifest.toml', new TextEncoder().encode(manifest))
    assert.ok(parsed.ok)
    assert.equal(readManifest(parsed.document.value).description, description.toWellFormed())
    assert.equal(
      manifest.replace(/^description = .*\n/m, ''),
      MANIFEST.replace(/(?<="README.md" = ").{64}/, blake3Hex(new TextEncoder().encode(readme))),
    )
    assert.equal(made['policy.caps'], POLICY)
    const rules = lintAgent(agentOf({ ...DEFAULTS, description }), UNPREPARED, ALL_RULES).map(
      ({ rule }) => rule,
    )
    assert.deepEqual(rules, ['wasm/stub'])
  }
})

test('any text in a list of the policy reads back as it was given, a domain as it is granted', () => {
  const list = fc.uniqueArray(anyText({ minLength: 1, maxLength: 20 }), { maxLength: 4 })
  fc.assert(
    fc.property(list, list, (fs, secrets) => {
      const kbRead = secrets.flatMap(text => capabilityFamily('kb_read').entries.granted(text) ?? [])
      const policy = { ...NO_GRANTS, fs, secrets, kbRead, exec: fs }
      const parsed = parseToml('policy.caps', new TextEncoder().encode(writePolicy(policy)))
      assert.ok(parsed.ok)
      assert.deepEqual(readPolicy(parsed.document.value), policy)
    }),
  )
})

test('double quotes: what would not be seen is escaped', () => {
  assert.equal(
    doubleQuoted('a"\\\n\u0000\u202e\u{e0001}\ud800'),
    '"a\\"\\\\\\n\\u0000\\u202E\\U000E0001\ufffd"',
  )
})

test('tools get exactly the grants that they need', () => {
  const tools: Tool[] = [
    {
      ...JQ,
      rlp: { ...JQ.rlp, env: ['TZ', 'REGION'] },
      capabilities: ['kb_read:contacts', 'fs_rw:/var/out', 'time'],
    },
    {
      ...JQ,
      id: 'mail.send',
      transport: http('https://api.mail.example/send'),
      secrets: ['runloop/mail/key'],
    },
    { ...JQ, id: 'mail.list', transport: http('https://api.mail.example:8443/x') },
    { ...JQ, id: 'old.get', transport: http('http://old.example/?q={{input.q}}') },
  ]
  const answers = {
    ...DEFAULTS,
    net: ['b.example'],
    modelSecret: 'runloop/mail/key',
    model: undefined,
    tools,
  }
  assert.equal(
    texts(answers)['policy.caps'],
    `#:schema ../../node_modules/rlp-bundle/schemas/policy.schema.json
[capabilities]
fs = ["~/.runloop/artifacts/demo_agent"]
net = { hosts = ["b.example", "api.mail.example", "api.mail.example:8443", "old.example:80"], allow_http = true }
time = true
kb_read = ["contacts"]
kb_write = false
secrets = ["runloop/mail/key", "env/REGION"]
model = false
exec = ["/usr/bin/jq"]
fs_rw = ["/var/out"]
`,
  )
  const { policy } = agentOf(answers)
  assert.ok(policy)
  for (const tool of tools) assert.deepEqual(notGranted(tool, policy), [])
  assert.equal(isGranted({ capability: 'exec:/bin/sh', at: [], from: 'declared' }, policy), false)
})

test('whatever a tool declares, its needs are granted or named as impossible', () => {
  const scope = fc.oneof(
    fc.constantFrom('', ':a', ':/x', ':~/x', ':/x/../y', ':h.example', ':h.example:80', ':*', '.a'),
    fc.string({ maxLength: 8 }),
  )
  const family = fc.constantFrom(
    'fs',
    'fs_ro',
    'fs_rw',
    'net',
    'time',
    'kb_read',
    'kb_write',
    'secrets',
    'model',
    'exec',
    'nope',
  )
  const capability = fc.tuple(family, scope).map(parts => parts.join(''))
  const transport = fc.constantFrom(
    JQ.transport,
    http('https://h.example/'),
    http('http://h.example:443/'),
    http('http://H/'),
  )
  fc.assert(
    fc.property(fc.array(capability, { maxLength: 5 }), transport, (capabilities, transport) => {
      const tool = { ...JQ, capabilities, transport }
      const { policy, impossible } = grant(NO_GRANTS, [tool])
      assert.deepEqual(notGranted(tool, policy), impossible)
    }),
  )
})

test('a tool that needs what no policy can grant is refused', () => {
  for (const capability of ['net', 'secrets', 'nope:x', 'fs:relative']) {
    const answers = { ...DEFAULTS, tools: [{ ...JQ, capabilities: [capability] }] }
    assert.throws(() => scaffoldFiles(answers), {
      code: 'USAGE',
      message: new RegExp(`^Cannot grant "${capability}": `),
    })
  }
  // The positive control: the same with a scope.
  scaffoldFiles({ ...DEFAULTS, tools: [{ ...JQ, capabilities: ['net:h.example', 'secrets:x', 'fs:/x'] }] })
})

test('a name that cannot be in a bundle is refused', () => {
  for (const name of ['con', 'nul', 'a'.repeat(100), `../x`, 'a/b', '']) {
    assert.throws(() => scaffoldFiles({ ...DEFAULTS, name }), { code: 'USAGE' })
  }
})

test('the tools are written as tool add and the existing tooling write them', () => {
  assert.equal(texts({ ...DEFAULTS, tools: [JQ] })['tools.json'], writeToolsV1([JQ], TOOLS_SCHEMA))
})

test('the stub is a WASI command that does nothing and ends well', async () => {
  assert.ok(WebAssembly.validate(STUB_WASM as BufferSource))
  const module = await WebAssembly.compile(STUB_WASM as BufferSource)
  assert.deepEqual(WebAssembly.Module.exports(module), [
    { name: 'memory', kind: 'memory' },
    { name: '_start', kind: 'function' },
  ])
  assert.deepEqual(WebAssembly.Module.imports(module), [])
  const [note] = WebAssembly.Module.customSections(module, 'rlp.stub')
  assert.match(
    Buffer.from(note ?? new ArrayBuffer(0)).toString(),
    /placeholder that rlp agent scaffold wrote/,
  )
  const wasi = new WASI({ version: 'preview1', returnOnExit: true })
  assert.equal(wasi.start(await WebAssembly.instantiate(module, {})), 0)
})

test('only the stub is the stub', () => {
  assert.ok(isStub(Uint8Array.from(STUB_WASM)))
  for (let at = 0; at < STUB_WASM.length; at++) {
    const other = Uint8Array.from(STUB_WASM)
    other[at] = (other[at] ?? 0) ^ 1
    assert.ok(!isStub(other))
  }
  assert.ok(!isStub(STUB_WASM.subarray(0, -1)))
})

test('an entry that is no module is found by its first bytes', () => {
  const messages = (bytes: Uint8Array) => {
    const files = Object.fromEntries(scaffoldFiles(DEFAULTS))
    const agent = read(memoryFiles({ ...files, 'bin/demo_agent.wasm': bytes }), 'demo_agent')
    return problemsOf(wasmNotWasm, agent).map(({ message }) => message.split(': ')[1])
  }
  assert.deepEqual(messages(STUB_WASM), [])
  assert.deepEqual(messages(new Uint8Array()), ['it is empty'])
  assert.deepEqual(messages(Buffer.from('\0as')), ['it does not begin with the bytes 00 61 73 6d'])
  assert.deepEqual(messages(Buffer.from('version https')), ['it does not begin with the bytes 00 61 73 6d'])
  assert.deepEqual(messages(Buffer.from('0061736d02000000', 'hex')), ['its version is not 1'])
})

test('the opening', () => {
  assert.equal(
    writeOpening({ agent: 'demo', goal: 'say "hi": \\ \n# [x', param: 'on' }),
    `version: 0
name: "demo"
goals:
  - "say \\"hi\\": \\\\ \\n# [x"
params:
  "on": "example input"

policy:
  budget_tokens: 4000
  timeout_ms: 15000
  confirm_external: true

nodes:
  - id: "demo_node"
    use: "agent:demo"
    with:
      input: "{{params.on}}"
    timeout_ms: 10000

edges: []

success:
  any_of:
    - "exists(demo_node.out)"
`,
  )
  assert.throws(() => writeOpening({ agent: 'demo', goal: 'x', param: '}}' }), TypeError)
})
