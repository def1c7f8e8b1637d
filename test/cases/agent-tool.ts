// Agent Tool's cases: record schemas, fail-closed defaults, how calls end, tool search.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { read } from '../../src/agent/read-agent.ts'
import { type DefaultedField, defaultOf, type ToolFacts } from '../../src/agent-tool/defaults.ts'
import { type Flagged, flagState, settledFlag, statedFlag } from '../../src/agent-tool/flags.ts'
import { inputMutation } from '../../src/agent-tool/mutation.ts'
import { ERRORS_AT, endingOf, type Phase, terminalResult } from '../../src/agent-tool/pipeline.ts'
import { recordErrors } from '../../src/agent-tool/record-shape.ts'
import { type RecordName, recordsIn } from '../../src/agent-tool/records.ts'
import { searchTools } from '../../src/agent-tool/tool-search.ts'
import type { SafetyFlag } from '../../src/agent-tool/vocabulary.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { unrecordedMutations } from '../../src/lint/rules/tools/interface-mutation.ts'
import type { DeferredTool } from '../../src/schema/generated/record-types.ts'
import { memoryFiles } from '../support/memory.ts'
import { type Checks, check } from './case.ts'

const PUBLISHED = join(import.meta.dirname, '../../../shared/cases/agent-tool-schemas')

/** One for all published schemas, because each has to compile the schema of schemas for itself. */
const published = new Ajv2020({ strict: false })
const compiled = new Map<RecordName, ValidateFunction>()

function publishedFor(schema: RecordName, path: string): ValidateFunction {
  const known = compiled.get(schema) ?? published.compile(JSON.parse(readFileSync(path, 'utf8')))
  compiled.set(schema, known)
  return known
}

interface Judged {
  readonly valid: boolean
  readonly errors: readonly object[]
}

export const checks: Checks = {
  schema: check<{ schema: RecordName; record: object }, Judged>(({ schema, record }, { valid, errors }) => {
    const found = [...recordErrors(record, schema)].map(({ instancePath, keyword, params }) => {
      const { missingProperty } = params
      const missing = missingProperty === undefined ? null : [missingProperty]
      return { path: instancePath === '' ? '/' : instancePath, keyword, missing }
    })
    assert.deepEqual(texts(found), texts(errors))
    assert.equal(found.length === 0, valid)
    const path = join(PUBLISHED, `agenttool-${schema}.schema.json`)
    if (existsSync(path)) assert.equal(publishedFor(schema, path)(record), valid)
  }),

  default: check<ToolFacts & { field: DefaultedField }, unknown>(({ field, ...facts }, expected) =>
    assert.deepEqual(defaultOf(field, facts), expected),
  ),

  flag: check<{ record: Flagged; flag: SafetyFlag; classifiers?: Record<string, boolean> }, object>(
    ({ record, flag, classifiers = {} }, expected) => {
      const classify = (id: string) => classifiers[id]
      const found = {
        state: flagState(record, flag, classify),
        settled: settledFlag(record, flag, classify),
        stated: statedFlag(record, flag) ?? null,
      }
      assert.deepEqual({ ...found, ...expected }, found)
    },
  ),

  terminalResult: check<{ phase: Phase; event: string }, Ended>(
    ({ phase, event }, { abort_reason, ...expected }) => {
      // The event is told in prose. The class of it is one that can come up in that phase, and decides how the call ends.
      const error = ERRORS_AT[phase].find(error => error === expected.error_class)
      assert.ok(error, `${expected.error_class} does not come up in ${phase}`)
      const ending = endingOf(phase, error)
      assert.deepEqual(ending, expected)
      const about = { result_id: 'r', invocation_id: 'i', created_at: '2026-05-08T00:00:01Z' }
      const record = terminalResult(about, ending, event)
      assert.deepEqual([...recordErrors(record, 'result')], [])
      assert.equal(record.status, ending.result_status)
      assert.equal(record.is_error, expected.is_error)
      assert.equal(record.error?.['error_class'], expected.error_class)
      if (abort_reason !== undefined) assert.equal(record.error?.['abort_reason'], abort_reason)
    },
  ),

  lint: check<LintCase, { finding?: string; ok?: true; count?: number }>((input, { finding, ok, count }) => {
    const face = { schema_version: '0.2.0', interface_id: 'i', tool_id: 't', ...recordOf(input) }
    const declaration = {
      schema_version: '0.2.0',
      tool_id: 't',
      namespace: 'n',
      name: 't',
      description: 'Runs a command.',
      lifecycle: 'available',
      tool_kind: input.tool_kind ?? 'native',
    }
    const files = memoryFiles({
      'tools.json': JSON.stringify({ version: 1, tools: [] }),
      'interfaces.json': JSON.stringify([face, declaration]),
    })
    // What is said of the fields of one input; a tool that is not in tools.json is another matter.
    const found = lintAgent(read(files, 'a'), UNPREPARED).filter(({ rule }) =>
      ['classifier', 'internal-field', 'visibility', 'mutation', 'shape'].some(
        name => rule === `tools/interface-${name}`,
      ),
    )
    if (ok === true) return assert.deepEqual(found, [])
    assert.equal(found.length, count ?? 1)
    // Their words: security-relevant tools must override classifier_input.
    for (const word of finding?.match(
      /security-relevant|classifier_input|visibility|internal|mutation_source/g,
    ) ?? []) {
      assert.ok(`${found[0]?.message} ${found[0]?.fix}`.includes(word), found[0]?.message)
    }
  }),

  toolSearchResult: check<Search, { keys: readonly string[] }>(({ tools, ...answer }, { keys }) => {
    const found = searchTools(answer.query, tools ?? toolsFor(answer))
    assert.deepEqual({ ...found }, answer)
    assert.deepEqual(Object.keys(found), keys)
  }),

  runtime: check<{ model_input: object; call_input: object }, { requires: string }>(input => {
    const before = JSON.stringify(input)
    const invocation = {
      schema_version: '0.2.0',
      invocation_id: 'inv',
      tool_id: 't',
      status: 'running',
      created_at: '2026-05-08T00:00:00Z',
      ...input,
    }
    assert.equal(unrecordedMutations(recordsIn([invocation])).length, 1)
    const record = inputMutation(input.model_input, input.call_input, {
      mutation_id: 'm',
      invocation_id: 'inv',
      source_type: 'hook',
      created_at: '2026-05-08T00:00:00Z',
    })
    assert.ok(record)
    assert.deepEqual([...recordErrors(record, 'input-mutation')], [])
    assert.deepEqual(record.changed_fields, ['b'])
    assert.deepEqual(unrecordedMutations(recordsIn([invocation, record])), [])
    assert.equal(JSON.stringify(input), before, 'what the model wrote is as it was')
  }),
}

/** What a record of the tool says, beside the kind of its declaration. */
interface LintCase {
  readonly tool_kind?: string
  readonly classifier_input?: string
  readonly runtime_input_schema?: object
  readonly model_input_schema?: object
}

function recordOf({ tool_kind: _, ...record }: LintCase): object {
  return record
}

interface Ended {
  readonly error_class: string
  readonly is_error: boolean
  readonly abort_reason?: string
}

interface Search {
  readonly query: string
  readonly matches: readonly string[]
  readonly total_deferred_tools: number
  /** Of our own cases: what is searched. */
  readonly tools?: readonly DeferredTool[]
}

/** The tools that an answer speaks of, and as many others as it counts. */
function toolsFor({ matches, total_deferred_tools: total, query }: Search): DeferredTool[] {
  const names = [
    query.replace('select:', ''),
    ...Array.from({ length: total - 1 }, (_, index) => `other_${index}`),
  ]
  return names.map((name, index) => ({
    schema_version: '0.2.0',
    tool_id: matches[index] ?? `other.${index}`,
    name,
    loading_state: 'discoverable',
  }))
}

function texts(values: readonly object[]): string[] {
  return values.map(value => JSON.stringify(value)).sort()
}
