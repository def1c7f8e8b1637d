// Patterns that are followed all ways at once: they agree with the engine, and no text can slow them down.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { JsonSchema } from '../../src/model/tools.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { badPatterns } from '../../src/schema/pattern.ts'
import { matchPattern, type PatternMatch } from '../../src/text/match-pattern.ts'
import { compilePattern } from '../../src/text/pattern-program.ts'
import { PatternProblem } from '../../src/text/pattern-tree.ts'
import { among, runs, upTo } from '../support/runs.ts'

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
    { numRuns: runs(3_000), seed: 7 },
  )
  assert.ok(seen.found > among(500, 3000) && seen.missed > among(300, 3000), JSON.stringify(seen))
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
  const long = 'ab'.repeat(60_000)
  assert.deepEqual(matchPattern('^[a-z]+$', long), FOUND)
  assert.deepEqual(matchPattern('^[a-z]+$', `${long}!`), NOT_FOUND)
})

test('a pattern that is too large is refused also where the engine would be fast', () => {
  const nested = (count: number) => `${'('.repeat(count)}a${')'.repeat(count)}`
  const reasons = (pattern: string) => [...badPatterns({ pattern })].map(({ reason }) => reason)
  for (const pattern of [nested(100), 'a{19000}']) assert.deepEqual(reasons(pattern), [], pattern)
  assert.match(`${reasons(nested(101))}`, /groups are nested more than 100 deep$/)
  assert.match(`${reasons('a{200000}')}`, /it unfolds to more than 20000 steps$/)
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
  assert.deepEqual(matchPattern('(?=[^]*b)x|(?=a*c)', 'a'.repeat(50_000), { left: 1_000_000 }), {
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
  // Of 4,000 steps each: 200,000 steps are kept.
  for (let count = 0; count < 52; count++)
    assert.deepEqual(matchPattern(`^(x{${4_000 + count}})+$`, 'x'), NOT_FOUND)
  assert.deepEqual(matchPattern('^(x{4000})+$', 'x'.repeat(8_000)), FOUND)
})

test('a group of a kind that newer engines know is refused', () => {
  assert.throws(() => compilePattern('(?i:a)'), PatternProblem)
})

test('nothing, repeated without end, is nothing', () => {
  for (const source of ['^(?:){999999999}$', '^(?:(?:){99999999}){99999999}a$', '^(?:){999999999,}$'])
    assert.deepEqual(matchPattern(source, 'a'), source.includes('a$') ? FOUND : NOT_FOUND, source)
})

test('what is refused before it is used is what would not be followed', () => {
  const tried = upTo(75, 300)
  let refused = 0
  const counted = fc
    .array(
      fc.tuple(
        fc.constantFrom('a', '[ab]', '(?:)', '(?=a|b)', '(a|b)?', '|'),
        fc.integer({ min: 0, max: 30 }),
      ),
    )
    .map(parts =>
      parts.reduce((inner, [atom, count]) => `(?:${inner}${atom}){${count},${2 * count}}`, 'x{3}'),
    )
  fc.assert(
    fc.property(counted, source => {
      const [problem] = badPatterns({ pattern: source })
      const match = matchPattern(source, 'b')
      assert.equal(problem !== undefined, !match.decided && match.fault === 'pattern', source)
      if (problem !== undefined) refused++
    }),
    { numRuns: tried, seed: 3 },
  )
  assert.ok(refused > tried / 15 && refused < tried * 0.93, `${refused} of ${tried}`)
})

test('texts share what may be done where one budget is given', () => {
  const work = { left: 10_000 }
  assert.deepEqual(matchPattern('(a+)+$', 'a'.repeat(500), work), FOUND)
  assert.ok(work.left > 0 && work.left < 10_000)
  const tooLong = { decided: false, fault: 'text', why: 'the text is too long for it' }
  assert.deepEqual(matchPattern('^[a-z]+$', 'a'.repeat(50_000), work), tooLong)
})

test('a large count alone is left to the engine', () => {
  assert.deepEqual(matchPattern('^.{1,30000}$', 'x'.repeat(30_000)), FOUND)
  assert.deepEqual(matchPattern('^.{1,30000}$', 'x'.repeat(30_001)), NOT_FOUND)
})

describe('in a schema', () => {
  const judge = async (schema: JsonSchema, value: unknown) => {
    const compiled = await compileSchema(schema)
    assert.ok(compiled.ok, JSON.stringify(compiled))
    const violation = compiled.check(value)
    return violation?.message
  }

  test('patterns judge as the engine’s own would', async () => {
    const tried = upTo(50, 200)
    const seen = { found: 0, missed: 0 }
    const check = async (source: string, text: string) => {
      const found = engine(source)?.test(text)
      if (found === undefined) return
      seen[found ? 'found' : 'missed']++
      // The one says something of texts only, the other of objects only: both are compiled at once.
      const schema = { pattern: source, patternProperties: { [source]: false } }
      const compiled = await compileSchema(schema)
      assert.ok(compiled.ok, JSON.stringify(compiled))
      assert.equal(compiled.check(text) === undefined, found)
      assert.equal(compiled.check({ [text]: 1 }) === undefined, !found)
    }
    await fc.assert(fc.asyncProperty(pattern, text, check), { numRuns: tried, seed: 11 })
    assert.ok(seen.found > tried / 10 && seen.missed > tried / 20, JSON.stringify(seen))
  })

  test('two patterns are not taken for one', async () => {
    const schema = { allOf: [{ pattern: '(a)+$' }, { pattern: '(b)+$' }] }
    assert.equal(await judge(schema, 'ab'), 'The value must match (a)+$, found "ab"')
    assert.equal(await judge({ anyOf: schema.allOf }, 'ab'), undefined)
  })

  test('a text that is made to be slow is judged soon', async () => {
    const slow = `${'a'.repeat(50_000)}!`
    assert.match((await judge({ pattern: '^(a+)+$' }, slow)) ?? '', /^The value must match /)
    assert.equal(await judge({ pattern: '^(a+)+!$' }, slow), undefined)
    const keys: JsonSchema = { patternProperties: { '^(a+)+$': true }, additionalProperties: false }
    assert.match((await judge(keys, { [slow]: 1 })) ?? '', /is not a key of the value$/)
    assert.equal(await judge(keys, { [slow.slice(0, -1)]: 1 }), undefined)
  })

  test('where it would take too long nothing is guessed, under not as well', async () => {
    // Looking ahead costs as many steps as what is looked for has, at every place of the text: a short text uses up the budget.
    const costly = '(?=b{10000})x'
    const refused = /^A text in the value cannot be held against the pattern .*: the text is too long for it$/
    const text = 'a'.repeat(3_000)
    const schemas: JsonSchema[] = [
      { not: { pattern: costly } },
      { pattern: costly },
      { anyOf: [{ pattern: costly }, { minLength: 1 }] },
    ]
    for (const schema of schemas) assert.match((await judge(schema, text)) ?? '', refused)
    // One value has one budget, the next one a new one.
    const compiled = await compileSchema({ items: { pattern: `${costly}|d$` } })
    assert.ok(compiled.ok)
    const many = Array.from({ length: 200 }, () => `${'a'.repeat(15)}d`)
    assert.equal(compiled.check(many.slice(0, 20)), undefined)
    assert.match(compiled.check(many)?.message ?? '', refused)
    assert.equal(compiled.check(many.slice(0, 20)), undefined)
  })

  test('one that can only be tried is refused with the schema', async () => {
    const compiled = await compileSchema({ properties: { a: { pattern: '^(a|b)\\1$' } } })
    assert.deepEqual(compiled, {
      ok: false,
      problems: [
        {
          document: '',
          pointer: ['properties', 'a', 'pattern'],
          message:
            'The pattern "^(a|b)\\\\1$" cannot be followed in time that only grows with the text: it refers back to a group',
          fix: 'Correct the regular expression',
        },
      ],
    })
  })
})
