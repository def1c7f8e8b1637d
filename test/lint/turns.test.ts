// Nothing that strangers or authors wrote keeps the process from hearing an abort: reading, lint and verification are cut into steps. Other
// moments, commands that are cut alike, the cuts of nine rules in ten, and the
// largest texts are tried in `.ci/run` only.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAgent } from '../../src/call/callable.ts'
import { showCaps } from '../../src/caps/shown.ts'
import { importPlace } from '../../src/convert/import-place.ts'
import { read } from '../../src/format/agent/read-agent.ts'
import { readInSteps } from '../../src/format/agent/read-in-steps.ts'
import { preferNative } from '../../src/format/blake3.ts'
import { parseTomlInSteps } from '../../src/format/toml/parse-in-steps.ts'
import { loadBundle, verifyBundle } from '../../src/index.ts'
import { applyInSteps } from '../../src/lint/apply-rules.ts'
import { lintTarget } from '../../src/lint/lint-target.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { PARSE_LIMITS } from '../../src/model/limits.ts'
import type { LoadingSteps } from '../../src/model/steps.ts'
import { readSound } from '../../src/verify/read-to-sign.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { filesOf, SHAPES } from '../support/growth-shapes.ts'
import { memoryFiles } from '../support/memory.ts'
import { PROGRAM } from '../support/run.ts'
import { IN_CI, slice } from '../support/runs.ts'
import { countSteps } from '../support/steps.ts'

const folderFor = temporary('turns')
// The bundle is 15 MB.
await preferNative()
const TOOLS = Array.from({ length: 50_000 }, (_, index) => ({
  id: `t${index}`,
  description: 'Does what it is for',
  transport: { kind: 'http', method: 'GET', url: `https://a.example/${index}?q={{input.q}}` },
  input_schema: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
  result_schema: { type: 'object' },
}))
const TREE = agentTree({ files: { 'tools.json': JSON.stringify({ version: 1, tools: TOOLS }) } })
const BUNDLE = bundleOf(TREE)
const FOLDER = writeTree(folderFor('agent'), TREE)
const FILE = writeTree(folderFor('bundle'), { 'mini.bundle': BUNDLE })

/** Milliseconds of work from the abort to the end. What other processes take of the machine is not counted. */
async function afterAbort(work: (signal: AbortSignal) => Promise<unknown>, delay: number): Promise<number> {
  const stop = new AbortController()
  let since = process.cpuUsage()
  setTimeout(() => {
    since = process.cpuUsage()
    stop.abort()
  }, delay)
  await assert.rejects(work(stop.signal), { code: 'CANCELLED' })
  assert.ok(stop.signal.aborted)
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

describe('an abort in the middle', () => {
  const setting = (signal: AbortSignal) => ({ env: {}, cwd: FOLDER, signal, stdin: () => assert.fail() })
  const works: [what: string, work: (signal: AbortSignal) => Promise<unknown>][] = [
    ['verifyBundle', signal => verifyBundle(BUNDLE, { expect: 'any', allowUnsigned: true, signal })],
    ['loadBundle', signal => loadBundle(BUNDLE, { expect: 'any', allowUnsigned: true, signal })],
    [
      'lint',
      signal =>
        lintTarget(
          { path: FOLDER, label: 'mini' },
          { now: new Date(), settings: [], fixes: 'none' },
          setting(signal),
        ),
    ],
  ]
  // Where there is only one way through, one moment is enough.
  const others: typeof works = [
    [
      'lint with fixes',
      signal =>
        lintTarget(
          { path: FOLDER, label: 'mini' },
          { now: new Date(), settings: [], fixes: 'shown' },
          setting(signal),
        ),
    ],
    ['caps show', signal => showCaps({ path: FOLDER, label: 'mini' }, setting(signal))],
    [
      'tool import',
      async signal => {
        const place = { agent: FOLDER, out: undefined, force: false, grant: false, agentsDir: 'agents' }
        return (await importPlace(place, setting(signal))).add([])
      },
    ],
    [
      'tool call --unverified',
      signal =>
        openAgent(
          'call a tool of',
          { path: FOLDER, label: 'mini' },
          { unverified: true, expect: 'any' },
          setting(signal),
        ),
    ],
    ['sign', signal => readSound(join(FILE, 'mini.bundle'), 'mini', setting(signal))],
  ]
  for (const [what, work] of [...works, ...others]) {
    for (const delay of works.some(([one]) => one === what)
      ? slice([100, 300, 800], 3)
      : slice([100, 500], 2)) {
      test(`${what}: heard within 100 ms, ${delay} ms after the start`, async () => {
        // The best of some: a collection of garbage falls where it falls.
        let best = Number.POSITIVE_INFINITY
        for (let round = 0; round < 4 && best > 100; round++)
          best = Math.min(best, await afterAbort(work, delay))
        assert.ok(best <= 100, `${best} ms`)
      })
    }
  }
})

describe('SIGTERM', () => {
  const commands = [
    ['agent', 'verify', join(FILE, 'mini.bundle'), '--allow-unsigned'],
    ['agent', 'inspect', join(FILE, 'mini.bundle')],
    ['agent', 'diff', join(FILE, 'mini.bundle'), FOLDER],
    ['agent', 'lint', FOLDER],
    ['agent', 'pack', FOLDER, '--out', join(FILE, 'out.bundle')],
  ]
  for (const args of slice(commands, 3)) {
    test(`ends rlp ${args[1]}: 130`, async () => {
      const child = spawn(process.execPath, [...PROGRAM, ...args], { stdio: 'ignore' })
      const ended = new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)))
      await inTheMiddle(child)
      child.kill('SIGTERM')
      assert.equal(await ended, 130)
    })
  }
})

/** Waits until a process has read half of the tools. Each of these then has work for more than a second, and listens to signals. */
async function inTheMiddle({ pid }: ChildProcess): Promise<void> {
  if (!existsSync('/proc/self/io')) return sleep(1500)
  for (let bytes = 0; bytes < BUNDLE.length / 2; await sleep(10))
    bytes = Number(/^rchar: ([0-9]+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

function cutsIn(steps: Iterator<unknown>): number {
  let cuts = 0
  for (let step = steps.next(); step.done !== true; step = steps.next()) if (step.value === undefined) cuts++
  return cuts
}

/** They go over the tools and look into none: of a hundred thousand that takes less than a tenth of a second. */
const SHORT = [
  // Of other kinds of tools.
  'tools/arguments',
  'tools/code-injection',
  'tools/command',
  'tools/command-line',
  'tools/fetched-program',
  'tools/shell-command',
  'tools/version',
  'tools/agentcli',
  'tools/interface-internal-field',
  'tools/interface-mutation',
  'tools/interface-visibility',
  'tools/interface-unknown-tool',
  'tools/interface-classifier',
  'tools/interface-disagrees',
  'secrets/id-style',
]

describe('where there is twice as much to look at, there are twice as many cuts', () => {
  const SIZE = 200
  const shape = SHAPES['http tools']
  assert.ok(shape)
  const agentOf = (size: number) => read(filesOf(shape, size), 'mini')
  const rules = RULES.filter(({ id }) => !SHORT.includes(id))
  for (const rule of slice(rules, 10, ({ id }) => id.split('/')[0] ?? '')) {
    test(rule.id, () => {
      const works = [SIZE, 2 * SIZE].map(size => {
        const agent = agentOf(size)
        const work = {
          cuts: 0,
          run: () => (work.cuts = cutsIn(rule.check(agent, UNPREPARED)[Symbol.iterator]())),
        }
        return work
      })
      const steps = countSteps(...works.map(({ run }) => run))
      const counted = works.map(({ cuts }, index) => ({ cuts, steps: steps[index] ?? 0 }))
      const [small, large] = counted
      assert.ok(small && large)
      if (large.steps < 2 * SIZE || large.steps / small.steps < 1.5) return
      assert.ok(large.cuts >= small.cuts + SIZE / 2, `${small.cuts} and ${large.cuts} cuts`)
    })
  }

  test('reading', () => {
    const cuts = (size: number) => {
      const steps: LoadingSteps<unknown> = readInSteps(filesOf(shape, size), 'mini')
      return cutsIn(steps)
    }
    assert.ok(cuts(800) >= cuts(400) + 400)
  })
})

/**
 * The most that one step may do, as `countSteps` counts it: what a quiet machine does in some 50 ms. Milliseconds say nothing on a
 * machine where others work too.
 */
const MOST_IN_A_STEP = 5_500_000
/** Of the largest text, and of the most that one step may do: in a text, what a step does grows with it. */
const PART = IN_CI ? 1 : 0.2

describe('no step takes long', () => {
  const { allTomlTokens, jsonMembers } = PARSE_LIMITS
  const texts: Record<string, string> = {
    'a manifest of many files': Array.from(
      { length: 10_000 * PART },
      (_, index) => `"docs/${index}.md" = "${'0a'.repeat(32)}"`,
    ).join('\n'),
    'as many tables as there may be': Array.from(
      { length: (PART * allTomlTokens) / 4 - 10 },
      (_, index) => `[t${index}]`,
    ).join('\n'),
    'as many numbers': `a = [${'1,'.repeat((PART * allTomlTokens) / 2 - 10)}]`,
  }
  for (const [what, text] of Object.entries(texts))
    test(`TOML: ${what}`, () => {
      const bytes = new TextEncoder().encode(text)
      const steps = parseTomlInSteps('x', bytes)
      const parts: ReturnType<typeof steps.next>[] = []
      const counts = countSteps(...Array.from({ length: 4 }, () => () => parts.push(steps.next())))
      const last = parts.at(-1)
      assert.ok(last?.done && last.value?.ok, 'it has four parts, and is read')
      assert.ok(Math.max(...counts) <= PART * MOST_IN_A_STEP, `${counts}`)
    })

  // Not a fifth: some steps go over a piece of the text, and that has the same length in every schema.
  const part = IN_CI ? 1 : 0.4
  const members = part * jsonMembers
  test(`a schema of ${members} properties${IN_CI ? ', as many as an object may have' : ''}`, t => {
    // Every cut is made: on a fast machine some are left out, because no time has passed.
    let now = Date.now()
    t.mock.method(Date, 'now', () => (now += 1000))
    const properties = Object.fromEntries(
      Array.from({ length: members }, (_, index) => [`p${index}`, { type: 'string' }]),
    )
    const [tool] = TOOLS
    const text = JSON.stringify({
      version: 1,
      tools: [{ ...tool, input_schema: { type: 'object', properties } }],
    })
    const files = memoryFiles(agentTree({ files: { 'tools.json': text } }))
    const agent = read(files, 'mini')
    assert.equal(agent.tools?.tools.length, 1)
    const steps = (function* (): LoadingSteps<unknown> {
      const fresh = yield* readInSteps(files, 'mini')
      return yield* applyInSteps(fresh, RULES)
    })()
    // The engine is asked once for five of them, because that takes longer than most do.
    const five = () => {
      for (let count = 0; count < 5; count++) steps.next()
    }
    const counts = countSteps(...Array.from({ length: 160 }, () => five))
    assert.ok(steps.next().done)
    assert.ok(Math.max(...counts) <= part * MOST_IN_A_STEP, `${counts}`)
  })
})
