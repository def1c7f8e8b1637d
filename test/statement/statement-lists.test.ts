// The list at the end of each page of the specification: its statements in order, each with the section that it is in; and how long a statement
// may be before it becomes a list.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { anchorOf } from '../support/citations.ts'
import { pageOf, statementList } from '../support/format-doc.ts'

const MOST_LISTED = 50
const MOST_IN_ONE = 500

const PAGES = readdirSync(join(import.meta.dirname, '../../docs/spec')).filter(name => name.endsWith('.md'))

/** `A-1 11-form`: each statement of a page, and the anchor of its section. */
function statementsOf(page: string): string[] {
  let section = ''
  return page.split('\n').flatMap(line => {
    const [, title] = /^#+ (.*)$/.exec(line) ?? []
    if (title !== undefined) section = anchorOf(title)
    const [, number] = /^\*\*([A-Z]-[0-9]+)\*\* /.exec(line) ?? []
    return number === undefined ? [] : [`${number} ${section}`]
  })
}

function listedIn(page: string): { readonly entry: string; readonly words: string }[] {
  const [, list = ''] = page.split('\n## Statements\n')
  const rows = list.split('\n').filter(line => line.startsWith('| ['))
  return rows.map(row => {
    const [, number = '', anchor = '', words = ''] =
      /^\| \[([^\]]+)\]\(#([^)]+)\) \| (.*) \|$/.exec(row) ?? []
    return { entry: `${number} ${anchor}`, words }
  })
}

describe('the list of statements', () => {
  test('is found, and so is the section of each statement', () => {
    const page =
      '# 1 A\n\n**A-1** b\n\n## 1.1 C\n\n**A-2** d\n\n## Statements\n\n| | |\n|---|---|\n| [A-1](#1-a) | e |\n'
    assert.deepEqual(statementsOf(page), ['A-1 1-a', 'A-2 11-c'])
    assert.deepEqual(listedIn(page), [{ entry: 'A-1 1-a', words: 'e' }])
  })
  for (const name of PAGES) {
    test(`of ${name} has each of its statements, in order`, () => {
      const page = pageOf(`spec/${name}`)
      const listed = listedIn(page)
      assert.deepEqual(
        listed.map(({ entry }) => entry),
        statementsOf(page),
      )
      for (const { entry, words } of listed)
        assert.ok(words !== '' && words.length <= MOST_LISTED, `${entry}: ${words}`)
    })
  }
})

test('a long statement is a list', () => {
  const parts = statementList().flatMap(({ number, words }) =>
    words.split(/ (?=- )/).map(part => [number, part] as const),
  )
  assert.ok(parts.length > 400)
  assert.deepEqual(
    parts.flatMap(([number, part]) => (part.length > MOST_IN_ONE ? [`${number}: ${part.length}`] : [])),
    [],
  )
})
