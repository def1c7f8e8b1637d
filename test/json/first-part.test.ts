// The first part of reading JSON: what it accepts is what strict reading gives, and each of its conditions is needed by a text here.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { WORDS } from '../../scripts/torture/targets/words.ts'
import { acceptJson, parseJson } from '../../src/json/parse.ts'
import { PARSE_LIMITS } from '../../src/model/limits.ts'
import { ParseBudget } from '../../src/text/parse-budget.ts'
import { type FirstPart, holds, holdsAround } from '../support/first-parts.ts'
import { ROOT } from '../support/lint-fixtures.ts'
import { runs } from '../support/runs.ts'

const files = readdirSync(join(ROOT, 'fixtures'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.json'))
  .map(name => readFileSync(join(ROOT, 'fixtures', name), 'utf8'))
  .filter(text => text.length < 10_000 && parseJson('x', Buffer.from(text)).ok)

/** So many values are left of the budget. */
function partWith(values: number): FirstPart {
  const budget = () => {
    const made = new ParseBudget()
    made.takeValues(PARSE_LIMITS.allJsonValues - values)
    return made
  }
  return {
    name: 'JSON by counting',
    corpus: files,
    words: [...WORDS.tools, ...WORDS.schema, '":', ' :', '\\":', '"__proto__"', '"constructor"'],
    first(text) {
      const left = budget()
      const accepted = acceptJson(text, left)
      return accepted && { value: accepted.value, left: left.valuesLeft }
    },
    strict(text) {
      const left = budget()
      const parsed = parseJson('x', Buffer.from(text), left)
      return parsed.ok ? { value: parsed.document.value, left: left.valuesLeft } : undefined
    },
  }
}

const PART = partWith(PARSE_LIMITS.allJsonValues)

describe('plain JSON is accepted', () => {
  for (const text of [
    '{}',
    '[]',
    '0',
    '"a"',
    'null',
    ' {"a": 1,\n"b":[true,false,null,"x"],"c":{"a":1}} \n',
    '{"a":0.5,"b":-0.5,"c":1e3,"d":9007199254740991,"e":-9007199254740991,"f":-0,"g":1.0,"h":1e-400}',
    '{"a":"x: y","b":"\\"","c":"ü😀\\n"}',
    '{"constructor":1,"toString":2,"":3}',
    '['.repeat(64) + ']'.repeat(64),
    `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`,
    `"${' '.repeat(8 * 2 ** 20 - 2)}"`,
  ])
    test(text.slice(0, 60), () => assert.ok(holds(PART, text)))

  test('up to what is left of the budget', () => {
    for (const text of ['[1,2,3]', '{"a":{"b":[]},"c":1}', '[[],[[1]]]', '[ [ ] , { } ]']) {
      const values = PARSE_LIMITS.allJsonValues - (PART.first(text) as { left: number }).left
      assert.ok(holds(partWith(values), text), text)
      assert.equal(partWith(values - 1).first(text), undefined, text)
    }
  })

  test('an object with as many members as strict reading allows', () => {
    const members = Array.from({ length: PARSE_LIMITS.jsonMembers }, (_, index) => `"k${index}":0`)
    assert.ok(holds(PART, `{${members}}`))
    assert.equal(PART.first(`{${members},"one":0}`), undefined)
  })
})

describe('says nothing of', () => {
  for (const [what, text] of [
    ['a key that is there twice', '{"a":1,"a":2}'],
    ['one of them before a space', '{"a":1,"a" :2}'],
    ['one of them before a tab', '{"a":1,"a"\t:2}'],
    ['one of them before a line end', '{"a":1,"a"\n:2}'],
    ['one of them before a carriage return', '{"a":1,"a"\r:2}'],
    ['the first of them before a space', '{"a" :1,"a":2}'],
    ['twice, hidden by a text that ends like a key', '{"a":1,"a" :2,"b":"\\":"}'],
    ['twice, in an object that is in another one', '{"a":{"b":1,"b":2}}'],
    ['twice, in a list', '[[{"b":1,"b":2}]]'],
    ['twice, where another one has one more', '[{"a":1,"a":2},{"a":1,"b":2}]'],
    ['twice, escaped', '{"id":1,"\\u0069d":2}'],
    ['a key that would be a prototype', '{"__proto__":1}'],
    ['a key that would be a prototype, escaped', '{"__pr\\u006fto__":1}'],
    ['half a character', '["\\ud834"]'],
    ['an integer that is too large', '[9007199254740992]'],
    ['a negative one', '[-9007199254740992]'],
    ['one that is beyond every number', `[${'9'.repeat(400)}]`],
    ['a number that is too large to hold', '[1e400]'],
    ['65 levels of lists', '['.repeat(65) + ']'.repeat(65)],
    ['65 levels of objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
    ['what JSON.parse refuses', '[1,]'],
    ['nothing', ''],
    ['a text of more than 8 MiB', `"${' '.repeat(8 * 2 ** 20)}"`],
  ] as const)
    test(what, () => assert.equal(PART.first(text), undefined))
})

test('after a large text that only looked plain, the next one goes to the strict part', () => {
  for (const [text, mayBePlain] of [
    ['[1,]', true],
    ['{"a":1,"a":2}', true],
    [`["${' '.repeat(70_000)}",]`, false],
    [`{"a":"${' '.repeat(70_000)}","a":2}`, false],
    [`["${' '.repeat(70_000)}"]`, true],
  ] as const) {
    const budget = new ParseBudget()
    parseJson('x', Buffer.from(text), budget)
    assert.equal(budget.mayBePlain, mayBePlain, text.slice(0, 20))
    assert.ok(parseJson('x', Buffer.from('{"a":1}'), budget).ok)
  }
})

test('what is accepted, strict reading gives too: value, order of keys, and what is left of the budget', () => {
  const { plain, near } = holdsAround(PART, runs(20_000))
  assert.ok(plain >= 0.9 * PART.corpus.length, `${plain} of ${PART.corpus.length}`)
  assert.ok(near > runs(20_000) / 20, `${near} accepted`)
})

test('also where every object has a member of its prototype', () => {
  Object.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable: true, configurable: true })
  try {
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":1,"b" :2}',
      '{"a":1,"a":2,"a":3}',
      '[{},{}]',
      '{"polluted":1}',
    ]) {
      const accepted = PART.first(text) !== undefined
      if (accepted !== (text === '[{},{}]' || text === '{"polluted":1}')) throw new Error(text)
    }
  } finally {
    Reflect.deleteProperty(Object.prototype, 'polluted')
  }
})
