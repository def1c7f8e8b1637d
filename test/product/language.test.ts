// The words that make a sentence hard to read: no comment, message or page has one (CONTRIBUTING.md, "How we write").
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

/** Where the words are looked for: comments and messages of code, and pages as they are. */
const AREAS = ['src', 'test', 'scripts', 'pages'] as const

const WORDS: Readonly<Record<string, RegExp>> = {
  whoever: /\bwhoever\b/gi,
  nobody: /\bnobody\b(?!')/gi,
  somebody: /\bsomebody\b/gi,
  stands: /\bstands?\b(?! for\b)/gi,
  'is none': /(?<!\bthere )\b(?:is|are) none\b(?! of\b)/gi,
  lies: /\blies\b/gi,
  bears: /\bbears?\b/gi,
  'a page that is not in the repository': /\bDESIGN\b|\bsystems reference\b|\bseed 00\d\b/g,
}

/** It quotes the words. */
const THIS = 'test/product/language.test.ts'

/** Values and names that are no prose. */
const NOT_PROSE = /['"]nobody['"]|'somebody'|as-it-stands|key-id-lies|nobody_to_ask/g

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => ending.test(path) && !path.includes('generated'))
    .map(path => join(folder, path))
}

/** What people read. The texts of docs/rules.md are those of the rules. */
const PAGES = [...filesIn('docs', /\.md$/), ...filesIn('schemas', /\.json$/), 'README.md', 'CONTRIBUTING.md']

/** Comments whole, of code only what is in quotes. */
function proseOf(text: string): string {
  return text
    .replace(NOT_PROSE, '')
    .split('\n')
    .map(line =>
      /^\s*(?:\/\/|\/?\*)/.test(line)
        ? line
        : [...line.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`?|\s\/\/\s.*$/g)].join(' '),
    )
    .join('\n')
}

describe('the language of comments and messages', () => {
  const prose = AREAS.map(area =>
    area === 'pages'
      ? PAGES.map(path => ({ path, text: readFileSync(path, 'utf8').replace(NOT_PROSE, '') }))
      : filesIn(area, /\.ts$/)
          .filter(path => path !== THIS)
          .map(path => ({ path, text: proseOf(readFileSync(path, 'utf8')) })),
  )

  test('the test sees comments and messages, and no code', () => {
    const seen = proseOf("// whoever\nconst nobody = stands('is none') // lies\n/** bears */")
    assert.match(seen, /whoever.*is none.*lies.*bears/s)
    assert.doesNotMatch(seen, /nobody|stands/)
  })

  for (const [name, word] of Object.entries(WORDS))
    for (const [index, area] of AREAS.entries())
      test(`${name}: not in ${area}`, () => {
        const files = prose[index] ?? []
        assert.ok(files.length > 10)
        const uses = files.flatMap(({ path, text }) => Array.from(text.matchAll(word), () => path))
        assert.deepEqual(uses, [])
      })
})
