// The adapters of test/cases build rules: none of them can tell one case from another by its id.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Case, exampleOf } from '../cases/case.ts'

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

describe('what an adapter knows of the inputs', () => {
  const sources = readdirSync(ADAPTERS, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => [name, readFileSync(join(ADAPTERS, name), 'utf8')] as const)
  const inputs = new Set(allCases().flatMap(({ input, inputText }) => [...textsIn([input, inputText])]))

  test('no input is a key of a table, or compared with: its form decides', () => {
    assert.ok(inputs.size > 200, `${inputs.size} inputs`)
    // As adapters once had it.
    const [known = ''] = [...inputs].filter(text => /^[\w ]+ [\w ]+$/.test(text))
    assert.deepEqual(inputsIn(`const SAYS = { '${known}': 1 }`, inputs), [known])
    assert.deepEqual(inputsIn(`if (text === "${known}") return`, inputs), [known])
    assert.deepEqual(inputsIn(`['${known}', /x/],`, inputs), [known])
    assert.deepEqual(inputsIn(`send('${known}')`, inputs), [])
    const found = sources.flatMap(([name, source]) =>
      inputsIn(source, inputs).map(text => `${name}: ${text}`),
    )
    assert.deepEqual(found, [])
  })

  test('no expression looks into a document of several lines: what it states is read', () => {
    const documents = [...inputs].filter(text => text.trim().includes('\n'))
    assert.ok(documents.length > 10, `${documents.length} documents`)
    const manifest = '[agent]\nname = "a"\nversion = "1"\nkind = "anything"\n'
    const policy = '[capabilities]\nsecrets = ["a", 1]\n'
    const once = ['/^kind = "anything"$/m', '/^secrets = (?:"|\\[.*\\d)/m', '/^version = "\\d+"$/m']
    for (const expression of once)
      assert.deepEqual(lookingInto(`const OLD = ${expression}`, [manifest, policy]), [expression])
    const found = sources.flatMap(([name, source]) =>
      lookingInto(source, documents).map(expression => `${name}: ${expression}`),
    )
    assert.deepEqual(found, [])
  })
})

/** Texts with more than a word that are a key, the head of a pair, or compared with. */
function inputsIn(source: string, inputs: ReadonlySet<string>): string[] {
  const quoted = /(?:(===|!==|case)\s*)?(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")(\s*:|,\s*[/{[(])?/g
  return [...source.matchAll(quoted)]
    .filter(([, before, , , after]) => before !== undefined || after !== undefined)
    .map(([, , single, double]) => single ?? double ?? '')
    .filter(text => /\w\W+\w/.test(text) && inputs.has(text))
}

/** Expressions that find something in a document. Those that take a text apart (`g`) know nothing of it. */
function lookingInto(source: string, documents: readonly string[]): string[] {
  const literal = /(?<=[(,=[\s:])\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/g
  return [...source.matchAll(literal)].flatMap(([whole, pattern = '', flags = '']) => {
    if (!/^[imsuy]*$/.test(flags) || pattern.startsWith('/') || pattern.startsWith('*')) return []
    const expression = new RegExp(pattern, flags)
    return documents.some(text => expression.test(text)) ? whole : []
  })
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) yield* textsIn(part)
}

/** Ids of two words or more: a single word is also a word of the code. */
function caseIds(): Set<string> {
  return new Set(
    allCases()
      .map(({ id }) => id)
      .filter(id => /^[a-z0-9]+(?:-[a-z0-9]+)+$/i.test(id)),
  )
}

function allCases(): Case[] {
  const files = CASES.filter(existsSync).flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => /^(?:[a-z-]+|cases\/[a-z-]+|[a-z-]+\/cases)\.json$/.test(name))
      .map(name => join(folder, name)),
  )
  return files.flatMap(file => (JSON.parse(readFileSync(file, 'utf8')) as { cases?: Case[] }).cases ?? [])
}

function idsIn(source: string, ids: ReadonlySet<string>): string[] {
  return [...source.matchAll(/'([^'\n]+)'|"([^"\n]+)"/g)]
    .map(([, single, double]) => single ?? double ?? '')
    .filter(text => ids.has(text))
}
