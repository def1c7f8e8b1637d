// Manifest, policy and tools that hold what they must not: wrong types, wrong versions, paths that lead away, depth, size, __proto__. One
// wrong type of each place is tried here; all of them in `.ci/run`.
import assert from 'node:assert/strict'
import { existsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { agentTree, digestOf, type Tree, WASM, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { packBatch, project } from '../support/project.ts'
import { rlpMeasured } from '../support/run.ts'
import { slice } from '../support/runs.ts'
import { toml, type Wrong, wrongTypes } from '../support/wrong-types.ts'

const folderFor = temporary('documents')

const POLICY = {
  capabilities: {
    fs: ['/srv/a'],
    fs_ro: ['/srv/b'],
    fs_rw: ['~/c'],
    net: { hosts: ['api.mail.example:443'], allow_http: false },
    time: true,
    kb_read: ['contacts'],
    kb_write: ['drafts'],
    secrets: ['runloop/mail/key'],
    model: false,
    exec: ['/usr/bin/jq'],
  },
}
const OBJECT = { type: 'object', properties: {}, additionalProperties: false }
const TOOLS = {
  version: 1,
  tools: [
    {
      id: 'jq.run',
      description: 'Run jq',
      transport: { kind: 'exec', command: '/usr/bin/jq', args: ['-c'] },
      input_schema: OBJECT,
      result_schema: OBJECT,
      budget: { tokens: 10, usd: 0.5 },
      requires_confirmation: true,
      observability: { tags: ['a'] },
      'x-rlp': { stdin: true, timeout_ms: 5000, env: ['TZ'] },
    },
    {
      id: 'mail.send',
      description: 'Send mail',
      transport: {
        kind: 'http',
        method: 'POST',
        url: 'https://api.mail.example/send',
        headers: { 'x-key': '{{secret:runloop/mail/key}}' },
      },
      input_schema: OBJECT,
      result_schema: OBJECT,
      schema_refs: { 'a.v1': OBJECT },
      capabilities: ['net:api.mail.example:443'],
      secrets: ['runloop/mail/key'],
    },
  ],
}
const FILES = { 'policy.caps': toml(POLICY), 'tools.json': JSON.stringify(TOOLS), 'docs/a.md': 'x' }
const MANIFEST = {
  agent: {
    name: 'mini',
    version: '1.0.0',
    variant: 'pro',
    kind: 'wasm32-wasip1',
    entry_wasm: { path: 'bin/mini.wasm', blake3: digestOf(WASM) },
  },
  ports: { in: ['a.v1'], out: ['b.v1'] },
  caps: { file: 'policy.caps' },
  artifacts: {
    tools: { path: 'tools.json', blake3: digestOf(FILES['tools.json']), version: 1 },
    policy: { path: 'policy.caps', blake3: digestOf(FILES['policy.caps']) },
    files: { 'docs/a.md': digestOf('x') },
  },
}
const GOOD: Tree = { ...agentTree({ files: FILES }), 'manifest.toml': toml(MANIFEST) }

/** One agent for each document, and the control; labels are the folders. */
async function lintAll(folder: string, trees: readonly Tree[]) {
  const labels = [GOOD, ...trees].map((tree, index) => {
    const label = `w${index}/mini`
    writeTree(join(folder, label), tree)
    return label
  })
  const lint = await rlpHere(['agent', 'lint', '--json', ...labels], { cwd: folder })
  // Pack asks lint.
  const bad = slice(labels.slice(1), 6)
  const pack = await rlpHere(['agent', 'pack', '--json', ...bad], { cwd: folder })
  const { agents } = JSON.parse(lint.stdout).result
  const found: { rule: string; severity: string; file: string; line: number; fix: string }[][] = agents.map(
    ({ findings }: { findings: [] }) => findings,
  )
  return { lint, found, bad, pack, packed: JSON.parse(pack.stdout) }
}

/** The rule families that may speak about a file's shape; that a digest is stale is not what is asked. */
const isAboutShape = (file: string) => (finding: { rule: string; severity: string; file: string }) =>
  finding.severity === 'error' && finding.file === file && !finding.rule.startsWith('manifest/digest-stale')

describe('wrong types', () => {
  const isInSchema = ({ pointer }: Wrong) => /(?:_schema|schema_refs\.a\.v1)\./.test(pointer)
  const inTools = wrongTypes(TOOLS, ['text', 7, true, [], {}, null])
  const writeTools = ({ document }: Wrong) => ({ ...GOOD, 'tools.json': JSON.stringify(document) })
  const documents: [string, file: string, Wrong[], (wrong: Wrong) => Tree, allowed: RegExp][] = [
    [
      'the manifest',
      'manifest.toml',
      wrongTypes(MANIFEST).filter(({ pointer }) => pointer !== ''),
      ({ document }) => ({ ...GOOD, 'manifest.toml': toml(document) }),
      /^\0$/,
    ],
    [
      'the policy',
      'policy.caps',
      wrongTypes(POLICY).filter(({ pointer }) => pointer !== ''),
      ({ document }) => ({ ...GOOD, 'policy.caps': toml(document) }),
      // A list of hosts is the other form of net; true is all of kb_read, kb_write and exec; an empty grant grants nothing.
      /^capabilities\.(?:net = \[\]|(?:kb_read|kb_write|exec) = true)$|^capabilities\.net = \{\}$/,
    ],
    [
      'the tools',
      'tools.json',
      inTools.filter(wrong => !isInSchema(wrong)),
      writeTools,
      // true is a JSON Schema, and a text in schema_refs the id of one; null is how other writers say "none" of a budget and of observability.
      /(?:_schema|schema_refs\.a\.v1) = true$|schema_refs\.a\.v1 = "text"$|\.(?:budget|tokens|usd|observability) = null$/,
    ],
    [
      'the schemas of tools',
      'tools.json',
      inTools.filter(isInSchema),
      writeTools,
      /additionalProperties = \{\}$/,
    ],
  ]
  for (const [what, file, all, tree, allowed] of documents) {
    test(`in ${what}: each place, each type`, async () => {
      assert.ok(all.length > 40)
      // One for each place: none has more than six.
      const wrongs = slice(all, 6, ({ pointer }) => pointer)
      const folder = folderFor(file)
      const { lint, found, bad, pack, packed } = await lintAll(folder, wrongs.map(tree))
      assert.deepEqual([lint.exit, lint.stderr], [1, ''])
      assert.deepEqual(
        found[0]?.filter(({ severity }) => severity === 'error'),
        [],
      )
      const missed = wrongs.filter((_, index) => !found[index + 1]?.some(isAboutShape(file)))
      assert.deepEqual(
        missed.map(({ what }) => what).filter(what => !allowed.test(what)),
        [],
      )
      for (const { line, fix } of found.flat()) assert.ok(line >= 1 && fix.length > 5)
      // Every one has a stale digest at least, so nothing may have been packed.
      assert.deepEqual([pack.exit, packed.result.bundles], [1, []])
      assert.equal(packed.result.failed.length, bad.length)
      for (const { code } of packed.result.failed) assert.match(code, /^(?:LINT_FAILED|DIGEST_STALE)$/)
      assert.equal(existsSync(join(folder, 'dist')), false)
    })
  }
})

interface Case {
  readonly what: string
  readonly tree: Tree
  readonly says: RegExp
}

/** Pack refuses each, in these words, and writes nothing. */
function refusals(group: string, cases: readonly Case[]) {
  describe(group, () => {
    let said: string[] = []
    before(async () => {
      const batch = cases.map(({ what, tree, says }) => ({
        what,
        says,
        harm: (mini: string) => writeTree(mini, tree),
      }))
      said = await packBatch(folderFor(group), batch)
    })
    for (const [index, { what, says }] of cases.entries())
      test(what, () => assert.match(said[index] ?? '', says))
  })
}

const withTools = (text: string) => agentTree({ files: { 'tools.json': text } })
const withPolicy = (text: string) => agentTree({ files: { 'policy.caps': text } })
const withManifest = (text: string) => ({ ...agentTree(), 'manifest.toml': text })

refusals(
  'the version of tools.json',
  (
    [
      ['"1"', /must be a whole number from 1, found "1"/],
      ['1.0', /must be a whole number from 1, found 1\.0/],
      ['1e0', /must be a whole number from 1, found 1e0/],
      ['2', /Version 2 is newer than this rlp reads \(1\)/],
      ['999999999999999', /Version 999999999999999 is newer than this rlp reads/],
      ['9999999999999999', /An integer beyond 2\^53-1/],
      ['-1', /must be a whole number from 1, found -1/],
      ['0', /must be a whole number from 1, found 0/],
      ['-0', /must be a whole number from 1, found -0/],
      ['1.5', /must be a whole number from 1, found 1\.5/],
      ['true', /must be a whole number from 1, found true/],
      ['null', /must be a whole number from 1, found null/],
      ['[1]', /must be a whole number from 1, found \[1\]/],
      ['{}', /must be a whole number from 1, found \{\}/],
      ['01', /tools\.json:1:\d+ /],
      ['+1', /tools\.json:1:\d+ /],
      ['0x1', /tools\.json:1:\d+ /],
      ['NaN', /tools\.json:1:\d+ /],
      ['1e400', /tools\.json:1:\d+ /],
      ['', /tools\.json:1:\d+ /],
    ] as const
  ).map(([version, says]) => ({
    what: `is ${version}`,
    tree: withTools(`{"version":${version},"tools":[]}`),
    says,
  })),
)

refusals('the version of tools.json, again', [
  { what: 'is absent', tree: withTools('{"tools":[]}'), says: /"version" is missing/ },
  {
    what: 'appears twice',
    tree: withTools('{"version":1,"tools":[],"version":1}'),
    says: /tools\.json:1:\d+ .*"version"/,
  },
  {
    what: 'appears twice, once escaped',
    tree: withTools('{"version":1,"tools":[],"v\\u0065rsion":2}'),
    says: /tools\.json:1:\d+ .*"version"/,
  },
  { what: 'of no object', tree: withTools('[1]'), says: /"version" is missing/ },
])

refusals(
  'a path that leads away',
  (
    [
      ['../x', /has a ".." segment/],
      ['bin/../../x', /has a ".." segment/],
      ['./bin/mini.wasm', /has a "." segment/],
      ['bin/./mini.wasm', /has a "." segment/],
      ['/bin/mini.wasm', /is absolute/],
      ['C:/mini.wasm', /is absolute/],
      ['C:mini.wasm', /is absolute/],
      ['\\\\bin\\\\mini.wasm', /has a backslash/],
      ['bin\\\\mini.wasm', /has a backslash/],
      ['~/mini.wasm', /has a character other than/],
      ['~root', /has a character other than/],
      ['', /is empty|shape/],
      ['bin//mini.wasm', /has an empty segment/],
      ['bin/mini.wasm/', /has an empty segment/],
      ['bin/.mini.wasm', /begins with a dot/],
      ['bin/mini.wasm\\u0000', /character other than/],
      ['bin/mini.wasm\\n', /character other than/],
      ['$HOME/mini.wasm', /character other than/],
      ['nul', /device name/],
      ['manifest.toml', /may not be named|manifest\.toml is not a WebAssembly module/],
      ['SIGNATURES/manifest.sig', /may not be named/],
    ] as const
  ).flatMap(([path, says]) => {
    const text = String(agentTree()['manifest.toml'])
    return [
      {
        what: `"${path}" as entry`,
        tree: withManifest(text.replace('path = "bin/mini.wasm"', `path = "${path}"`)),
        says,
      },
      ...(path === ''
        ? []
        : [
            {
              what: `"${path}" among the files`,
              tree: withManifest(`${text}\n[artifacts.files]\n"${path}" = "${digestOf('')}"\n`),
              says,
            },
          ]),
    ]
  }),
)

const DEEP = 10_000
refusals('10,000 levels of nesting', [
  {
    what: 'arrays in JSON',
    tree: withTools(`{"version":1,"tools":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`),
    says: /tools\.json:1:\d+ More than 64 levels of nesting/,
  },
  {
    what: 'objects in JSON',
    tree: withTools(`{"version":1,"tools":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}`),
    says: /tools\.json:1:\d+ More than 64 levels/,
  },
  {
    what: 'open arrays in JSON',
    tree: withTools('['.repeat(DEEP)),
    says: /tools\.json:1:\d+ More than 64 levels/,
  },
  {
    what: 'in a schema of its own',
    tree: agentTree({ files: { 'schemas/a.json': `${'{"not":'.repeat(DEEP)}{}${'}'.repeat(DEEP)}` } }),
    says: /schemas\/a\.json:1:\d+ More than 64 levels/,
  },
  {
    what: 'arrays in TOML',
    tree: withPolicy(`[capabilities]\nfs = ${'['.repeat(DEEP)}${']'.repeat(DEEP)}\n`),
    says: /policy\.caps:2:\d+ More than 64 levels/,
  },
  {
    what: 'open arrays in TOML',
    tree: withPolicy(`fs = ${'['.repeat(DEEP)}`),
    says: /policy\.caps:1:\d+ More than 64 levels/,
  },
  {
    what: 'inline tables in TOML',
    tree: withPolicy(`a = ${'{a='.repeat(DEEP)}1${'}'.repeat(DEEP)}\n`),
    says: /policy\.caps:1:\d+ More than 64 levels/,
  },
  {
    what: 'dotted keys in TOML',
    tree: withManifest(`a${'.a'.repeat(DEEP)} = 1\n`),
    says: /manifest\.toml:1:\d+ More than 64 levels/,
  },
  {
    what: 'headers in TOML',
    tree: withManifest(`[a${'.a'.repeat(DEEP)}]\nb = 1\n`),
    says: /manifest\.toml:1:\d+ More than 64 levels/,
  },
  {
    what: 'arrays of tables in TOML',
    tree: withManifest(`${'[[a]]\n'.repeat(DEEP)}[[a${'.a'.repeat(DEEP)}]]\n`),
    says: /manifest\.toml:\d+:\d+ More than 64 levels/,
  },
])

const PROTO = /The key "(?:__proto__|constructor)" is not allowed/
refusals('keys that change objects', [
  { what: 'plain, in tools', tree: withTools('{"version":1,"tools":[],"__proto__":{"x":1}}'), says: PROTO },
  {
    what: 'escaped, in tools',
    tree: withTools('{"version":1,"tools":[],"\\u005f_prot\\u006f__":{"x":1}}'),
    says: PROTO,
  },
  {
    what: 'deep, in tools',
    tree: withTools('{"version":1,"tools":[],"x-a":[{"b":{"__proto__":1}}]}'),
    says: PROTO,
  },
  {
    what: 'in a schema',
    tree: agentTree({ files: { 'schemas/a.json': '{"properties":{"__proto__":{}}}' } }),
    says: PROTO,
  },
  { what: 'bare, in the policy', tree: withPolicy('[capabilities]\n__proto__ = 1\n'), says: PROTO },
  { what: 'quoted, in the policy', tree: withPolicy('[capabilities]\n"__proto__" = 1\n'), says: PROTO },
  { what: 'literal, in the policy', tree: withPolicy("[capabilities]\n'__proto__' = 1\n"), says: PROTO },
  {
    what: 'escaped, in the policy',
    tree: withPolicy('[capabilities]\n"__pr\\u006Fto__" = 1\n'),
    says: PROTO,
  },
  { what: 'dotted, in the policy', tree: withPolicy('[capabilities]\nx.__proto__.y = 1\n'), says: PROTO },
  { what: 'in an inline table', tree: withPolicy('[capabilities]\nnet = { __proto__ = 1 }\n'), says: PROTO },
  { what: 'as a header', tree: withPolicy('[capabilities]\n[__proto__]\ny = 1\n'), says: PROTO },
  {
    what: 'as an array of tables',
    tree: withPolicy('[capabilities]\n[[a.__proto__]]\ny = 1\n'),
    says: PROTO,
  },
  {
    what: 'as a file',
    tree: withManifest(`${agentTree()['manifest.toml']}\n[artifacts.files]\n__proto__ = "x"\n`),
    says: PROTO,
  },
  { what: 'constructor', tree: withPolicy('[capabilities]\nconstructor.prototype.x = 1\n'), says: PROTO },
])

describe('too large', () => {
  const LARGE = ['tools.json', 'policy.caps', 'manifest.toml', 'schemas/a.json']
  for (const verb of slice(['lint', 'pack'], 2)) {
    test(`${verb} is quick, in little memory: 100 MB in each of four agents, 16 MiB of brackets and of white space`, async () => {
      const folder = folderFor(verb)
      for (const [index, file] of LARGE.entries()) {
        const mini = join(folder, `${index}/mini`)
        writeTree(mini, agentTree({ files: { 'schemas/a.json': '{}' } }))
        truncateSync(join(mini, file), 100_000_000)
      }
      project(folder)
      writeFileSync(join(folder, 'mini/tools.json'), '['.repeat(16 * 1024 ** 2))
      writeTree(join(folder, 'blank'), agentTree({ name: 'blank' }))
      writeFileSync(join(folder, 'blank/policy.caps'), '\n'.repeat(16 * 1024 ** 2))
      const agents = [...LARGE.map((_, index) => `${index}/mini`), 'mini', 'blank']
      const ran = await rlpMeasured(['agent', verb, ...agents], { cwd: folder })
      assert.equal(ran.exit, 1)
      const said = ran.stdout + ran.stderr
      for (const [index, file] of LARGE.entries()) {
        const lines = said.split('\n').filter(line => line.includes(`${index}/mini`) && line.includes(file))
        assert.match(lines.join('\n'), /100000000 bytes; .*at most 16 MiB/)
      }
      assert.match(said, /tools\.json:1:65 (?:error )?More than 64 levels of nesting/)
      assert.match(said, /policy\.caps:1:1 (?:error )?The file is empty/)
      assert.ok(ran.mebibytes < 300, `${ran.mebibytes} MiB`)
      assert.ok(ran.cpuMs < 10_000, `${ran.cpuMs} ms`)
    })
  }
})
