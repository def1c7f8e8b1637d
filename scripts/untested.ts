// npm run untested: statements of the specification without a vector, and rules of lint without a fixture that they find. Ends with 1 if there
// is one. The tests demand the same; this lists all of them at once.
import { CHANNEL_VECTORS } from '../fixtures/conformance/channel-vectors.ts'
import { allVectors, heavyVectors } from '../fixtures/conformance/kit.ts'
import { LARGE_VECTORS } from '../fixtures/conformance/large-vectors.ts'
import { writerVectors } from '../fixtures/conformance/writer-vectors.ts'
import { RULES } from '../src/lint/rules/index.ts'
import { lintFixtureIds, readExpectation } from '../test/support/lint-fixtures.ts'
import { CHANNEL_STATEMENTS, READER_STATEMENTS, WRITER_STATEMENTS } from '../test/support/spec-statements.ts'

const named = new Set(
  [
    ...[...allVectors(), ...heavyVectors(), ...LARGE_VECTORS()],
    ...[...writerVectors(), ...CHANNEL_VECTORS()],
  ].flatMap(one => one.statements),
)
const statements = [...READER_STATEMENTS, ...WRITER_STATEMENTS, ...CHANNEL_STATEMENTS]
const found = new Set(
  lintFixtureIds().flatMap(id => readExpectation(id).findings.map(line => line.split(' ')[1] ?? '')),
)
const untested = [
  ...statements.filter(number => !named.has(number)).map(number => `no vector: ${number}`),
  ...RULES.filter(({ id }) => !found.has(id)).map(({ id }) => `no fixture: ${id}`),
]
for (const line of untested) console.log(line)
console.log(`${statements.length} statements and ${RULES.length} rules, ${untested.length} without a test`)
process.exitCode = untested.length === 0 ? 0 : 1
