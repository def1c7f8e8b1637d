// Campaign: many bundles and the gate. Whatever fails on the way, nothing is reported as accepted that was not judged, and the rest is
// reported.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FleetTask } from '../../src/fleet/task.ts'
import { judgeInThreads } from '../../src/fleet/threads.ts'
import { runGate } from '../../src/gate/gate.ts'
import type { GateAnswer } from '../../src/gate/question-answer.ts'
import { agentTree, bundleOf } from '../../test/support/agent.ts'
import { PROGRAM } from '../../test/support/run.ts'
import { POLICY, signed } from '../../test/support/trust-world.ts'
import type { Campaign, Session } from './campaign.ts'
import { makeTree } from './fleet-trees.ts'

const BUNDLES = 200

export const campaign: Campaign = {
  name: 'fleets',
  summary: 'nothing is accepted that was not judged, whatever dies, changes, hangs or is damaged',
  isEndless: true,
  async run(session) {
    await questions(session)
    for (const part of [trees, deaths, changing, fullDisk, stopped])
      if (!session.isOver()) await part(session)
  },
}

interface Place {
  readonly cwd: string
  readonly home: string
  readonly good: Buffer
  readonly bad: Buffer
}

function place(session: Session, name: string, count: number): Place {
  const cwd = join(session.folder, name)
  const home = join(cwd, 'home')
  mkdirSync(join(cwd, 'all'), { recursive: true })
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'trust-policy.toml'), POLICY.replace(', agents = ["mini"]', ''), { mode: 0o600 })
  const good = bundleOf(signed(agentTree({ name: 'mini' }), 'release'))
  const bad = bundleOf(signed(agentTree({ name: 'mini' }), 'stranger'))
  for (let at = 0; at < count; at++) writeFileSync(join(cwd, 'all', fileAt(at)), at % 10 === 0 ? bad : good)
  return { cwd, home, good, bad }
}

const fileAt = (at: number) => `b${String(at).padStart(4, '0')}.agent.bundle`
const isBad = (target: string) => /0\.agent\.bundle$/.test(target)

/** Damaged lines between good ones: one answer each, and only an undamaged question is allowed. */
async function questions(session: Session): Promise<void> {
  const here = place(session, `gate-${session.round}`, 1)
  writeFileSync(join(here.cwd, 'good.bundle'), here.good)
  process.env['RUNLOOP_HOME'] = here.home
  const good = JSON.stringify({ id: 7, bundle: 'good.bundle', expect: 'mini' })
  const damaged: { readonly id: string; readonly line: Buffer }[] = []
  const bytes = Buffer.from(good)
  for (let bit = 0; session.round === 0 && bit < bytes.length * 8; bit++) {
    const line = Buffer.from(bytes)
    line[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    damaged.push({ id: `bit ${bit}`, line })
  }
  for (let length = 0; session.round === 0 && length < bytes.length; length++)
    damaged.push({ id: `first ${length}`, line: bytes.subarray(0, length) })
  for (let index = 0; index < 500; index++) {
    const random = session.random(session.round, 'line', index)
    const line = Buffer.from(bytes)
    for (let count = 1 + random.below(5); count > 0; count--)
      line[random.below(line.length)] = random.below(256)
    damaged.push({ id: `line ${index}`, line })
  }
  for (const { id, line } of session.some(damaged, 40)) {
    if (session.isOver()) return
    if (!session.begin(id, 'questions')) continue
    const answers = await asked(here.cwd, Buffer.concat([line, Buffer.from(`\n${good}\n`)]))
    const newlines = line.filter(byte => byte === 10).length
    const what =
      answers.length !== newlines + 2
        ? `${answers.length} answers`
        : answers.at(-1)?.allow !== true
          ? 'the next question was refused'
          : answers.slice(0, -1).some(({ allow }) => allow) && !means(line, 'good.bundle')
            ? 'it was allowed'
            : undefined
    if (what !== undefined) session.defect({ case: id, what, input: line })
  }
}

/** Whether a damaged line still is a question about that file, as `JSON.parse` reads it: in its id, its spaces, or a wider expectation. */
function means(line: Uint8Array, bundle: string): boolean {
  try {
    const value = JSON.parse(Buffer.from(line).toString()) as Record<string, unknown>
    return value['bundle'] === bundle && ['mini', 'any'].includes(String(value['expect']))
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

async function asked(cwd: string, text: Uint8Array): Promise<GateAnswer[]> {
  const answers: GateAnswer[] = []
  await runGate({
    questions: (async function* () {
      yield text
    })(),
    answer: line => void answers.push(JSON.parse(line) as GateAnswer),
    unread: () => 0,
    isOver: () => false,
    onDefect(error) {
      throw error
    },
    cwd,
    signal: new AbortController().signal,
    trust: {},
  })
  return answers
}

/** Threads that die or hang at random bundles: each bundle is reported once, and those are not accepted. */
async function deaths(session: Session): Promise<void> {
  const ids = Array.from({ length: 30 }, (_, index) => `deaths ${session.round} ${index}`)
  for (const id of session.some(ids, 4)) {
    if (session.isOver()) return
    if (!session.begin(id, 'deaths')) continue
    const random = session.random(id)
    const fate = new Map(
      Array.from({ length: BUNDLES }, (_, at) => [
        String(at),
        ['dies', 'hangs'][random.below(20)] ?? 'lives',
      ]),
    )
    const left: FleetTask[] = [...fate.keys()].map(label => ({ path: `/${label}`, label }))
    const judged: string[] = []
    const lost: string[] = []
    await judgeInThreads({
      next: async () => left.shift(),
      onJudged: ({ line }) => void judged.push(line),
      onLost: ({ label }) => void lost.push(label),
      judgeHere: async ({ label }) => void lost.push(label),
      given: {} as never,
      signal: new AbortController().signal,
      width: 1 + random.below(4),
      stallMs: 30,
      start: on => mortal(fate, on),
    })
    const all = [...judged, ...lost]
    const wrong = judged.find(label => fate.get(label) !== 'lives')
    if (all.length !== BUNDLES || new Set(all).size !== BUNDLES)
      session.defect({ case: id, what: `${all.length} of ${BUNDLES} reported` })
    if (wrong !== undefined) session.defect({ case: id, what: `${wrong} was judged by a thread that died` })
  }
}

function mortal(
  fate: ReadonlyMap<string, string>,
  on: { message(message: unknown): void; lost(cause: unknown): void },
) {
  const given: FleetTask[] = []
  let isOver = false
  const go = () => {
    const task = given[0]
    if (task === undefined || isOver) return
    const end = fate.get(task.label)
    if (end === 'dies') on.lost('killed')
    if (end !== 'lives') return
    given.shift()
    on.message({ verdict: 'trusted', exit: 0, reused: false, line: task.label })
    setImmediate(go)
  }
  return {
    post(task: unknown) {
      given.push(task as FleetTask)
      if (given.length === 1) setImmediate(go)
    },
    untold: () => 0,
    letGo() {
      isOver = true
    },
  }
}

/** Trees of everything that a folder can hold: each bundle is judged once, and everything else is counted. */
async function trees(session: Session): Promise<void> {
  const ids = Array.from({ length: 40 }, (_, index) => `tree ${session.round} ${index}`)
  const unpacked = signed(agentTree({ name: 'mini' }), 'release')
  for (const [at, id] of session.some(ids, 4).entries()) {
    if (session.isOver()) return
    if (!session.begin(id, 'trees')) continue
    const here = place(session, `tree-${session.round}-${at}`, 0)
    const { verdicts, skipped } = makeTree(session.random(id), join(here.cwd, 'all'), { ...here, unpacked })
    const { text } = await verified(here, 'exec "$@"')
    const lines = linesOf(text)
    const summary = lines.pop()
    const expected = [...verdicts].map(([path, verdict]) => `all/${path} ${verdict}`).sort()
    const said = lines.map(({ target, verdict }) => `${target} ${verdict}`).sort()
    if (JSON.stringify(said) !== JSON.stringify(expected))
      session.defect({ case: id, what: `${difference(said, expected)}`, input: text })
    if (JSON.stringify(summary?.skipped) !== JSON.stringify(skipped))
      session.defect({ case: id, what: `counted ${JSON.stringify(summary?.skipped)}`, input: text })
  }
}

function difference(said: readonly string[], expected: readonly string[]): string {
  const without = (all: readonly string[], others: readonly string[]) =>
    JSON.stringify(all.filter(one => !others.includes(one)))
  return `said ${without(said, expected)}, not said ${without(expected, said)}, ${said.length} of ${expected.length}`
}

interface Line {
  readonly type: string
  readonly skipped?: unknown
  readonly target: string
  readonly verdict: string
  readonly accepted: boolean
}

/** Whole lines alone, each of one bundle. */
function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)
}

interface Ran {
  readonly exit: number | null
  readonly text: string
}

/** The program; `meanwhile` is called again and again while it runs. */
function verified(here: Place, line: string, meanwhile: (kill: () => void) => void = () => {}): Promise<Ran> {
  const child = spawn(
    'sh',
    ['-c', line, 'sh', process.execPath, ...PROGRAM, 'agent', 'verify', 'all', '--format', 'ndjson'],
    { cwd: here.cwd, env: { ...process.env, RUNLOOP_HOME: here.home }, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  let text = ''
  child.stdout.setEncoding('utf8').on('data', chunk => (text += chunk))
  const timer = setInterval(() => meanwhile(() => child.kill('SIGINT')), 1)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', exit => {
      clearInterval(timer)
      resolve({ exit, text })
    })
  })
}

/** What is wrong with a report: a line of a stranger's bundle that was accepted, or a bundle that is there twice. */
function problemOf(lines: readonly Line[]): string | undefined {
  const bundles = lines.filter(({ type }) => type === 'bundle')
  const wrong = bundles.find(({ target, accepted }) => accepted && isBad(target))
  if (wrong !== undefined) return `${wrong.target} was accepted`
  return new Set(bundles.map(({ target }) => target)).size === bundles.length
    ? undefined
    : 'a bundle is there twice'
}

/** Files that are written while they are read: half a good one and half a bad one is neither. */
async function changing(session: Session): Promise<void> {
  const id = `changing ${session.round}`
  if (!session.begin(id, 'changes')) return
  const here = place(session, `changing-${session.round}`, BUNDLES)
  const random = session.random(id)
  const { exit, text } = await verified(here, 'exec "$@"', () => {
    const at = random.below(BUNDLES)
    const bytes = at % 10 === 0 ? here.bad : here.good
    // Cut off, then whole again.
    writeFileSync(join(here.cwd, 'all', fileAt(at)), bytes.subarray(0, random.below(bytes.length)))
    writeFileSync(join(here.cwd, 'all', fileAt(at)), bytes)
  })
  const lines = linesOf(text)
  const problem = problemOf(lines)
  if (problem !== undefined) session.defect({ case: id, what: problem, input: text })
  if (lines.length !== BUNDLES + 1 || exit === 0)
    session.defect({ case: id, what: `${lines.length} lines, exit ${exit}`, input: text })
}

/** A disk that is full after so many blocks. */
async function fullDisk(session: Session): Promise<void> {
  const here = place(session, `disk-${session.round}`, BUNDLES)
  for (const blocks of session.some([1, 2, 8, 40, 100], 1)) {
    const id = `full disk ${blocks}`
    if (session.isOver()) return
    if (!session.begin(id, 'full disks')) continue
    const { exit } = await verified(here, `trap "" XFSZ; ulimit -f ${blocks}; exec "$@" > report.ndjson`)
    const lines = linesOf(readFileSync(join(here.cwd, 'report.ndjson'), 'utf8'))
    const problem = problemOf(lines)
    if (problem !== undefined) session.defect({ case: id, what: problem })
    if (exit !== 3 || lines.some(({ type }) => type === 'summary'))
      session.defect({ case: id, what: `exit ${exit} after ${lines.length} lines` })
  }
}

/** Ctrl-C at any moment. */
async function stopped(session: Session): Promise<void> {
  const here = place(session, `stopped-${session.round}`, BUNDLES)
  const ids = Array.from({ length: 20 }, (_, index) => `stopped ${session.round} ${index}`)
  for (const id of session.some(ids, 1)) {
    if (session.isOver()) return
    if (!session.begin(id, 'stops')) continue
    let left = session.random(id).below(800)
    const { exit, text } = await verified(here, 'exec "$@"', kill => {
      if (left-- === 0) kill()
    })
    const isWhole = text === '' || text.endsWith('\n')
    const lines = linesOf(text)
    const problem = isWhole ? problemOf(lines) : 'half a line'
    if (problem !== undefined) session.defect({ case: id, what: problem, input: text })
    // Before the program listens, the signal ends it; after the summary it is too late.
    const isDone = lines.at(-1)?.type === 'summary'
    if (!(isDone ? exit === 1 || exit === 130 : exit === 130 || exit === null))
      session.defect({ case: id, what: `exit ${exit} after ${lines.length} lines` })
  }
}
