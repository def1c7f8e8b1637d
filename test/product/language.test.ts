// The words that make a sentence hard to read → how often src/ uses each, which may only become less.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

/** Word → the most uses in comments and messages of src/. Lower a number when a use goes; never raise one. */
const ALLOWED: Readonly<Record<string, readonly [word: RegExp, most: number]>> = {
  whoever: [/\bwhoever\b/gi, 3],
  nobody: [/\bnobody\b(?!')/gi, 18],
  somebody: [/\bsomebody\b/gi, 12],
  stands: [/\bstands?\b(?! for\b)/gi, 20],
  'is none': [/(?<!\bthere )\b(?:is|are) none\b(?! of\b)/gi, 5],
  lies: [/\blies\b/gi, 0],
  bears: [/\bbears?\b/gi, 0],
  'a page that is not in the repository': [/\bDESIGN\b|\bsystems reference\b|\bseed 00\d\b/g, 8],
}

/** Values and names that are no prose. */
const NOT_PROSE = /'nobody'|as-it-stands|nobody_to_ask/g

const FILES = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  path => path.endsWith('.ts') && !path.includes('generated'),
)

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
  const prose = FILES.map(path => ({ path, text: proseOf(readFileSync(join('src', path), 'utf8')) }))

  test('the test sees comments and messages, and no code', () => {
    const seen = proseOf("// whoever\nconst nobody = stands('is none') // lies\n/** bears */")
    assert.match(seen, /whoever.*is none.*lies.*bears/s)
    assert.doesNotMatch(seen, /nobody|stands/)
  })

  for (const [name, [word, most]] of Object.entries(ALLOWED))
    test(`${name}: at most ${most}`, () => {
      const uses = prose.flatMap(({ path, text }) => Array.from(text.matchAll(word), () => path))
      assert.ok(uses.length <= most, `${uses.length} uses of "${name}": ${uses.join(', ')}`)
    })
})
