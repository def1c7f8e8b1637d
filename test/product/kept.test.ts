// Compares with the data in test/kept/, which must not change by accident: types, help, findings of lint, verdicts, sizes.
// UPDATE_GOLDEN=1 npm run test:only -- test/product/kept.test.ts writes the data anew and names the files it wrote.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Vector } from '../../fixtures/conformance/vector.ts'
import { ENTRIES } from '../../scripts/entries.ts'
import { temporary } from '../support/folder.ts'
import {
  assertKeptMutants,
  assertKeptRuleFindings,
  assertKeptVectorFindings,
  assertKeptVectors,
} from '../support/kept-answers.ts'
import { helpTexts } from '../support/kept-calls.ts'
import { assertKept, assertKeptLines, assertKeptTexts, IS_UPDATE } from '../support/kept-data.ts'
import { vectorsNow } from '../support/kept-judged.ts'
import { lintable, pathFindings, REAL } from '../support/kept-lint.ts'
import {
  differingNumbers,
  packageNumbers,
  startNumbers,
  warmLoadNumbers,
  writeNumbers,
} from '../support/kept-numbers.ts'
import { declaredBy } from '../support/kept-types.ts'
import { ROOT } from '../support/lint-fixtures.ts'

const folderFor = temporary('kept')

describe('the types of the package', () => {
  for (const [name, source] of Object.entries(ENTRIES)) {
    const path = source.replace(/^src\/(.*)\.ts$/, '$1')
    test(`${name}: its names and their declarations`, () => {
      const { exports, declarations } = declaredBy(`dist/types/${path}.d.ts`)
      assertKept(`types-${name}.txt`, `${exports.join('\n')}\n\n${declarations.join('\n')}\n`)
    })
    test(`${name}: modules have the declarations of CommonJS`, () => {
      const text = readFileSync(join(ROOT, `dist/library/${name}.d.ts`), 'utf8')
      assert.equal(text, `export * from '../types/${path}.js'\n`)
    })
  }
})

// every-command.test.ts compares what every call prints, because it makes the calls.
test('what --help prints', async () => {
  assertKeptTexts('help.txt', await helpTexts(folderFor('help')))
})

describe('the findings of lint', () => {
  test('of the fixtures of rules', assertKeptRuleFindings)
  test('of every other agent in fixtures/', async () => {
    const folder = join(ROOT, 'fixtures')
    const all = lintable(folder)
    assertKeptLines('lint-fixtures.txt', await pathFindings(folder, all), new Set(all))
  })
  test('of agents of other people', {
    skip: !existsSync(REAL) && 'they are not beside this checkout',
  }, async () => {
    const all = lintable(REAL)
    assertKeptLines('lint-real.txt', await pathFindings(REAL, all), new Set(all))
  })
})

describe('verdicts', () => {
  let made: readonly Vector[] | undefined
  const vectors = () => (made ??= vectorsNow())
  test('of the vectors of the conformance kit', () => assertKeptVectors(folderFor('kit'), vectors()))
  test('of signed mutants', assertKeptMutants)
  test('the findings of lint in the files of vectors', () => assertKeptVectorFindings(vectors()))
})

test('numbers: the package, starts, a warm load', async () => {
  const made = new Map([
    ...packageNumbers(),
    ...(await startNumbers(folderFor('start'))),
    ...warmLoadNumbers(),
  ])
  if (IS_UPDATE) writeNumbers(made)
  assert.deepEqual(differingNumbers(made), [], 'UPDATE_GOLDEN=1 writes test/kept/numbers.txt anew')
})
