// The table of reason codes against everything that has to know a code: the page of verdicts, the specification, and what produces it. A
// code that is new or renamed fails here with its name and what it lacks.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { RULES as LINT_RULES } from '../../src/lint/rules/index.ts'
import { REASON_CODES, type ReasonCode, type VerdictAgainst } from '../../src/model/reason-codes.ts'
import { tableUnder } from '../support/format-doc.ts'
import { CASES } from '../support/verdict-fixtures.ts'

const ROOT = join(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const PAGE = text('docs/verdicts.md')
const SPEC = readdirSync(join(ROOT, 'docs/spec'))
  .filter(name => name.endsWith('.md'))
  .map(name => text(`docs/spec/${name}`))
  .join('\n')

/** Codes that are no other reader's matter, and the file of the test that has each as its answer. */
const OURS: Readonly<Partial<Record<ReasonCode, string>>> = {
  override_unusable: 'overrides',
  signature_required: 'trust-docs',
  timed_out: 'deadlines',
  unreachable: 'fleet',
  listing_incomplete: 'prefixes',
  link_not_followed: 'fleet-folders',
  too_many_entries: 'fleet-folders',
  worker_died: 'fleet',
  internal_error: 'gate',
  bad_question: 'gate',
  out_of_time: 'gate',
  no_bytes: 'gate',
  not_recorded: 'audit',
  more: 'gate',
}

const TABLE = Object.entries(REASON_CODES).flatMap(([verdict, codes]) =>
  codes.map(code => [verdict as VerdictAgainst, code] as const),
)
const CODES: readonly ReasonCode[] = [...TABLE.map(([, code]) => code), 'more']
const RULES = new Set<string>(LINT_RULES.filter(({ scope }) => scope === 'bundle').map(({ id }) => id))

test('a code is in the table once', () => {
  assert.deepEqual([...new Set(CODES)], CODES)
  assert.ok(CODES.length > 30)
})

/** Rows of the page: a verdict in the first cell holds for those below it. */
function rows(): { readonly verdict: string; readonly codes: readonly string[] }[] {
  const section = PAGE.split('\n## Codes\n')[1]?.split('\n## ')[0] ?? ''
  let verdict = ''
  return section
    .split('\n')
    .filter(line => line.startsWith('| '))
    .slice(1)
    .map(line => {
      const [, first = '', second = ''] = line.split('|').map(cell => cell.trim())
      if (first !== '') verdict = first.replaceAll('`', '')
      return { verdict, codes: [...second.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code) }
    })
}

describe('docs/verdicts.md', () => {
  test('has each code under its verdict, in the order of the table', () => {
    const found = rows().flatMap(({ verdict, codes }) =>
      codes.flatMap(code => (code.includes('/') ? [] : [`${verdict} ${code}`])),
    )
    assert.deepEqual(
      found,
      TABLE.map(([verdict, code]) => `${verdict} ${code}`),
    )
    assert.ok(PAGE.includes('`more`'))
  })

  test('names no rule that is not one of a bundle', () => {
    const named = rows().flatMap(({ codes }) => codes.filter(code => code.includes('/')))
    assert.ok(named.length > 0)
    assert.deepEqual(
      named.filter(id => !RULES.has(id)),
      [],
    )
  })
})

test('docs/gate.md names codes of the table', () => {
  const section = text('docs/gate.md').split('| code | meaning |\n')[1]?.split('\n\n')[0] ?? ''
  const named = [...section.matchAll(/^\| `([a-z_]+)`/gm)].map(([, code = '']) => code)
  assert.ok(named.length > 4)
  assert.deepEqual(
    named.filter(code => !CODES.includes(code as ReasonCode)),
    [],
  )
})

describe('the specification', () => {
  test('names each code that every reader gives, and none of the others', () => {
    const unlike = CODES.filter(code => SPEC.includes(`\`${code}\``) === code in OURS)
    assert.deepEqual(unlike, [])
  })
})

describe('what produces a code', () => {
  // conformance.test.ts compares this table with the vectors: it has the verdict and the code of each of them, and no others.
  const vectors = tableUnder(text('docs/spec/codes.md'), '# 17 The codes').map(
    ([code = '', verdict = '']) => ({
      id: 'docs/spec/codes.md',
      verdict: verdict.replaceAll('`', ''),
      code: code.replaceAll('`', ''),
    }),
  )
  const produced = [
    ...vectors,
    ...CASES.flatMap(({ id, reason }) =>
      reason === undefined ? [] : [{ id, verdict: id.split('/')[0] ?? '', code: reason }],
    ),
  ]

  test('gives it with its verdict', () => {
    const isKnown = (verdict: string, code: string) =>
      RULES.has(code)
        ? verdict === 'invalid' || verdict === 'indeterminate'
        : TABLE.some(([word, one]) => word === verdict && one === code)
    assert.deepEqual(
      produced.filter(({ verdict, code }) => !isKnown(verdict, code)).map(({ id, code }) => `${id}: ${code}`),
      [],
    )
  })

  test('is a vector for each code of the specification', () => {
    assert.ok(vectors.length > 50)
    const seen = new Set(produced.map(({ code }) => code))
    assert.deepEqual(
      CODES.filter(code => !(code in OURS) && !seen.has(code)),
      [],
    )
  })

  test('is the named test for each of the others', () => {
    const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    for (const [code, name] of Object.entries(OURS)) {
      const paths = tests.filter(path => basename(path) === `${name}.test.ts`)
      const isAsked = (path: string) => new RegExp(`['\` ]${code}['\`]`).test(text(`test/${path}`))
      assert.ok(paths.some(isAsked), `test/…/${name}.test.ts asks for no ${code}`)
    }
  })
})
