// Runs the gate as an HTTP service until it is told to stop. Its metrics have the text format 0.0.4 of Prometheus.
import { resolve } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { GATE_LIMITS } from '../../model/limits.ts'
import { VERDICTS } from '../../model/verdict.ts'
import {
  type AskedBody,
  jsonAnswer,
  type ServedAnswer,
  type ServicePath,
  type ServicePlace,
  type ServiceWork,
  serveAt,
} from '../../net/serve/http-service.ts'
import { printableJson } from '../../text/printable.ts'
import {
  type Answered,
  askedAbout,
  type GateAnswer,
  type GateQuestion,
  noVerdict,
  type Recording,
  readQuestion,
  recorded,
  undecided,
} from '../question-answer.ts'
import { mayBeAsked, type ServedPlaces } from './served-places.ts'

export interface ServiceRun extends Recording, ServicePlace {
  readonly cwd: string
  readonly served: ServedPlaces
  /** Judges a question that may be asked. */
  judge(question: GateQuestion): Promise<Answered>
  onDefect(error: unknown): void
  /** @param where as an asker calls it */
  onListening(where: string): void
}

/** Questions under way get their answers when it ends. @throws RlpError as {@link serveAt} */
export async function runService(run: ServiceRun): Promise<void> {
  const { cwd, address } = run
  const path = address.is === 'unix' ? resolve(cwd, address.path) : undefined
  const place = { ...run, address: path === undefined ? address : { is: 'unix' as const, path } }
  await serveAt(place, gateWork(run), host => run.onListening(path === undefined ? host : `unix:${path}`))
}

function gateWork(run: ServiceRun): ServiceWork {
  const metrics = new GateMetrics()
  const counts = (underWay: number) => plain('version=0.0.4; ', metrics.text(underWay))
  return {
    name: 'gate',
    one: { name: 'question', mostBytes: GATE_LIMITS.lineBytes },
    paths: new Map<string, ServicePath>([
      ['/v1/judge', { method: 'POST', answer: asked => judged(asked, run, metrics) }],
      ['/healthz', { method: 'GET', needsToken: false, answer: () => plain('', 'ok\n') }],
      ['/metrics', { method: 'GET', needsToken: true, answer: counts }],
    ]),
    refusal({ status, why }) {
      metrics.refused(status)
      // What has no question in it has no answer of the usual form but one that allows nothing.
      return lineOf(noAnswer(why))
    },
    onDefect: error => run.onDefect(error),
  }
}

async function judged(
  { bytes, since }: AskedBody,
  run: ServiceRun,
  metrics: GateMetrics,
): Promise<ServedAnswer> {
  const asked = askedIn(bytes, run.served)
  const answered = 'refused' in asked ? asked.refused : await run.judge(asked.question)
  const answer = recorded(answered, run)
  const status = 'refused' in asked ? asked.status : 200
  if (status === 200) metrics.answered(answer, (performance.now() - since) / 1000)
  else metrics.refused(status)
  return jsonAnswer(status, lineOf(answer))
}

function lineOf(answer: GateAnswer): string {
  return `${printableJson(JSON.stringify(answer))}\n`
}

function plain(form: string, body: string): ServedAnswer {
  return { status: 200, headers: { 'content-type': `text/plain; ${form}charset=utf-8` }, body }
}

type AskedQuestion =
  | { readonly question: GateQuestion }
  | { readonly refused: Answered; readonly status: number }

export function askedIn(bytes: Uint8Array, served: ServedPlaces): AskedQuestion {
  const read = readQuestion(bytes)
  if (!read.ok) return { status: 400, refused: refusedWith(read.id, read.problem, null) }
  const { question } = read
  const refuse = (problem: string) => {
    return { status: 403, refused: refusedWith(question.id, problem, askedAbout(question)) }
  }
  try {
    const asked = mayBeAsked(question, served)
    return typeof asked === 'string' ? refuse(asked) : { question: asked }
  } catch (error) {
    // A folder that cannot be looked into.
    if (!(error instanceof RlpError)) throw error
    return refuse(error.message)
  }
}

/** To what has no question in it. */
function noAnswer(why: string): GateAnswer {
  return noVerdict(null, 'bad_question', why, 'docs/gate.md says who may ask, and what')
}

function refusedWith(id: GateAnswer['id'], problem: string, target: string | null): Answered {
  const message = `Cannot answer the question: ${problem}`
  return undecided(
    noVerdict(id, 'bad_question', message, 'docs/gate.md has the members of a question'),
    target,
  )
}

/** Seconds: from a small bundle in memory to a slow registry. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

export class GateMetrics {
  readonly #answers = new Map<string, number>(Object.keys(VERDICTS).map(verdict => [verdict, 0]))
  readonly #refused = new Map<number, number>()
  readonly #under = BUCKETS.map(() => 0)
  #allowed = 0
  #count = 0
  #seconds = 0

  answered({ verdict, allow }: GateAnswer, seconds: number): void {
    this.#answers.set(verdict, (this.#answers.get(verdict) ?? 0) + 1)
    if (allow) this.#allowed++
    this.#count++
    this.#seconds += seconds
    for (const [at, most] of BUCKETS.entries())
      if (seconds <= most) this.#under[at] = (this.#under[at] ?? 0) + 1
  }

  /** Nothing was judged. */
  refused(status: number): void {
    this.#refused.set(status, (this.#refused.get(status) ?? 0) + 1)
  }

  text(underWay: number): string {
    const lines: string[] = []
    const metric = (
      name: string,
      type: string,
      help: string,
      values: readonly (readonly [string, number])[],
    ) =>
      lines.push(
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...values.map(([labels, value]) => `${name}${labels} ${value}`),
      )
    metric('rlp_gate_answers_total', 'counter', 'Answers by verdict.', [
      ...[...this.#answers].map(([verdict, count]) => [`{verdict="${verdict}"}`, count] as const),
    ])
    metric('rlp_gate_allowed_total', 'counter', 'Answers that allow.', [['', this.#allowed]])
    metric(
      'rlp_gate_refused_total',
      'counter',
      'Requests that were no question that may be asked, by status.',
      [...[...this.#refused].map(([status, count]) => [`{status="${status}"}`, count] as const)],
    )
    metric('rlp_gate_under_way', 'gauge', 'Questions without an answer.', [['', underWay]])
    lines.push(
      '# HELP rlp_gate_answer_seconds Time from a question to its answer.',
      '# TYPE rlp_gate_answer_seconds histogram',
      ...BUCKETS.map((most, at) => `rlp_gate_answer_seconds_bucket{le="${most}"} ${this.#under[at]}`),
      `rlp_gate_answer_seconds_bucket{le="+Inf"} ${this.#count}`,
      `rlp_gate_answer_seconds_sum ${this.#seconds.toFixed(6)}`,
      `rlp_gate_answer_seconds_count ${this.#count}`,
    )
    return `${lines.join('\n')}\n`
  }
}
