// Compares the answers of the program with those in test/kept/: verdicts, and the findings of lint. By day a slice is tried, in .ci/run everything.
import type { Vector } from '../../fixtures/conformance/vector.ts'
import { assertKeptCounts, assertKeptLines, IS_WHOLE, tried } from './kept-data.ts'
import {
  mutantNames,
  mutantReports,
  nameOf,
  type Reports,
  reportText,
  vectorReports,
  verdictLines,
} from './kept-judged.ts'
import { fixtureFindings, vectorFindings } from './kept-lint.ts'
import { lintFixtureIds } from './lint-fixtures.ts'

const shownOf = (reports: Reports) => (name: string) =>
  `the report now: ${reportText(reports.get(name) ?? null)}`

/** @param folder an empty one */
export async function assertKeptVectors(folder: string, vectors: readonly Vector[]): Promise<void> {
  const reports = await vectorReports(folder, vectors)
  const all = IS_WHOLE ? new Set(vectors.map(nameOf)) : undefined
  assertKeptLines('verdicts-vectors.txt', verdictLines(reports), all, shownOf(reports))
}

export async function assertKeptMutants(): Promise<void> {
  const reports = await mutantReports(tried(mutantNames(), 40))
  assertKeptLines('verdicts-mutants.txt', verdictLines(reports), new Set(mutantNames()), shownOf(reports))
}

/** The findings of lint in the files of vectors. */
export async function assertKeptVectorFindings(vectors: readonly Vector[]): Promise<void> {
  assertKeptCounts('lint-vectors.txt', await vectorFindings(vectors))
}

/** The findings of lint in the fixtures of rules. */
export async function assertKeptRuleFindings(): Promise<void> {
  const all = lintFixtureIds()
  const made = await fixtureFindings(tried(all, 12, id => id.slice(0, id.indexOf('/'))))
  assertKeptLines('lint-rules.txt', made, new Set(all))
}
