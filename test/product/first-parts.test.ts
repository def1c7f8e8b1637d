// Judges and lints with all first parts switched off: the answers have to be those in test/kept/, which kept.test.ts compares with the program as
// it is.
import { before, describe, test } from 'node:test'
import { useFirstParts } from '../../src/model/first-parts.ts'
import { temporary } from '../support/folder.ts'
import { assertKeptCounts, assertKeptLines, IS_UPDATE, IS_WHOLE, tried } from '../support/kept-data.ts'
import {
  mutantNames,
  mutantReports,
  nameOf,
  type Reports,
  reportText,
  vectorReports,
  vectorsNow,
  verdictLines,
} from '../support/kept-judged.ts'
import { fixtureFindings, vectorFindings } from '../support/kept-lint.ts'
import { lintFixtureIds } from '../support/lint-fixtures.ts'

const folderFor = temporary('first-parts')

describe('without first parts', { skip: IS_UPDATE && 'kept.test.ts writes the data' }, () => {
  before(() => useFirstParts(false))
  const shownOf = (reports: Reports) => (name: string) =>
    `the report without first parts: ${reportText(reports.get(name) ?? null)}`

  test('the vectors of the conformance kit are judged alike', async () => {
    const vectors = vectorsNow()
    const reports = await vectorReports(folderFor('kit'), vectors)
    const all = IS_WHOLE ? new Set(vectors.map(nameOf)) : undefined
    assertKeptLines('verdicts-vectors.txt', verdictLines(reports), all, shownOf(reports))
    assertKeptCounts('lint-vectors.txt', await vectorFindings(vectors))
  })
  test('signed mutants are judged alike', async () => {
    const reports = await mutantReports(tried(mutantNames(), 40))
    assertKeptLines('verdicts-mutants.txt', verdictLines(reports), new Set(mutantNames()), shownOf(reports))
  })
  test('the fixtures of rules have the same findings', async () => {
    const all = lintFixtureIds()
    const made = await fixtureFindings(tried(all, 12, id => id.slice(0, id.indexOf('/'))))
    assertKeptLines('lint-rules.txt', made, new Set(all))
  })
})
