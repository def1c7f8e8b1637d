// Bundles of some kilobytes that once took a minute or gigabytes to verify: now each is judged with little memory, and soon. All
// that may be parsed, and four files of more, only in `.ci/run`: one file is more than may be parsed, and bounds.test.ts reads as much as
// may be.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { preferNative } from '../../src/bundle/blake3.ts'
import { PARSE_LIMITS, TEXT_LIMITS } from '../../src/model/limits.ts'
import { agentTree, bundleOf, type Tree } from '../support/agent.ts'
import { builtProgram } from '../support/built.ts'
import { temporary } from '../support/folder.ts'
import { IN_CI, slice } from '../support/runs.ts'

const folderFor = temporary('bounds-memory')
const MIB = 1024 ** 2
/** Megabytes of objects; with gigabytes the process is ended by Node. */
const HEAP = 256
/** On a machine that has other work, too: what is wrong here takes minutes. */
const TIME = 60_000

interface Judged {
  readonly status: number | null
  readonly verdict: string
  readonly reasons: string
}

/** By the published program, in a process that may hold {@link HEAP} megabytes. */
function verify(name: string, files: Tree): Judged {
  const archive = gzipSync(bundleOf(agentTree({ files })), { level: 1 })
  const path = join(folderFor(name), 'bundle.tgz')
  writeFileSync(path, archive)
  const program = builtProgram()
  const args = [
    `--max-old-space-size=${HEAP}`,
    program,
    'agent',
    'verify',
    path,
    '--allow-unsigned',
    '--expect',
    'any',
  ]
  const { status, stdout, signal } = spawnSync(process.execPath, [...args, '--json'], {
    timeout: TIME,
    encoding: 'utf8',
    env: { ...process.env, RUNLOOP_HOME: folderFor(`${name}-home`) },
    maxBuffer: 64 * MIB,
  })
  assert.equal(signal, null, `${name} was ended by ${signal}`)
  const { bundles } = (JSON.parse(stdout) as { readonly result: { readonly bundles: readonly Report[] } })
    .result
  const [report] = bundles
  assert.ok(report, stdout.slice(0, 300))
  return { status, verdict: report.verdict, reasons: JSON.stringify(report.reasons) }
}

interface Report {
  readonly verdict: string
  readonly reasons: unknown
}

before(preferNative)

const toolsWith = (transport: object) => ({
  'tools.json': JSON.stringify({
    version: 1,
    tools: [{ id: 'a.b', description: 'Does b', transport, input_schema: {}, result_schema: {} }],
  }),
})
const url = (repeats: number) => {
  const unit = '{{input.a}}/'
  return toolsWith({ kind: 'http', method: 'GET', url: `https://a.example/${unit.repeat(repeats)}` })
}
/** A schema that is a hundred bytes of memory for three of text. */
const objects = (count: number) => `{"enum":[${'{},'.repeat(count - 1)}{}]}`
const schemas = (files: number, count: number): Tree =>
  Object.fromEntries(Array.from({ length: files }, (_, index) => [`schemas/s${index}.json`, objects(count)]))

describe('a url of placeholders', () => {
  test('as long as it may be', () => {
    const judged = verify('url-allowed', url(Math.floor((TEXT_LIMITS.url - 18) / 12)))
    assert.deepEqual([judged.verdict, judged.status], ['unsigned', 0], judged.reasons)
  })

  test('of 400,000', () => {
    const judged = verify('url', url(400_000))
    assert.deepEqual([judged.verdict, judged.status], ['invalid', 1])
    assert.match(judged.reasons, new RegExp(`at most ${TEXT_LIMITS.url} characters`))
  })

  test('many arguments of placeholders, each as long as it may be, take time in proportion', () => {
    const args = Array(100).fill('{{input.a}}/'.repeat(Math.floor(TEXT_LIMITS.argument / 12)))
    const judged = verify('arguments', toolsWith({ kind: 'exec', command: '/usr/bin/jq', args }))
    assert.deepEqual([judged.verdict, judged.status], ['unsigned', 0], judged.reasons)
  })
})

describe('schemas of empty objects', () => {
  const limit = new RegExp(`More than ${PARSE_LIMITS.allJsonValues} JSON values`)

  test('a few', () => {
    const judged = verify('few', schemas(4, 10_000))
    assert.deepEqual([judged.verdict, judged.status], ['unsigned', 0], judged.reasons)
  })

  const skip = IN_CI ? false : 'RLP_TEST_RUNS=ci reads that much'
  test('all that may be parsed: a schema is too large, and the limit of values is not named', {
    skip,
  }, () => {
    const judged = verify('most', schemas(4, PARSE_LIMITS.allJsonValues / 4 - 100))
    assert.deepEqual([judged.verdict, judged.status], ['invalid', 1])
    assert.doesNotMatch(judged.reasons, limit)
  })

  for (const files of slice([1, 4], 2)) {
    test(`${files} of 15 MiB`, () => {
      const judged = verify(`objects-${files}`, schemas(files, 5 * MIB))
      assert.deepEqual([judged.verdict, judged.status], ['invalid', 1])
      assert.match(judged.reasons, limit)
    })
  }
})
