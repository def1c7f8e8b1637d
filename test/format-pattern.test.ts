// Patterns that are followed all ways at once: they agree with the engine, and no text can slow them down.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchPattern, type PatternMatch } from '../src/format/text/match-pattern.ts'
import { compilePattern } from '../src/format/text/pattern-program.ts'
import { PatternProblem } from '../src/format/text/pattern-tree.ts'

const FOUND: PatternMatch = { decided: true, found: true }
const NOT_FOUND: PatternMatch = { decided: true, found: false }

const ATOMS = [
  ...[
    'a',
    'b',
    '😀',
    '.',
    '^',
    '$',
    '\\b',
    '\\B',
    '\\d',
    '\\w',
    '\\W',
    '\\S',
    '[ab]',
    '[^a]',
    '[\\]a\\-]',
    '[^]',
    '[]',
  ],
  ...[
    '\\p{L}',
    '\\P{Lu}',
    '\\x61',
    '\\u0062',
    '\\u{1f600}',
    '\\ud83d\\ude00',
    '\\ud83d',
    '\\n',
    '\\cJ',
    '\\0',
    '\\/',
  ],
]
const { pattern } = fc.letrec<{ pattern: string; term: string }>(tie => ({
  pattern: fc
    .array(
      fc.array(tie('term'), { maxLength: 3 }).map(terms => terms.join('')),
      { minLength: 1, maxLength: 2 },
    )
    .map(choices => choices.join('|')),
  term: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(...ATOMS),
    fc
      .tuple(
        fc.constantFrom('a', '.', '[ab]', '\\w', '😀'),
        fc.constantFrom('*', '+', '?', '*?', '{2}', '{0,2}', '{1,}?'),
      )
      .map(parts => parts.join('')),
    fc
      .tuple(
        fc.constantFrom('(', '(?:', '(?<n>', '(?=', '(?!', '(?<=', '(?<!'),
        tie('pattern'),
        fc.constantFrom('', '*', '+', '?', '{2}', '{0}', '{1,2}', '{1,}'),
      )
      .map(([open, inner, repeat]) => `${open}${inner})${/[=!]$/.test(open) ? '' : repeat}`),
  ),
}))
const text = fc.string({
  unit: fc.constantFrom('a', 'b', '1', '_', '-', ' ', '\n', 'é', '😀', '\ud83d'),
  maxLength: 8,
})

test('it agrees with the engine', () => {
  const seen = { found: 0, missed: 0 }
  fc.assert(
    fc.property(pattern, text, (source, text) => {
      const expression = engine(source)
      if (expression === undefined) return
      const found = expression.test(text)
      seen[found ? 'found' : 'missed']++
      assert.deepEqual(matchPattern(source, text), found ? FOUND : NOT_FOUND)
    }),
    { numRuns: 3_000, seed: 7 },
  )
  assert.ok(seen.found > 500 && seen.missed > 300, JSON.stringify(seen))
})

function engine(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch (error) {
    // Two groups of one name.
    assert.ok(error instanceof SyntaxError)
    return undefined
  }
}

test('texts that are made to be slow are not', () => {
  const most = 'a'.repeat(20_000)
  for (const source of [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(a*)*b',
    '^(.*)*$|^a!$',
    'a*a*a*a*b',
    '^(?=(a+)+$)a',
  ]) {
    const plain = { text: `${most}!`, hit: source.startsWith('^(.*)*$') }
    assert.deepEqual(matchPattern(source, plain.text), plain.hit ? FOUND : NOT_FOUND, source)
  }
  assert.deepEqual(matchPattern('^(a+)+$', most), FOUND)
  assert.deepEqual(matchPattern('^[a-z0-9]+(?:-[a-z0-9]+)*$', `${'a-'.repeat(10_000)}-`), NOT_FOUND)
})

test('a plain pattern is followed in a text of any length', () => {
  // Longer than what is left to the engine.
  const long = 'ab'.repeat(150_000)
  assert.deepEqual(matchPattern('^[a-z]+$', long), FOUND)
  assert.deepEqual(matchPattern('^[a-z]+$', `${long}!`), NOT_FOUND)
})

test('what cannot be followed is said, and whose fault it is', () => {
  assert.deepEqual(matchPattern('^(a|b)\\1$', 'aa'), {
    decided: false,
    fault: 'pattern',
    why: 'it refers back to a group',
  })
  assert.deepEqual(matchPattern('(?<n>a)\\k<n>', 'aa'), {
    decided: false,
    fault: 'pattern',
    why: 'it refers back to a group',
  })
  assert.deepEqual(matchPattern('((a{200}){200}){200}', 'a'), {
    decided: false,
    fault: 'pattern',
    why: 'it unfolds to more than 20000 steps',
  })
  assert.deepEqual(matchPattern(`${'('.repeat(150)}a${')'.repeat(150)}*`, 'a'), {
    decided: false,
    fault: 'pattern',
    why: 'groups are nested more than 100 deep',
  })
  // Every place, and from every place to the end.
  assert.deepEqual(matchPattern('(?=[^]*b)x|(?=a*c)', 'a'.repeat(50_000), 1_000_000), {
    decided: false,
    fault: 'text',
    why: 'the text is too long for it',
  })
})

test('a counted repetition of some size is followed', () => {
  assert.deepEqual(matchPattern('^.{1,8000}$', 'x'.repeat(8_000)), FOUND)
  assert.deepEqual(matchPattern('^.{1,8000}$', 'x'.repeat(8_001)), NOT_FOUND)
})

test('more patterns than are kept', () => {
  for (let count = 0; count < 60; count++)
    assert.deepEqual(matchPattern(`^(x{${4_000 + count}})+$`, 'x'), NOT_FOUND)
  assert.deepEqual(matchPattern('^(x{4000})+$', 'x'.repeat(8_000)), FOUND)
})

test('a group of a kind that newer engines know is refused', () => {
  assert.throws(() => compilePattern('(?i:a)'), PatternProblem)
})
