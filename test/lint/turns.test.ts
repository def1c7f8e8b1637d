// An abort is heard while an agent is read, linted or verified: the signal is looked at after each document, tool, schema and file. Other moments
// and commands are tried in `.ci/run` only.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { read } from '../../src/agent/read-agent.ts'
import { readInTurns } from '../../src/agent/read-in-turns.ts'
import { preferNative } from '../../src/bundle/blake3.ts'
import { openAgent } from '../../src/call/open-agent.ts'
import { showCaps } from '../../src/caps/permissions.ts'
import { importPlace } from '../../src/convert/import-into.ts'
import { turnsOf } from '../../src/io/wait/breathe.ts'
import { loadBundle, verifyBundle } from '../../src/library/generated/index.ts'
import { applyRulesInTurns } from '../../src/lint/lint-run.ts'
import { lintTarget } from '../../src/lint/lint-target.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import type { Rule } from '../../src/lint/rules/rule.ts'
import type { Looks } from '../../src/lint/subjects.ts'
import { readSound } from '../../src/verify/before-signing.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { filesOf, SHAPES } from '../support/growth-shapes.ts'
import { memoryFiles } from '../support/memory.ts'
import { PROGRAM } from '../support/run.ts'
import { slice } from '../support/runs.ts'

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
    for (const delay of works.some(([one]) => one === what) ? slice([50, 150, 400], 3) : [100]) {
      test(`${what}: heard ${delay} ms after the start`, async () => {
        // One text of this size is read in a piece, which takes a second of a quiet machine.
        const after = await afterAbort(work, delay)
        assert.ok(after <= 4000, `${after} ms`)
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

/** Rules that count what they look at, between two looks at the signal. */
function counting() {
  let visits = 0
  let most = 0
  const look = () => {
    visits++
    most = Math.max(most, visits)
  }
  const rule = (looks: Looks): Rule => ({
    ...(RULES[0] as Rule),
    id: `tools/${looks}`,
    looks: looks as 'tool',
    check: look,
  })
  const turn = () => {
    visits = 0
    return undefined
  }
  return { rules: LOOKS.map(rule), turn, most: () => most }
}

const LOOKS: readonly Looks[] = [
  ...(['file', 'artifact', 'grant', 'tool', 'http', 'exec', 'record', 'schema', 'reference'] as const),
  ...(['secret', 'agent'] as const),
]

describe('between two looks at the signal', () => {
  const shape = SHAPES['http tools']
  assert.ok(shape)

  for (const size of [100, 400])
    test(`a walk through ${size} tools makes no more visits than through a few`, async () => {
      const { rules, turn, most } = counting()
      await applyRulesInTurns(read(filesOf(shape, size), 'mini'), rules, turn)
      // A tool is looked at by the rules about tools and those about its transport.
      assert.equal(most(), 2)
    })

  test('one document is read', async () => {
    let turns = 0
    const files = memoryFiles(agentTree({ files: { 'schemas/a.json': '{}', 'schemas/b.json': '{}' } }))
    const turn = () => {
      turns++
      return undefined
    }
    const agent = await readInTurns(files, 'mini', 'source', turn)
    // And one after the shapes of all were compared.
    assert.equal(turns, agent.documents.size + 1)
  })

  test('and an abort between two visits ends the walk there', async () => {
    const stop = new AbortController()
    let visits = 0
    const rule: Rule = {
      ...(RULES[0] as Rule),
      looks: 'tool',
      check: () => {
        if (++visits === 7) stop.abort()
      },
    }
    const agent = read(filesOf(shape, 20), 'mini')
    await assert.rejects(applyRulesInTurns(agent, [rule], turnsOf('testing', stop.signal)), {
      code: 'CANCELLED',
      message: 'Cancelled while testing',
    })
    assert.equal(visits, 7)
  })
})
