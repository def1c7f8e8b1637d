// The schemas of schemas/, as an editor reads them, against the program: what lint refuses, they refuse, as far as JSON Schema can say it;
// and what they refuse, the program refuses too.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { stringify } from 'smol-toml'
import { read } from '../../src/agent/read-agent.ts'
import { parseJson } from '../../src/json/parse.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { CODE_VARIABLES, isForbiddenEnv } from '../../src/policy/code-variables.ts'
import { FAMILIES } from '../../src/policy/families/index.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { agentTree, type Tree } from '../support/agent.ts'
import {
  LINT_FIXTURES,
  lintFixtureIds,
  ROOT,
  readExpectation,
  VALID_FIXTURES,
  validFixtureNames,
} from '../support/lint-fixtures.ts'
import { memoryFiles } from '../support/memory.ts'
import { KEYS, POLICY, policySource } from '../support/trust-world.ts'

// Shorter code takes longer to make than it saves here.
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
const judgeOf = (name: string) =>
  ajv.compile<unknown>(JSON.parse(readFileSync(join(ROOT, `schemas/${name}.schema.json`), 'utf8')))
const TRUST = judgeOf('trust-policy')
const JUDGES = {
  'manifest.toml': judgeOf('manifest'),
  'policy.caps': judgeOf('policy'),
  'tools.json': judgeOf('tools.v1'),
} as const
type File = keyof typeof JUDGES
const FILES = Object.keys(JUDGES) as File[]

/** Rules whose fixture a schema refuses, by the file that it refuses. */
const REFUSED: Readonly<Record<string, File>> = {
  'caps/capability-syntax': 'tools.json',
  'caps/entry': 'policy.caps',
  'caps/no-hosts': 'policy.caps',
  'caps/plain-path': 'policy.caps',
  'caps/shape': 'policy.caps',
  'caps/unknown-family': 'policy.caps',
  'manifest/artifact-path': 'manifest.toml',
  'manifest/digest-format': 'manifest.toml',
  'manifest/entry-missing': 'manifest.toml',
  'manifest/entry-twice': 'manifest.toml',
  'manifest/fixed-path': 'manifest.toml',
  'manifest/kind': 'manifest.toml',
  'manifest/lint-table': 'manifest.toml',
  'manifest/name': 'manifest.toml',
  'manifest/shape': 'manifest.toml',
  'manifest/stray-digest': 'manifest.toml',
  'schema/invalid': 'tools.json',
  'schema/ref-invalid': 'tools.json',
  'schema/ref-remote': 'tools.json',
  'secrets/in-url': 'tools.json',
  'tools/agentcli': 'tools.json',
  'tools/arguments': 'tools.json',
  'tools/command': 'tools.json',
  'tools/command-line': 'tools.json',
  'tools/env': 'tools.json',
  'tools/header': 'tools.json',
  'tools/method': 'tools.json',
  'tools/placeholder': 'tools.json',
  'tools/shape': 'tools.json',
  'tools/url': 'tools.json',
  'tools/version': 'tools.json',
}

/** Rules about which the schemas are silent, by the reason. */
const UNSAID: Readonly<Record<string, readonly string[]>> = {
  'about the text of a file, of which a schema sees only the value': [
    'json/duplicate-key',
    'json/encoding',
    'json/syntax',
    'json/too-large',
    'json/unsafe-value',
    'toml/duplicate-key',
    'toml/encoding',
    'toml/syntax',
    'toml/too-large',
    'toml/unsafe-value',
    'tools/whole-number',
  ],
  'about files and folders': [
    'files/case-twin',
    'files/left-out',
    'files/limit',
    'files/link',
    'files/name',
    'files/required',
    'files/secret',
    'files/signatures',
    'manifest/digest-missing',
    'manifest/digest-stale',
    'manifest/file-missing',
    'wasm/component',
    'wasm/import-not-granted',
    'wasm/malformed',
    'wasm/native-format',
    'wasm/no-entry',
    'wasm/not-wasm',
  ],
  'about two places, which JSON Schema cannot compare': [
    'caps/not-granted',
    'manifest/artifact-twice',
    'manifest/tools-version',
    'schema/endless',
    'schema/impossible',
    'schema/ref-missing',
    'secrets/unlisted',
    'tools/structured-input',
    'tools/duplicate-id',
  ],
  'about a file that an editor has no schema of ours for: schemas/*.json': [
    'schema/dialect',
    'schema/too-large',
  ],
  'about interfaces.json, whose records have the schemas of their own specification': [
    'tools/interface-internal-field',
    'tools/interface-mutation',
    'tools/interface-shape',
    'tools/interface-visibility',
  ],
  'needs a parser of another language: of patterns, of code': ['schema/pattern', 'tools/code-injection'],
  'about the forms of keys and tokens, which are many and grow': ['secrets/literal'],
  'needs the list of rules and of what each is worth': ['manifest/suppression-refused'],
  'a state on the way: rlp agent digest ends it': ['manifest/digest-pending'],
}

/** As the program's strict parsers read it; undefined if the file is missing or malformed. */
function readValue(folder: string, file: File): unknown {
  const path = join(folder, file)
  if (!existsSync(path)) return undefined
  const parsed =
    file === 'tools.json' ? parseJson(file, readFileSync(path)) : parseToml(file, readFileSync(path))
  return 'document' in parsed ? parsed.document?.value : undefined
}

const saidBy = (judge: ReturnType<typeof judgeOf>, value: unknown) =>
  judge(value) ? [] : (judge.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)

describe('every fixture of a rule that is an error', () => {
  const severities = new Map<string, string>(RULES.map(({ id, severity }) => [id, severity]))
  const errors = lintFixtureIds().filter(id => severities.get(id) === 'error')

  test('is in one of the two lists: a schema refuses it, or a reason says why none can', () => {
    const listed = [...Object.keys(REFUSED), ...Object.values(UNSAID).flat()]
    assert.deepEqual([...listed].sort(), [...errors].sort())
  })

  for (const id of lintFixtureIds())
    test(`${id}: ${REFUSED[id] === undefined ? 'no schema refuses it' : `refused in ${REFUSED[id]}`}`, () => {
      const folder = join(ROOT, LINT_FIXTURES, id, 'agent')
      const refused = FILES.flatMap(file => {
        const value = readValue(folder, file)
        return value === undefined ? [] : saidBy(JUDGES[file], value).map(said => `${file} ${said}`)
      })
      const files = new Set(refused.map(said => said.split(' ')[0]))
      assert.deepEqual([...files], REFUSED[id] === undefined ? [] : [REFUSED[id]], refused.join('\n'))
      if (REFUSED[id] !== undefined)
        assert.match(readExpectation(id).findings.join('\n'), new RegExp(REFUSED[id]))
    })
})

test('each part that speaks for a rule names one that has such a fixture, and what speaks for it is in the list', () => {
  const named = new Set<string>()
  for (const file of ['manifest', 'policy', 'tools.v1']) {
    const text = readFileSync(join(ROOT, `schemas/${file}.schema.json`), 'utf8')
    for (const [, rules = ''] of text.matchAll(/"\$comment": "lint: ([^"]*)"/g))
      for (const rule of rules.split(', ')) named.add(rule)
  }
  assert.ok(named.size > 15)
  // Of these two the fixtures have what only a comparison finds, or a file of their own; the next test has what is said.
  for (const rule of named)
    assert.ok(rule in REFUSED || ['schema/impossible', 'schema/dialect'].includes(rule), rule)
})

test('the lists in the schemas are those of the program', () => {
  const policy = JSON.parse(readFileSync(join(ROOT, 'schemas/policy.schema.json'), 'utf8'))
  assert.deepEqual(Object.keys(policy.properties.capabilities.properties).sort(), [...FAMILIES].sort())
  for (const family of FAMILIES)
    assert.deepEqual(saidBy(JUDGES['tools.json'], tools({ capabilities: [family] })), [], family)
  const names = CODE_VARIABLES.flatMap(([, names]) => names.split(' ').map(name => name.replace('*', 'A')))
  for (const name of [...names, 'NODE_ENV', 'TZ', 'LANG', 'LC_ALL', 'MY_PATH', 'XPATH']) {
    const said = saidBy(JUDGES['tools.json'], tools({ 'x-rlp': { env: [name] } }))
    assert.equal(said.length > 0, isForbiddenEnv(name) || !/^[A-Z_][A-Z0-9_]*$/.test(name), name)
  }
})

function tools(more: object): unknown {
  const tool = {
    id: 'text.echo',
    description: 'Echo a text.',
    transport: { kind: 'exec', command: '/bin/echo' },
    input_schema: { type: 'object' },
    result_schema: true,
  }
  return { version: 1, tools: [{ ...tool, ...more }] }
}

describe('schemas of tools', () => {
  const cases: readonly [schema: unknown, isRight: boolean][] = [
    [
      { type: ['object', 'null'], properties: { a: { enum: [1], 'x-own': 1, markdownDescription: 'b' } } },
      true,
    ],
    [{ $ref: 'schema:mail.send.v1' }, true],
    [{ $ref: 'schemas/address.json#/$defs/a' }, true],
    [{ properties: { a: { enum: [] } } }, false],
    [false, false],
    [{ type: 'strnig' }, false],
    [{ allOf: [] }, false],
    [{ items: [{}] }, false],
    [{ $defs: { a: { required: 'b' } } }, false],
    [{ not: { additionalProperties: { maxLength: -1 } } }, false],
    [{ properties: { a: { $ref: 'https://schemas.example/a.json' } } }, false],
  ]
  for (const [schema, isRight] of cases)
    test(`${JSON.stringify(schema)}: ${isRight ? 'accepted' : 'refused'}, by lint too`, () => {
      const value = tools({ input_schema: schema })
      assert.equal(saidBy(JUDGES['tools.json'], value).length === 0, isRight)
      assert.equal(refusalsOf('tools.json', value).length === 0, isRight)
    })
})

/** What lint refuses in one file, as far as it does not come from other files. */
const FROM_OTHERS =
  /^(?:manifest\/(?:digest-stale|digest-missing|file-missing|tools-version)|caps\/not-granted|schema\/ref-missing)$/
const REFUSING = RULES.filter(({ id, severity }) => severity === 'error' && !FROM_OTHERS.test(id))

function refusalsOf(file: File, value: unknown): string[] {
  const text = file === 'tools.json' ? JSON.stringify(value) : stringify(value)
  const agent = read(memoryFiles({ ...(agentTree() as Tree), [file]: text }), 'mini')
  return lintAgent(agent, UNPREPARED, REFUSING).flatMap(({ file: at, rule, message }) =>
    at === file ? [`${rule}: ${message}`] : [],
  )
}

/** Texts that are nearly right somewhere. */
const ODD = [
  '',
  ' ',
  'a',
  '~/x',
  '/x',
  './x',
  '*.a.example',
  ' a.example ',
  '\u0085a.example:1',
  '[::1]:443',
  'a b',
  'net:a.example',
  'kb_read.a',
  'fs:',
  'time:x',
  'x{{input.a}}',
  '{{input.a}}{',
  '{{{input.a}}}',
  '{{secret:a/b}}',
  'https://a.example',
  'http://[::1]:8/x?y#z',
  'https://A.example/',
  'https://a.example:443?x',
  'bin/a.wasm',
  'bin/a.',
  'signatures/a',
  'SIGNATURES/a',
  'manifest.toml',
  'nul',
  'caf\u00e9',
  'a\u0000',
  'QUERY',
  'TZ',
  'LD_X',
  'Host',
  'X-Y',
  '#/$defs/a',
  'schema:a',
  '//a',
  'a'.repeat(70),
  'A'.repeat(64),
  'wasm32-wasip1',
  'native-shim',
]
const part = fc.oneof(
  fc.constantFrom<unknown>(...ODD),
  fc.constantFrom<unknown>(0, 1, 2, true, false, [], {}, ['a'], { hosts: [] }, { path: 'a' }, { enum: [] }, [
    {},
  ]),
)
const change = fc.tuple(
  fc.nat(),
  part,
  fc.constantFrom('replace', 'remove', 'add', 'rename'),
  fc.constantFrom(...ODD),
)

/** A copy with one of its places changed. */
function changed(value: unknown, [at, part, how, name]: readonly [number, unknown, string, string]): unknown {
  const copy = structuredClone(value)
  const places: [holder: Record<string, unknown>, key: string][] = []
  const visit = (holder: Record<string, unknown>): void => {
    for (const key of Object.keys(holder)) {
      places.push([holder, key])
      const child = holder[key]
      if (typeof child === 'object' && child !== null) visit(child as Record<string, unknown>)
    }
  }
  visit(copy as Record<string, unknown>)
  const [holder, key] = places[at % places.length] ?? [{}, '']
  if (how === 'replace') holder[key] = part
  else if (Array.isArray(holder)) how === 'add' ? holder.push(part) : holder.splice(Number(key), 1)
  else if (how === 'add') holder[name] = part
  else {
    if (how === 'rename') holder[name] = holder[key]
    delete holder[key]
  }
  return copy
}

describe('what a schema refuses, the program refuses', () => {
  const folders = [
    ...validFixtureNames().map(name => join(ROOT, VALID_FIXTURES, name)),
    ...lintFixtureIds().map(id => join(ROOT, LINT_FIXTURES, id, 'agent')),
  ]
  for (const file of FILES)
    test(file, () => {
      const values = folders.flatMap(folder => readValue(folder, file) ?? [])
      // Most fixtures have two of the three files in common with others.
      const different = [...new Map(values.map(value => [JSON.stringify(value), value])).values()]
      const seeds = different.filter(seed => refusalsOf(file, seed).length === 0)
      assert.ok(seeds.length > 20, `${seeds.length}`)
      const seen = { accepted: 0, refused: 0 }
      const judge = (value: unknown) => {
        const said = saidBy(JUDGES[file], value)
        if (said.length === 0) seen.accepted++
        else seen.refused++
        return said
      }
      fc.assert(
        fc.property(
          fc.constantFrom(...seeds),
          fc.array(change, { minLength: 1, maxLength: 2 }),
          (seed, changes) => {
            const value = changes.reduce(changed, seed)
            const said = judge(value)
            if (said.length > 0) assert.notDeepEqual(refusalsOf(file, value), [], said.join('\n'))
          },
        ),
        { numRuns: 150 },
      )
      assert.ok(seen.accepted > 10 && seen.refused > 10, JSON.stringify(seen))
    })
})

describe('trust policies', () => {
  const [R, S] = [KEYS.release.anchor, KEYS.security.anchor]
  const accepts = (text: string) => {
    const parsed = parseToml('trust-policy.toml', Buffer.from(text))
    assert.ok('document' in parsed && parsed.document, text)
    return saidBy(TRUST, parsed.document.value)
  }
  const anchors = `[anchors]\na = "${R}"\n`
  const wide = `valid_until = "2027-11-20T23:59:59Z"
${anchors}b = { keys = ["${S}"], allow_dev = true, use = ["attest", "sign"] }
c = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
a = [{ agents = ["mailer@pro"], allow_caps = ["fs_ro:/data", "kb_read.x", "time"], allow_net = ["[::1]:80"] }, { agents = ["x"] }]
b = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
anchors = ["a"]
signatures = 2
[revoked]
"${R}" = { since = "2026-11-01", reason = "lost", replaced_by = "${S}" }
"blake3:${'a'.repeat(64)}" = {}
`

  test('what the reader accepts, the schema accepts: those of the fixtures too', () => {
    const base = join(ROOT, 'fixtures/verdicts')
    const texts = [wide, POLICY]
    for (const verdict of readdirSync(base).filter(name => !name.includes('.')))
      for (const name of readdirSync(join(base, verdict))) {
        const path = join(base, verdict, name, 'trust-policy.toml')
        if (existsSync(path)) texts.push(readFileSync(path, 'utf8'))
      }
    assert.ok(texts.length > 10)
    let sound = 0
    for (const text of texts.filter(text => policySource(text).problems.length === 0)) {
      assert.deepEqual(accepts(text), [], text)
      sound++
    }
    assert.ok(sound > 10)
  })

  /** What only a comparison finds, or arithmetic: the schema is silent. */
  const unsaid: readonly (readonly [why: string, text: string])[] = [
    ['a rule for no anchor', `${anchors}[rules]\nc = {}\n`],
    ['a requirement of no anchor', `${anchors}[require]\nanchors = ["c"]\n`],
    ['one key under two anchors', `${anchors}b = "${R}"\n`],
    ['more signatures than anchors', `${anchors}[require]\nsignatures = 2\n`],
    ['a number with a fraction', `${anchors}[require]\nsignatures = 1.0\n`],
    ['an end that does not exist', `valid_until = "2027-02-30T00:00:00Z"\n${anchors}`],
    [
      'a rule of one who only attests',
      `[anchors]\na = { key = "${R}", use = ["attest"] }\n[rules]\na = {}\n`,
    ],
    ['a day that does not exist', `${anchors}[revoked]\n"${R}" = { since = "2026-02-30" }\n`],
    ['a key of small order', `[anchors]\na = "ed25519:AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="\n`],
    ['an agent in two rules', `${anchors}[rules]\na = [{ agents = ["x"] }, { agents = ["x"] }]\n`],
    ['a port beyond 65535', `${anchors}[rules]\na = { allow_net = ["a.example:65536"] }\n`],
  ]
  for (const [why, text] of unsaid)
    test(`${why}: only the reader refuses it`, () => {
      assert.deepEqual(accepts(text), [])
      assert.notDeepEqual(policySource(text).problems, [])
    })

  test('a closed table has the same keys in both', () => {
    const document = JSON.parse(readFileSync(join(ROOT, 'schemas/trust-policy.schema.json'), 'utf8'))
    const { $defs } = document
    const places: readonly (readonly [text: string, keys: object])[] = [
      ['none = 1', document.properties],
      [`[anchors]\na = { key = "${R}", none = 1 }`, $defs.anchor.properties],
      [`${anchors}[rules]\na = { none = 1 }`, $defs.rules.properties],
      [`${anchors}[rules]\na = [{ agents = ["x"], none = 1 }]`, $defs.ruleOfAgents.properties],
      [`${anchors}[require]\nnone = 1`, document.properties.require.properties],
      [`${anchors}[revoked]\n"${R}" = { none = 1 }`, $defs.revokedKey.properties],
      [`${anchors}[revoked]\n"blake3:${'a'.repeat(64)}" = { none = 1 }`, $defs.revokedBundle.properties],
    ]
    for (const [text, properties] of places) {
      const known = /none is not a key here; known are ([^\n]*)$/.exec(
        policySource(text).problems[0] ?? '',
      )?.[1]
      assert.deepEqual(Object.keys(properties).sort(), known?.split(', ').sort(), text)
      assert.notDeepEqual(accepts(text), [])
    }
  })

  test('what the schema refuses, the reader refuses', () => {
    const parsed = parseToml('trust-policy.toml', Buffer.from(wide))
    const seed = 'document' in parsed ? parsed.document?.value : undefined
    let refused = 0
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), changes => {
        const value = changes.reduce(changed, seed)
        const said = saidBy(TRUST, value)
        if (said.length === 0) return
        refused++
        assert.notDeepEqual(policySource(stringify(value)).problems, [], said.join('\n'))
      }),
      { numRuns: 150 },
    )
    assert.ok(refused > 30)
  })
})
