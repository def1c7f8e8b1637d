// Sound bundles that grow in one way, each with a later version in which what grows has changed: for the test that holds every command to
// time in proportion.
import { agentTree, type Tree } from './agent.ts'
import { importOf, MAGIC, section, vec } from './wasm.ts'

export interface BundleShape {
  /** Three sizes are measured: this one, twice and three times as much. */
  readonly size: number
  /** A larger one is refused, where a limit on what it has more of is in reach. */
  readonly most?: number
  /** @param tag in what differs between the two versions: empty in the first */
  make(size: number, tag: string): Tree
}

const times = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index))
const named = (size: number, make: (index: number) => unknown, letter = 'p') =>
  Object.fromEntries(times(size, index => [`${letter}${index}`, make(index)]))

const CLOSED = { type: 'object', properties: {}, additionalProperties: false }
const http = (url: string, more: object = {}) => ({ kind: 'http', method: 'GET', url, ...more })
const exec = (command: string, args: readonly string[] = []) => ({ kind: 'exec', command, args })

const tool = (id: string, more: object) => ({
  id,
  description: `Does what ${id} is for`,
  transport: exec('/usr/bin/jq'),
  input_schema: CLOSED,
  result_schema: { type: 'object' },
  ...more,
})

interface Parts {
  readonly caps?: string
  readonly tools?: readonly object[]
  readonly files?: Tree
  /** Lines behind the manifest. */
  readonly manifest?: string
}

const versionOf = (tag: string) => (tag === '' ? '1.0.0' : '1.1.0')

function treeOf({ caps = '', tools = [], files = {}, manifest = '' }: Parts, tag: string): Tree {
  const tree = agentTree({
    version: versionOf(tag),
    files: {
      'policy.caps': `[capabilities]\n${caps}\n`,
      'tools.json': JSON.stringify({ version: 1, tools }),
      ...files,
    },
  })
  return manifest === '' ? tree : { ...tree, 'manifest.toml': `${tree['manifest.toml']}\n${manifest}\n` }
}

const shape = (size: number, make: (size: number, tag: string) => Parts): BundleShape => ({
  size,
  make: (size, tag) => treeOf(make(size, tag), tag),
})
const list = (size: number, entry: (index: number) => string) =>
  `[${times(size, index => JSON.stringify(entry(index))).join()}]`
/** Many tools that differ. */
const tools = (
  size: number,
  more: (index: number, tag: string, size: number) => object,
  caps: (size: number, tag: string) => string = () => 'exec = true',
) =>
  shape(size, (size, tag) => ({
    caps: caps(size, tag),
    tools: times(size, index => tool(`t${index}`, more(index, tag, size))),
  }))
/** One tool, with something in it that grows. */
const inTool = (
  size: number,
  more: (size: number, tag: string) => object,
  caps: (size: number, tag: string) => string = () => 'exec = true',
) => shape(size, (size, tag) => ({ caps: caps(size, tag), tools: [tool('t', more(size, tag))] }))
const input = (size: number, schema: (size: number, tag: string) => object) =>
  inTool(size, (size, tag) => ({
    transport: exec('/usr/bin/jq', ['{{input.p1}}']),
    input_schema: schema(size, tag),
  }))
const policy = (size: number, caps: (size: number, tag: string) => string) =>
  shape(size, (size, tag) => ({ caps: caps(size, tag) }))
const schemaFiles = (size: number, schema: (index: number, size: number, tag: string) => unknown) =>
  shape(size, (size, tag) => ({
    caps: 'exec = true',
    tools: [
      tool('t', {
        transport: exec('/usr/bin/jq', ['{{input.p}}']),
        input_schema: { $ref: 'schema:s0' },
      }),
    ],
    files: Object.fromEntries(
      times(size, index => [`schemas/s${index}.json`, JSON.stringify(schema(index, size, tag))]),
    ),
  }))
const face = (index: number, more: object = {}) => ({
  schema_version: '0.2.0',
  interface_id: `tool_interface:t${index}`,
  tool_id: `t${index}`,
  name: `n${index}`,
  namespace: 'n',
  description: 'd',
  ...more,
})

export const BUNDLE_SHAPES: Readonly<Record<string, BundleShape>> = {
  'tools of one host': tools(
    60,
    (index, tag) => ({ transport: http(`https://a.example/${tag}${index}`) }),
    () => 'net = ["a.example:443"]',
  ),
  'tools of many hosts': tools(
    60,
    (index, tag) => ({ transport: http(`https://${tag}h${index}.example/`) }),
    (size, tag) => `net = ${list(size, index => `${tag}h${index}.example:443`)}`,
  ),
  'tools of hosts that are not granted': tools(60, (index, tag) => ({
    transport: http(`https://${tag}h${index}.example/`),
  })),
  'tools of many ports': tools(
    60,
    (index, tag) => ({ transport: http(`https://a.example:${1000 + index + tag.length}/`) }),
    (size, tag) => `net = ${list(size, index => `a.example:${1000 + index + tag.length}`)}`,
  ),
  'tools of many programs': tools(
    60,
    (index, tag) => ({ transport: exec(`/usr/bin/${tag}x${index}`) }),
    (size, tag) => `exec = ${list(size, index => `/usr/bin/${tag}x${index}`)}`,
  ),
  'tools of one program': tools(60, (index, tag) => ({
    transport: exec('/usr/bin/jq', [`--x${tag}${index}`]),
  })),
  'tools that run a shell': tools(60, (index, tag) => ({
    transport: exec('/bin/sh', ['-c', `echo ${tag}${index}`]),
  })),
  'tools with other names in the next version': shape(60, (size, tag) => ({
    caps: 'net = ["a.example"]',
    tools: times(size, index =>
      tool(`${tag}t${index}`, { transport: http(`https://a.example/${index}?q={{input.q}}`) }),
    ),
  })),
  'tools that are alike with other names': shape(60, (size, tag) => ({
    caps: 'net = ["a.example"]',
    tools: times(size, index => tool(`${tag}t${index}`, { transport: http('https://a.example/') })),
  })),
  'tools in another order': shape(60, (size, tag) => {
    const all = times(size, index => tool(`t${index}`, { transport: exec('/usr/bin/jq', [String(index)]) }))
    return { caps: 'exec = true', tools: tag === '' ? all : all.toReversed() }
  }),
  'tools with a secret each': tools(
    60,
    (index, tag) => ({ secrets: [`runloop/a/${tag}s${index}`] }),
    (size, tag) => `exec = true\nsecrets = ${list(size, index => `runloop/a/${tag}s${index}`)}`,
  ),
  'tools that share a secret': tools(
    60,
    (index, tag) => ({ transport: http(`https://${tag}h${index}.example/`), secrets: ['runloop/a/s'] }),
    () => 'secrets = ["runloop/a/s"]',
  ),
  'tools that need a capability each': tools(60, (index, tag) => ({
    capabilities: [`kb_read:${tag}d${index}`],
  })),
  'tools with a credential': tools(60, (index, tag) => ({
    transport: exec('/usr/bin/jq', [`--token=abcdefghijkl${tag}${index}`]),
  })),
  'tools with tags': tools(60, (index, tag) => ({
    observability: { tags: [`${tag}g${index}`] },
    requires_confirmation: index % 2 === 0 && tag === '',
    budget: { tokens: index },
  })),
  'tools with a placeholder': tools(60, (_, tag) => ({
    transport: exec('/usr/bin/jq', ['{{input.q}}']),
    input_schema: {
      type: 'object',
      properties: { q: { type: 'string', ...(tag === '' && { maxLength: 5 }) } },
      additionalProperties: false,
    },
  })),
  'tools with schemas of their own': tools(30, (index, tag) => ({
    input_schema: { $ref: `schema:own${index}` },
    schema_refs: { [`own${index}`]: { type: 'object', title: tag } },
  })),
  'one tool with many secrets': inTool(
    300,
    (size, tag) => ({ secrets: times(size, index => `runloop/a/${tag}s${index}`) }),
    (size, tag) => `exec = true\nsecrets = ${list(size, index => `runloop/a/${tag}s${index}`)}`,
  ),
  'one tool with secrets that are not granted': inTool(300, (size, tag) => ({
    secrets: times(size, index => `runloop/a/${tag}s${index}`),
  })),
  'one tool with many capabilities': inTool(
    300,
    (size, tag) => ({ capabilities: times(size, index => `net:${tag}h${index}.example:443`) }),
    (size, tag) => `exec = true\nnet = ${list(size, index => `${tag}h${index}.example`)}`,
  ),
  'one tool with capabilities that are not granted': inTool(300, (size, tag) => ({
    capabilities: times(size, index => `net:${tag}h${index}.example:443`),
  })),
  'one tool with many folders': inTool(
    300,
    (size, tag) => ({ capabilities: times(size, index => `fs_ro:/srv/${tag}f${index}/x`) }),
    (size, tag) => `exec = true\nfs_ro = ${list(size, index => `/srv/${tag}f${index}`)}`,
  ),
  'one tool with many variables': inTool(300, (size, tag) => ({
    'x-rlp': { env: times(size, index => `${tag.toUpperCase()}V${index}`) },
  })),
  'one tool with many arguments': inTool(300, (size, tag) => ({
    transport: exec(
      '/usr/bin/jq',
      times(size, index => `--${tag}a${index}`),
    ),
  })),
  'one tool with many headers': inTool(
    300,
    (size, tag) => ({
      transport: http('https://a.example/', { headers: named(size, () => `x${tag}`, 'X-') }),
    }),
    () => 'net = ["a.example"]',
  ),
  'one tool with many placeholders': inTool(150, (size, tag) => ({
    transport: exec(
      '/usr/bin/jq',
      times(size, index => `{{input.p${index}}}`),
    ),
    input_schema: {
      type: 'object',
      properties: named(size, () => ({ type: 'string', ...(tag === '' && { maxLength: 5 }) })),
      additionalProperties: false,
    },
  })),
  'placeholders beside other keywords': {
    ...inTool(100, (size, tag) => ({
      transport: exec(
        '/usr/bin/jq',
        times(size, index => `{{input.p${index}}}`),
      ),
      input_schema: {
        type: 'object',
        properties: named(size, () => ({ type: 'string', ...(tag === '' && { maxLength: 5 }) })),
        additionalProperties: false,
        maxProperties: 5,
      },
    })),
    // With the schema around them and what else it may have: 600 subschemas.
    most: 598,
  },
  'placeholders of one list of values': inTool(300, (size, tag) => ({
    transport: exec(
      '/usr/bin/jq',
      times(size, index => `{{input.p${index}}}`),
    ),
    input_schema: { type: 'object', additionalProperties: { enum: times(size, index => `${tag}${index}`) } },
  })),
  'placeholders in an open schema': inTool(100, (size, tag) => ({
    transport: exec(
      '/usr/bin/jq',
      times(size, index => `{{input.p${index}}}`),
    ),
    input_schema: {
      type: 'object',
      properties: named(size, () => ({ $ref: `schema:runtime${tag}` })),
      additionalProperties: false,
    },
  })),
  'a long argument': inTool(2000, (size, tag) => ({
    transport: exec('/usr/bin/jq', [`${'{{input.p0}} '.repeat(size / 20)}${'ü'.repeat(size / 2)}${tag}`]),
    input_schema: {
      type: 'object',
      properties: { p0: { type: 'string' } },
      additionalProperties: false,
    },
  })),
  'a long description': inTool(2000, (size, tag) => ({
    description: `${'日本 `a` \u202e<b>\u0001 '.repeat(size / 12)}${tag}`,
  })),
  'a description without a space': inTool(2000, (size, tag) => ({
    description: `${'日'.repeat(size / 2)}${'a'.repeat(size / 2)}${tag}`,
  })),
  'descriptions of many tools': tools(40, (index, tag) => ({
    description: `${`Does ${index} `.repeat(30)}${tag}`,
  })),
  'a schema with many properties': input(150, (size, tag) => ({
    type: 'object',
    properties: named(size, () => ({ type: 'string', description: `one ${tag}` })),
    required: times(size, index => `p${index}`),
    additionalProperties: false,
  })),
  'a schema with many references': input(100, (size, tag) => ({
    type: 'object',
    $defs: { d: { type: 'string', title: tag } },
    properties: named(size, () => ({ $ref: '#/$defs/d' })),
    additionalProperties: false,
  })),
  'a chain of references in one schema': input(25, (size, tag) => ({
    $ref: '#/$defs/p0',
    $defs: named(size, index =>
      index + 1 < size
        ? { type: 'object', title: tag, properties: { a: { $ref: `#/$defs/p${index + 1}` } } }
        : {},
    ),
  })),
  'a list of many values': input(400, (size, tag) => ({
    type: 'object',
    properties: { p1: { enum: times(size, index => `${tag}v${index}`) } },
    additionalProperties: false,
  })),
  'a choice of many schemas': input(150, (size, tag) => ({
    type: 'object',
    properties: {
      p1: { anyOf: times(size, index => ({ type: 'string', maxLength: index + tag.length })) },
    },
    additionalProperties: false,
  })),
  'conditions that all hold': input(150, (size, tag) => ({
    type: 'object',
    properties: {
      p1: { allOf: times(size, index => ({ type: 'string', maxLength: index + tag.length })) },
    },
    additionalProperties: false,
  })),
  'patterns of properties': input(40, (size, tag) => ({
    type: 'object',
    patternProperties: Object.fromEntries(
      times(size, index => [`^${tag}p${index}$`, { type: 'string', pattern: `^${tag}a${index}` }]),
    ),
  })),
  'a schema for each tool': tools(40, (_, tag) => ({
    input_schema: {
      type: 'object',
      properties: named(5, () => ({ type: 'string', title: tag })),
      required: ['p0'],
      additionalProperties: false,
    },
    result_schema: { type: 'object', properties: named(5, () => ({ type: 'string', title: tag })) },
  })),
  'deep schemas of many tools': tools(10, (_, tag) => ({
    transport: exec('/usr/bin/jq', ['{{input.a.a.a}}']),
    input_schema: times(20, String).reduce<object>(
      inner => ({ type: 'object', properties: { a: inner }, additionalProperties: false }),
      { type: 'string', title: tag },
    ),
  })),
  'schema files': schemaFiles(60, (index, _, tag) => ({ type: 'object', title: `${tag}${index}` })),
  // Longer ones than 200 levels are refused.
  'chains of schema files': schemaFiles(60, (index, size, tag) => ({
    type: 'object',
    title: tag,
    properties: { a: index % 20 !== 19 && index + 1 < size ? { $ref: `s${index + 1}.json` } : {} },
  })),
  'a schema file that many tools use': shape(40, (size, tag) => ({
    caps: 'exec = true',
    tools: times(size, index =>
      tool(`t${index}`, {
        transport: exec('/usr/bin/jq', ['{{input.p0}}']),
        input_schema: { $ref: 'schema:s' },
        result_schema: { $ref: 'schema:s' },
      }),
    ),
    files: {
      'schemas/s.json': JSON.stringify({
        type: 'object',
        title: tag,
        properties: named(3, () => ({ type: 'string' })),
        additionalProperties: false,
      }),
    },
  })),
  'hosts that are granted': policy(
    400,
    (size, tag) => `net = ${list(size, index => `${tag}h${index}.example:443`)}`,
  ),
  'hosts in punycode': policy(
    400,
    (size, tag) => `net = ${list(size, index => `xn--mnchen-3ya.${tag}h${index}.example:443`)}`,
  ),
  'programs that are granted': policy(
    400,
    (size, tag) => `exec = ${list(size, index => `/usr/bin/${tag}x${index}`)}`,
  ),
  'secrets that are granted': policy(
    400,
    (size, tag) => `secrets = ${list(size, index => `runloop/a/${tag}s${index}`)}`,
  ),
  'folders that are granted': policy(
    400,
    (size, tag) =>
      `fs_ro = ${list(size, index => `/srv/${tag}f${index}`)}\nfs_rw = ${list(size, index => `/data/${tag}f${index}`)}`,
  ),
  'knowledge bases that are granted': policy(
    400,
    (size, tag) =>
      `kb_read = ${list(size, index => `${tag}a${index}`)}\nkb_write = ${list(size, index => `${tag}b${index}`)}`,
  ),
  'records of tools': shape(80, (size, tag) => ({
    caps: 'exec = true',
    tools: times(size, index => tool(`t${index}`, {})),
    files: {
      'interfaces.json': JSON.stringify({
        records: times(size, index =>
          face(index, { is_read_only: true, timeout_ms: 1000, ...(tag === '' && { is_enabled: false }) }),
        ),
      }),
    },
  })),
  'many records of one tool': shape(60, (size, tag) => ({
    caps: 'exec = true',
    tools: [tool('t0', {})],
    files: {
      'interfaces.json': JSON.stringify({ records: times(size, () => face(0, { description: tag })) }),
    },
  })),
  'a record with many fields': shape(60, (size, tag) => ({
    caps: 'exec = true',
    tools: [tool('t0', { input_schema: { type: 'object', properties: named(size, () => ({})) } })],
    files: {
      'interfaces.json': JSON.stringify([
        face(0, {
          required_credentials: times(size, index => `${tag}c${index}`),
          model_input_schema: { type: 'object', properties: named(size, () => ({})) },
        }),
      ]),
    },
  })),
  files: shape(100, (size, tag) => ({
    files: Object.fromEntries(times(size, index => [`data/f${index}.txt`, `${tag}${index}`])),
  })),
  'files with other names in the next version': shape(100, (size, tag) => ({
    files: Object.fromEntries(times(size, index => [`data/${tag}f${index}.txt`, String(index)])),
  })),
  'files in folders': shape(100, (size, tag) => ({
    files: Object.fromEntries(times(size, index => [`d${index}/e/f.txt`, tag])),
  })),
  'a deep folder': shape(100, (size, tag) => ({
    files: Object.fromEntries(times(size, index => [`${'d/'.repeat(30)}f${index}.txt`, tag])),
  })),
  'settings of the manifest': shape(180, (size, tag) => ({
    manifest: `[schemas.with]\ntype = "object"\n[schemas.with.properties]\n${times(size, index => `${tag}p${index} = { type = "string" }`).join('\n')}`,
  })),
  'ports of the manifest': shape(400, (size, tag) => ({
    manifest: `[ports]\nin = ${list(size, index => `${tag}p${index}`)}`,
  })),
  'lines of the manifest': shape(300, (size, tag) => ({
    manifest: times(size, index => `[x${index}.y]\nvalue = "a${tag}"`).join('\n'),
  })),
  'imports of a module': shape(200, (size, tag) => ({
    files: {
      'lib/more.wasm': Uint8Array.from([
        ...MAGIC,
        ...section(2, vec(times(size, index => importOf('env', `${tag}f${index}`)))),
      ]),
    },
  })),
}
