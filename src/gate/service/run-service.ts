// Where a gate listens, who may ask and what may be asked → it answers until it is told to stop, and says what it has done so far.
import { resolve } from 'node:path'
import { GATE_LIMITS } from '../../model/limits.ts'
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
import type { GateAnswer } from '../answer.ts'
import type { GateQuestion } from '../question.ts'
import { type Answered, type Recording, recorded } from '../recorded.ts'
import { askedIn, noAnswer } from './asked.ts'
import type { ServedPlaces } from './may-be-asked.ts'
import { GateMetrics } from './metrics.ts'

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
