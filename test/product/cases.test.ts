// Every executable example of the systems we speak to: the shared ones, the later ones in next/ and, in our own words, those in
// fixtures/. A file, a kind or a case that nothing checks fails.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { checks as agentTool } from '../cases/agent-tool.ts'
import { checks as agentcli } from '../cases/agentcli.ts'
import { type Case, type Checks, exampleOf, expectedOf } from '../cases/case.ts'
import { checks as mapping } from '../cases/mapping.ts'
import { checks as osaurus } from '../cases/osaurus.ts'
import { checks as runloop } from '../cases/runloop.ts'

const SHARED = join(import.meta.dirname, '../../../shared/cases')
const NEXT = join(SHARED, 'next')
const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** System → its checks. Its files are <system>.json in ../shared/cases, its next/ and fixtures/cases, and fixtures/<system>/cases.json. */
const SYSTEMS: Readonly<Record<string, Checks>> = {
  agentcli,
  'agent-tool': agentTool,
  mapping,
  osaurus,
  runloop,
}

/** Systems of which a case in next/ or fixtures/cases still fails. The line goes when the last one passes. */
const OPEN: readonly string[] = []

describe('our own cases', () => {
  for (const [system, checks] of Object.entries(SYSTEMS)) {
    for (const name of [`${system}/cases.json`, `cases/${system}.json`]) {
      const path = join(FIXTURES, name)
      const todo = name.startsWith('cases/') && OPEN.includes(system)
      if (existsSync(path)) walk(`fixtures/${name}`, readCases(path), checks, { todo })
    }
  }
})

describe('shared cases', { skip: existsSync(SHARED) ? false : 'the shared cases are not here' }, () => {
  const files = existsSync(SHARED) ? readdirSync(SHARED).filter(name => name.endsWith('.json')) : []
  test('every file has its checks', () => {
    assert.deepEqual(
      files.sort(),
      Object.keys(SYSTEMS)
        .map(system => `${system}.json`)
        .sort(),
    )
  })
  for (const file of files) {
    const checks = SYSTEMS[file.replace('.json', '')]
    if (checks !== undefined) walk(file, readCases(join(SHARED, file)), checks, { isWhole: true })
  }
})

describe('shared cases, next', { skip: existsSync(NEXT) ? false : 'the shared cases are not here' }, () => {
  const files = existsSync(NEXT) ? readdirSync(NEXT) : []
  test('every file is about a system', () => {
    assert.ok(files.length > 0)
    assert.deepEqual(
      files.filter(file => !Object.hasOwn(SYSTEMS, file.replace('.json', ''))),
      [],
    )
  })
  for (const file of files) {
    const system = file.replace('.json', '')
    const checks = SYSTEMS[system]
    if (checks !== undefined)
      walk(`next/${file}`, readCases(join(NEXT, file)), checks, { todo: OPEN.includes(system) })
  }
})

interface Walk {
  /** The file holds every case of its system, so that a reason without a case is stale. */
  readonly isWhole?: boolean
  /** A case may still fail. */
  readonly todo?: boolean
}

/** One test for each kind, with one for each case inside. */
function walk(file: string, cases: readonly Case[], checks: Checks, { isWhole, todo }: Walk = {}): void {
  const kinds = [...new Set(cases.map(({ kind }) => kind))]
  test(`${file}: every kind has its check`, () => {
    assert.ok(cases.length > 0)
    assert.deepEqual(
      kinds.filter(kind => !Object.hasOwn(checks, kind)),
      [],
    )
  })
  for (const kind of kinds) {
    const check = Object.hasOwn(checks, kind) ? checks[kind] : undefined
    if (check === undefined) continue
    const entries = cases.filter(entry => entry.kind === kind)
    test(`${file}: ${kind}`, async t => {
      for (const entry of entries) {
        const example = exampleOf(entry)
        const skip = check.leftOut?.(example) ?? false
        await t.test(entry.id, { skip, todo }, () => {
          assert.ok(check.run, 'a kind without a check has a reason for all of its cases')
          return check.run(example, expectedOf(example))
        })
      }
      const reasons = entries.flatMap(entry => check.leftOut?.(exampleOf(entry)) ?? [])
      if (isWhole && check.leftOut) assert.ok(reasons.length > 0, 'a reason for cases that are not there')
      const skipped =
        reasons.length === 0 ? '' : `, ${reasons.length} skipped (${[...new Set(reasons)].join('; ')})`
      t.diagnostic(`${file} ${kind}: ${entries.length - reasons.length} checked${skipped}`)
    })
  }
}

/** The tables of a file without cases are cases themselves: the row is input and expectation. */
function readCases(path: string): Case[] {
  const { cases, columns, ...tables } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly cases?: Case[]
    readonly columns?: unknown
  } & Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  if (cases !== undefined) return cases
  return Object.entries(tables).flatMap(([kind, rows]) =>
    rows.map((row, index) => ({ id: `${index} ${Object.values(row)[0]}`, kind, input: row, expect: row })),
  )
}
