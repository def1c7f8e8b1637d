// The lint rules against their fixtures, both ways: no rule without a case it fires on, no fixture that fires anything else.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Linted, RULES_DOC, rulesDoc } from '../../scripts/rules-doc.ts'
import { read } from '../../src/agent/read-agent.ts'
import { outline } from '../../src/agent/read-in-turns.ts'
import { archiveOrder } from '../../src/bundle/archive.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { readTree } from '../../src/io/read/read-tree.ts'
import { CONTENT_RULES } from '../../src/lint/generated/contents.ts'
import { OUTLINE_RULES } from '../../src/lint/generated/outline.ts'
import { SOURCE_RULES } from '../../src/lint/generated/source.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { RULE_FAMILIES, stepFor, UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { Candidate } from '../../src/model/bundle.ts'
import type { Files } from '../../src/model/files.ts'
import type { Finding } from '../../src/model/finding.ts'
import { pathClashes, pathProblem } from '../../src/text/path.ts'
import { load } from '../../src/verify/load.ts'
import { verify } from '../../src/verify/verify.ts'
import { archive, entry } from '../support/archive.ts'
import {
  findingLine,
  LINT_FIXTURES,
  lintFixtureIds,
  lintPlaced,
  type Placed,
  placeLintFixture,
  placeValidFixture,
  ROOT,
  readExpectation,
  readPlaced,
  VALID_FIXTURES,
  validFixtureNames,
} from '../support/lint-fixtures.ts'
import { memoryFiles } from '../support/memory.ts'
import { updateFixtures } from '../support/update-fixtures.ts'

before(async () => {
  if (process.env['UPDATE_GOLDEN'] === '1') await updateFixtures()
})

describe('the lists of rules', () => {
  test('hold every file in src/lint/rules/<family>/, each under the id that its path is', () => {
    const base = join(ROOT, 'src/lint/rules')
    const families = readdirSync(base, { withFileTypes: true }).filter(entry => entry.isDirectory())
    const found: string[] = []
    for (const { name: family } of families) {
      for (const file of readdirSync(join(base, family))) {
        const id = `${family}/${file.replace(/\.ts$/, '')}`
        // As text: to import them one by one would cut the sources into a hundred files for every test of lint.
        const stated = readFileSync(join(base, family, file), 'utf8').matchAll(/\bid: '([^']*)'/g)
        assert.deepEqual(
          [...stated].map(([, stated]) => stated),
          [id],
        )
        found.push(id)
      }
    }
    const ids = RULES.map(({ id }) => id).sort()
    assert.deepEqual(ids, found.sort(), 'npm run generate makes the lists anew')
  })

  test('have each rule in the list of its scope and its step', () => {
    for (const { id, scope } of SOURCE_RULES) assert.equal(scope, 'source', id)
    for (const { id, scope, step } of CONTENT_RULES)
      assert.deepEqual([scope, step], ['bundle', 'schemas'], id)
    for (const { id, scope, step } of OUTLINE_RULES) {
      assert.equal(scope, 'bundle', id)
      assert.notEqual(step, 'schemas', id)
    }
  })

  test('name each rule once, in the order of families and of names', () => {
    const ids = RULES.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    const families = ids.map(id => id.split('/')[0])
    const runs = families.filter((family, index) => family !== families[index - 1])
    assert.deepEqual(runs, RULE_FAMILIES)
    for (const family of RULE_FAMILIES) {
      const names = ids.filter(id => id.startsWith(`${family}/`))
      assert.deepEqual(names, names.toSorted())
    }
  })

  for (const { id, summary, why, fix } of RULES) {
    test(`${id} says what is wrong, why, and what to do`, () => {
      assert.match(summary, /^.{10,89}$/, 'summary: one line below 90 characters')
      assert.doesNotMatch(summary, /\.$/, 'summary: no full stop')
      assert.match(why, /^[A-Z0-9[].{20,}[.?]$/s, 'why: sentences')
      assert.match(fix, /^[A-Z].{5,}\.$/s, 'fix: sentences')
    })
  }
})

test('every rule has a fixture, and every fixture a rule', () => {
  const ids = new Set<string>(RULES.map(({ id }) => id))
  const fixtures = new Set(lintFixtureIds())
  const missing = [...ids].filter(id => !fixtures.has(id))
  const left = [...fixtures].filter(id => !ids.has(id))
  assert.deepEqual(
    [
      ...missing.map(
        id =>
          `create ${LINT_FIXTURES}/${id}/: agent/, which breaks this one rule, and expect.txt, which says so`,
      ),
      ...left.map(id => `remove ${LINT_FIXTURES}/${id}/, or register the rule ${id}`),
    ],
    [],
  )
})

const BY_ID = new Map<string, (typeof RULES)[number]>(RULES.map(rule => [rule.id, rule]))
for (const id of lintFixtureIds()) {
  const rule = BY_ID.get(id)
  if (rule !== undefined) describe(`${LINT_FIXTURES}/${id}`, () => fixture(id, rule))
}

/** By rule: docs/rules.md shows what is found below. */
const linted = new Map<string, Linted>()

function fixture(id: string, rule: (typeof RULES)[number]): void {
  const expected = readExpectation(id)
  const isSparse = expected.made.some(({ kind }) => kind === 'sparse')
  let placed: Placed
  let agent: Agent
  let findings: Finding[]
  before(async () => {
    placed = await placeLintFixture(id)
    ;({ agent, findings } = await lintPlaced(placed, isSparse ? 'held' : 'all', id))
    linted.set(id, { agent, findings })
  })
  after(() => placed.remove())

  test('fires exactly this', () => {
    assert.deepEqual(findings.map(findingLine), expected.findings)
    for (const line of expected.findings) assert.ok(line.startsWith(`${rule.severity} ${id} `), line)
  })

  test('points at a place that exists, in words that end without a full stop', () => {
    for (const finding of findings) {
      assertPlace(agent, finding)
      assert.match(finding.message, /^\S.*[^.\s]$/s)
      assert.match(finding.fix, /^[A-Z].*[^.\s]$/s)
    }
  })

  if (rule.scope === 'bundle' && rule.severity === 'error') {
    test(`makes a bundle ${expected.verdict}`, async () => {
      const files = await filesOf(placed)
      for (const keep of ['parsed', 'all'] as const) {
        const bundle = await outline(await candidateOf(placed, files, keep))
        const { report } = await verify(bundle, { expect: 'any', allowUnsigned: true })
        assert.equal(report.verdict, expected.verdict, keep)
        assert.deepEqual([...reasonCodes(report)], [id], keep)
        // Without the flag the contents of an unsigned bundle are not examined.
        const [finding] = report.findings
        const isContent: boolean = finding !== undefined && stepFor(rule, finding.file) === 'schemas'
        const strict = (await verify(bundle, { expect: 'any' })).report
        assert.equal(strict.verdict, isContent ? 'unsigned' : expected.verdict, keep)
        assert.equal(reasonCodes(strict).has(id), !isContent, keep)
      }
    })
  } else if (!isSparse) {
    test('is advice to an author and no reason for a verdict', async () => {
      const { report } = await verify(
        await outline(await candidateOf(placed, await filesOf(placed), 'parsed')),
        {
          expect: 'any',
        },
      )
      assert.equal(reasonCodes(report).has(id), false)
    })
  }
}

test('docs/rules.md is what the registry and the fixtures say', async () => {
  const missing = RULES.map(({ id }) => id).filter(id => !lintFixtureIds().includes(id))
  assert.deepEqual(missing, [], 'the page has an example for every rule')
  const committed = existsSync(join(ROOT, RULES_DOC)) ? readFileSync(join(ROOT, RULES_DOC), 'utf8') : ''
  const made = await rulesDoc(id => linted.get(id))
  assert.equal(committed, made, 'run npm run docs, read what changed, and commit docs/rules.md')
})

describe('a valid agent', () => {
  for (const name of validFixtureNames()) {
    test(`${VALID_FIXTURES}/${name} fires nothing and verifies`, async () => {
      const placed = await placeValidFixture(name)
      try {
        const agent = await readPlaced(placed, 'all')
        assert.deepEqual(lintAgent(agent, UNPREPARED).map(findingLine), [])
        const files = await readTree(placed.path, placed.label, { as: 'source', digest: 'all', hold: 'all' })
        for (const { path } of agent.manifest?.entries ?? []) {
          const bytes = files.get(path)?.content
          if (path.endsWith('.wasm')) assert.ok(WebAssembly.validate(bytes ?? new Uint8Array()), path)
        }
        const candidate = await archiveOf(files, 'all')
        const { report, bundle } = await verify(await outline(candidate), {
          expect: 'any',
          allowUnsigned: true,
        })
        assert.equal(report.verdict, 'unsigned')
        assert.deepEqual([...reasonCodes(report)], [])
        assert.ok(bundle, 'the sound and unsigned bundle was refused')
        assert.deepEqual(load(bundle).denied, [])
      } finally {
        await placed.remove()
      }
    })
  }

  test('is there in every form that a manifest may have', () => {
    const names = ['every-transport', 'minimal', 'native-shim', 'top-level-entry', 'variant']
    assert.deepEqual(
      validFixtureNames().filter(name => names.includes(name)),
      names,
    )
    const crlf = readFileSync(join(ROOT, VALID_FIXTURES, 'top-level-entry/manifest.toml'), 'utf8')
    assert.match(crlf, /^entry_wasm = .*\r\n/m)
    assert.doesNotMatch(
      crlf,
      /[^\r]\n/,
      'a checkout has changed the line endings: see fixtures/.gitattributes',
    )
  })
})

test('findings are in the order of file, place, rule and message, whatever the order of rules', () => {
  const agent = read(
    memoryFiles({
      'README.md': '',
      'manifest.toml':
        '[agent]\nversion = "1"\nkind = "native-shim"\nentry_wasm = { path = "../a" }\nname = "Z"\n',
      'policy.caps': '[capabilities]\ntime = "now"\nfs = "x"\nnets = []\n',
      'tools.json': '{ "version": 1, "tools": [{ "id": "" }, { "id": "b" }] }',
      'schemas/a.json': '{ "a": 1, "a": 2 }',
    }),
    'z',
  )
  const findings = lintAgent(agent, UNPREPARED)
  const files = [...new Set(findings.map(({ file }) => file))]
  assert.deepEqual(files, ['manifest.toml', 'policy.caps', 'schemas/a.json', 'tools.json'])
  const keys = findings.map(({ file, line, column, rule, message }) =>
    [file, String(line).padStart(4, '0'), String(column).padStart(4, '0'), rule, message].join('\0'),
  )
  assert.ok(keys.length > 12, `only ${keys.length} findings`)
  assert.deepEqual(keys, [...keys].sort())
  assert.deepEqual(lintAgent(agent, UNPREPARED, [...RULES].reverse()), findings)
})

/** Line and column, and the end where there is one, lie within the file as it was read. */
function assertPlace(agent: Agent, finding: Finding): void {
  const { file, line, column, endLine, endColumn } = finding
  const text = agent.documents.get(file)?.text ?? agent.unreadable.find(({ path }) => path === file)?.text
  const lines = (text ?? '').split('\n')
  const isInside = (line: number, column: number) =>
    line >= 1 && line <= lines.length && column >= 1 && column <= (lines[line - 1] ?? '').length + 1
  assert.ok(isInside(line, column), `${file} has no place ${line}:${column}`)
  assert.equal(endLine === undefined, endColumn === undefined)
  if (endLine === undefined || endColumn === undefined) return
  assert.ok(isInside(endLine, endColumn), `${file} has no place ${endLine}:${endColumn}`)
  assert.ok(endLine > line || (endLine === line && endColumn >= column), 'the end is before the start')
}

/** What speaks against the bundle beside its missing signature. `not_canonical` says the same as the rules on files. */
function reasonCodes({ reasons }: { reasons: readonly { code: string }[] }): Set<string> {
  return new Set(
    reasons.map(({ code }) => code).filter(code => !['no_signature', 'not_canonical'].includes(code)),
  )
}

function filesOf({ path, label }: Placed): Promise<Files> {
  return readTree(path, label, { as: 'source', digest: 'all', hold: 'all' })
}

/** The placed files as a bundle: an archive, or where no archive can hold them the folder as it is. */
async function candidateOf({ path }: Placed, files: Files, keep: 'parsed' | 'all'): Promise<Candidate> {
  const paths = files.list.map(({ path }) => path)
  const isArchivable =
    paths.every(path => pathProblem(path) === undefined) &&
    pathClashes(paths).length === 0 &&
    files.oddities.every(({ what }) => what !== 'link' && what !== 'special')
  return isArchivable ? archiveOf(files, keep) : readBundle(path, { keep })
}

async function archiveOf({ list }: Files, keep: 'parsed' | 'all'): Promise<Candidate> {
  const sorted = [...list].sort((a, b) => archiveOrder(a.path, b.path))
  const entries = sorted.map(({ path, content }) => entry(path, content ?? new Uint8Array()))
  return readBundle(archive(...entries), { keep })
}
