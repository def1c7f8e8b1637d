// The adapters of test/cases build rules: none of them can tell one case from another by its id.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { exampleOf } from '../cases/case.ts'

const ADAPTERS = join(import.meta.dirname, '../cases')
const CASES = [
  join(import.meta.dirname, '../../../shared/cases'),
  join(import.meta.dirname, '../../../shared/cases/next'),
  join(import.meta.dirname, '../../fixtures'),
]

describe('adapters of cases', () => {
  test('an adapter is not given the id, nor where the case comes from', () => {
    const input = { text: 'x' }
    const seen = exampleOf({
      id: 'a-b',
      kind: 'k',
      source: 's',
      note: 'n',
      platform: 'windows',
      input,
      expect: 1,
    })
    assert.deepEqual(seen, { kind: 'k', platform: 'windows', input, expect: 1 })
  })

  test('no source of an adapter spells an id', () => {
    const ids = caseIds()
    assert.ok(ids.size > 100, `${ids.size} ids`)
    const [known = ''] = ids
    assert.deepEqual(idsIn(`const SAYS = { '${known}': /x/ }`, ids), [known])
    assert.deepEqual(idsIn(`if (id === "${known}") return`, ids), [known])
    const found = readdirSync(ADAPTERS, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .flatMap(name => idsIn(readFileSync(join(ADAPTERS, name), 'utf8'), ids).map(id => `${name}: ${id}`))
    assert.deepEqual(found, [])
  })
})

/** Ids of two words or more: a single word is also a word of the code. */
function caseIds(): Set<string> {
  const files = CASES.filter(existsSync).flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => /^(?:[a-z-]+|cases\/[a-z-]+|[a-z-]+\/cases)\.json$/.test(name))
      .map(name => join(folder, name)),
  )
  const cases = files.flatMap(
    file => (JSON.parse(readFileSync(file, 'utf8')) as { cases?: { id: string }[] }).cases ?? [],
  )
  return new Set(cases.map(({ id }) => id).filter(id => /^[a-z0-9]+(?:-[a-z0-9]+)+$/i.test(id)))
}

function idsIn(source: string, ids: ReadonlySet<string>): string[] {
  return [...source.matchAll(/'([^'\n]+)'|"([^"\n]+)"/g)]
    .map(([, single, double]) => single ?? double ?? '')
    .filter(text => ids.has(text))
}
