// Ten thousand bundles on every core, the same again after an earlier report, a few beside a report of very many, and the gate after a hundred questions.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Context } from './group.ts'
import { makeBundles } from './inputs.ts'
import { alternate, median } from './measure.ts'
import { CannotRun } from './process.ts'
import { homeAt, peakOf, programOf, rlp } from './rlp.ts'
import { memory, ms, type Row, timesAsLong } from './row.ts'

const FEW = 1000
const MANY = 10_000
const MOST_MS = 8000
const MOST_BYTES = 200_000_000
const MOST_OF_A_WHOLE = 1 / 3
/** A job of few bundles, and a report of very many. */
const HANDFUL = 40
const LINES = 1_000_000
const MOST_TIMES_THE_JOB = 4
const MOST_BESIDE_REPORT_BYTES = 80_000_000
const MOST_GATE_MS = 1.3
const BEFORE = 100
const QUESTIONS = 200
const ASKERS = 50
const LEAST_ANSWERS = 800
/** One takes seconds. */
const MOST_ROUNDS = 3

export async function measureFleet(context: Context): Promise<Row[]> {
  const { folder } = context
  const { home, folders } = makeBundles(folder, [1, HANDFUL, FEW, MANY])
  const at = (count: number) => folders.find(one => one.count === count)?.path ?? ''
  const whole = (count: number) => ['agent', 'verify', at(count), '--format', 'ndjson']
  const report = join(folder, 'report.ndjson')
  writeFileSync(report, await reportOf(context, whole(MANY), home), { mode: 0o600 })
  const again = [...whole(MANY), '--since', report]
  const taken = await alternate(Math.min(MOST_ROUNDS, context.rounds), {
    one: () => rlp(context, whole(1), home),
    few: () => rlp(context, whole(FEW), home),
    many: () => rlp(context, whole(MANY), home),
    again: () => rlp(context, again, home),
  })
  const peak = await peakOf(context, whole(MANY), home)
  const handful = whole(HANDFUL)
  const small = await reportOf(context, handful, home)
  const large = join(folder, 'large.ndjson')
  writeLarge(large, small)
  const since = [...handful, '--since', large]
  const beside = await alternate(context.rounds, {
    own: () => rlp(context, since, home),
    other: () => rlp(context, handful, home),
  })
  const peakBeside = await peakOf(context, since, home)
  const lines = `${HANDFUL} bundles, --since ${LINES.toLocaleString('en')} lines`
  const many = `${MANY.toLocaleString('en')} bundles`
  return [
    under(`verify of ${many}`, taken.many, MOST_MS, `${ms(taken.many / MANY)} each`),
    memory(`verify of ${many}: memory`, peak, MOST_BYTES),
    timesAsLong(
      {
        what: `verify: one more bundle, ${FEW} to ${MANY}`,
        own: (taken.many - taken.few) / (MANY - FEW),
        other: (taken.few - taken.one) / (FEW - 1),
        name: `1 to ${FEW}`,
      },
      1,
    ),
    timesAsLong(
      { what: `verify of ${many}, --since`, own: taken.again, other: taken.many, name: 'all of them' },
      MOST_OF_A_WHOLE,
    ),
    timesAsLong({ what: `verify of ${lines}`, ...beside, name: 'without it' }, MOST_TIMES_THE_JOB),
    memory(`verify of ${lines}: memory`, peakBeside, MOST_BESIDE_REPORT_BYTES),
    await gateRow(context, join(at(1), 'agent_0-1.0.0.agent.bundle'), home, taken.one),
    await serviceRow(context, join(at(1), 'agent_0-1.0.0.agent.bundle'), home),
  ]
}

/** Without what is said for people, which follows it. */
async function reportOf(context: Context, args: readonly string[], home: string): Promise<string> {
  const said = await rlp(context, args, home)
  return said.slice(0, said.lastIndexOf('}') + 1).concat('\n')
}

/** A report with the lines of a small one among those of very many other bundles. */
function writeLarge(path: string, small: string): void {
  const lines = small.split('\n').filter(line => line.startsWith('{"type":"bundle"'))
  const [first = ''] = lines
  const { sha256 } = JSON.parse(first) as { readonly sha256: string }
  const file = openSync(path, 'w', 0o600)
  try {
    for (let at = 0; at < LINES; at += WRITTEN_TOGETHER) {
      const others = Array.from({ length: WRITTEN_TOGETHER }, (_, index) =>
        first.replace(
          sha256,
          createHash('sha256')
            .update(`${at + index}`)
            .digest('hex'),
        ),
      )
      const one = lines.shift()
      if (one !== undefined) others[0] = one
      writeSync(file, `${others.join('\n')}\n`)
    }
  } finally {
    closeSync(file)
  }
}

const WRITTEN_TOGETHER = 5000

function under(what: string, own: number, most: number, result: string): Row {
  return { what, rlp: ms(own), against: '', result, reach: `<= ${ms(most)}`, isMet: own <= most }
}

/** Answers a second of a gate that fifty ask at once, and of one that reads lines. */
async function serviceRow(context: Context, bundle: string, home: string): Promise<Row> {
  const env = { ...process.env, ...homeAt(home) }
  const args = [programOf(context), 'gate']
  const socket = join(context.folder, 'gate.socket')
  const service = spawn(
    process.execPath,
    [...args, '--listen', `unix:${socket}`, '--serve', dirname(bundle)],
    { env },
  )
  await once(service.stderr, 'data')
  const lines = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const agent = new Agent({ keepAlive: true, maxSockets: ASKERS })
  try {
    const ask = () => askOnce(socket, agent, bundle)
    const all = async (count: number) => {
      let left = count
      const asker = async () => {
        while (left-- > 0) await ask()
      }
      await Promise.all(Array.from({ length: ASKERS }, asker))
    }
    const { own, other } = await alternate(context.rounds, {
      own: () => all(QUESTIONS * 5),
      other: () => askLines(lines, bundle, QUESTIONS * 5),
    })
    const aSecond = (taken: number) => Math.round((QUESTIONS * 5 * 1000) / taken)
    return {
      what: `gate that listens: answers a second, ${ASKERS} at once`,
      rlp: `${aSecond(own)}`,
      against: `${aSecond(other)} by lines`,
      result: `${(other / own).toFixed(2)}x as many`,
      reach: `>= ${LEAST_ANSWERS} a second`,
      isMet: aSecond(own) >= LEAST_ANSWERS,
    }
  } finally {
    agent.destroy()
    service.kill()
    lines.stdin.end()
  }
}

function askOnce(socketPath: string, agent: Agent, bundle: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const sent = request({ socketPath, agent, method: 'POST', path: '/v1/judge', headers }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.once('end', () =>
        text.includes('"allow":true') ? resolve() : reject(new CannotRun(`the gate says ${text}`)),
      )
    })
    sent.once('error', reject)
    sent.end(JSON.stringify({ bundle }))
  })
}

async function askLines(
  { stdin, stdout }: ReturnType<typeof spawn>,
  bundle: string,
  count: number,
): Promise<void> {
  let seen = 0
  const done = new Promise<void>(resolve =>
    stdout?.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) seen++
      if (seen < count) return
      stdout.removeAllListeners('data')
      resolve()
    }),
  )
  stdin?.write(`${JSON.stringify({ bundle })}\n`.repeat(count))
  await done
}

async function gateRow(context: Context, bundle: string, home: string, one: number): Promise<Row> {
  const child = spawn(process.execPath, [programOf(context), 'gate'], {
    cwd: context.folder,
    env: { ...process.env, ...homeAt(home) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const taken: number[] = []
  try {
    for (let id = 0; id < BEFORE + QUESTIONS; id++) {
      const begin = performance.now()
      child.stdin.write(`${JSON.stringify({ id, bundle })}\n`)
      const { value } = await answers.next()
      if (!JSON.parse(value ?? '{}').allow) throw new CannotRun(`the gate says ${value}`)
      if (id >= BEFORE) taken.push(performance.now() - begin)
    }
  } finally {
    child.stdin.end()
  }
  const own = median(taken)
  return {
    ...timesAsLong({ what: 'gate: a question, warm', own, other: one, name: 'a process for one' }),
    reach: `< ${MOST_GATE_MS} ms`,
    isMet: own < MOST_GATE_MS,
  }
}
