// The words that make a sentence hard to read → how often each area of the repository uses them, which may only become less.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

/** Where the words are counted: comments and messages of code, and pages as they are. */
const AREAS = ['src', 'test', 'scripts', 'pages'] as const

/** Word → the most uses in each area. Lower a number when a use goes; never raise one. */
const ALLOWED: Readonly<Record<string, readonly [word: RegExp, ...most: [number, number, number, number]]>> =
  {
    whoever: [/\bwhoever\b/gi, 0, 18, 0, 0],
    nobody: [/\bnobody\b(?!')/gi, 0, 66, 0, 0],
    somebody: [/\bsomebody\b/gi, 0, 27, 0, 0],
    stands: [/\bstands?\b(?! for\b)/gi, 0, 76, 0, 0],
    'is none': [/(?<!\bthere )\b(?:is|are) none\b(?! of\b)/gi, 0, 52, 0, 0],
    lies: [/\blies\b/gi, 0, 18, 0, 0],
    bears: [/\bbears?\b/gi, 0, 3, 0, 0],
    'a page that is not in the repository': [/\bDESIGN\b|\bsystems reference\b|\bseed 00\d\b/g, 0, 58, 0, 0],
  }

/** It quotes the words. */
const THIS = 'test/product/language.test.ts'

/** Values and names that are no prose. */
const NOT_PROSE = /'nobody'|as-it-stands|nobody_to_ask/g

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

  for (const [name, [word, ...most]] of Object.entries(ALLOWED))
    for (const [index, area] of AREAS.entries())
      test(`${name} in ${area}: at most ${most[index]}`, () => {
        const files = prose[index] ?? []
        assert.ok(files.length > 10)
        const uses = files.flatMap(({ path, text }) => Array.from(text.matchAll(word), () => path))
        assert.ok(uses.length <= (most[index] ?? 0), `${uses.length} uses of "${name}": ${uses.join(', ')}`)
      })
})
