// The pictures of the README are what the demo shows today.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { pictures } from '../../scripts/pictures.ts'
import { rlpHere } from '../support/here.ts'
import { IN_CI } from '../support/runs.ts'

/** In this process, whose home the folder is. */
const here: typeof rlpHere = (args, where) => {
  process.env['HOME'] = where.cwd
  return rlpHere(args, where)
}

// In .ci/run by the program that was built.
test('the pictures are those of the demo, and the README shows them', async () => {
  const readme = readFileSync('README.md', 'utf8')
  for (const [name, text] of await (IN_CI ? pictures() : pictures(here))) {
    assert.equal(
      readFileSync(`docs/pictures/${name}`, 'utf8'),
      text,
      `${name}: npm run pictures writes it anew`,
    )
    assert.ok(readme.includes(`(docs/pictures/${name})`), name)
    // Showing it runs nothing and asks for nothing.
    assert.doesNotMatch(text, /<script|\bon[a-z]+=|href=|url\(/)
    assert.deepEqual(unclosed(text), [])
  }
})

/** Elements that are opened and not closed, in their order: an image that is no XML is not drawn. */
function unclosed(text: string): string[] {
  const open: string[] = []
  for (const [, end, name = '', own] of text.matchAll(/<(\/?)([a-zA-Z]+[0-9]?)(?:[^<>]*?)(\/?)>/g)) {
    if (end === '/') assert.equal(open.pop(), name)
    else if (own !== '/') open.push(name)
  }
  return open
}
