// Requests over HTTP → answers of the gate, many at once. Who asks, what may be asked, and how much at a time is decided before a question is read.
import { printableJson } from '../../format/text/printable.ts'
import { GATE_LIMITS } from '../../model/limits.ts'
import { type AskerRules, isJsonRequest, type RefusedRequest, refusedAsker } from '../../net/serve/asker.ts'
import {
  type AskRequest,
  type AskResponse,
  type BoundedServer,
  boundedServer,
} from '../../net/serve/bounded-server.ts'
import { readRequestBody } from '../../net/serve/request-body.ts'
import { bodyTooLarge, UnderWay } from '../../net/serve/under-way.ts'
import type { GateQuestion } from '../gate-question.ts'
import { type Answered, type Recording, recorded } from '../gate-recorded.ts'
import { askedIn, noAnswer } from './asked.ts'
import type { ServedPlaces } from './may-be-asked.ts'
import { GateMetrics } from './metrics.ts'

export interface ServiceJob extends Recording {
  readonly served: ServedPlaces
  /** Judges a question that may be asked. */
  judge(question: GateQuestion): Promise<Answered>
  onDefect(error: unknown): void
}

/** A gate that listens; where is the caller's matter. */
export class GateService {
  readonly server: BoundedServer
  readonly #job: ServiceJob
  readonly #metrics = new GateMetrics()
  readonly #underWay = new UnderWay(QUESTION)
  #rules: AskerRules | undefined
  #isStopping = false

  constructor(job: ServiceJob) {
    this.#job = job
    this.server = boundedServer((request, response) => void this.#take(request, response))
  }

  /** Before this nothing is answered. */
  open(rules: AskerRules): void {
    this.#rules = rules
  }

  /** No more questions are taken; those under way get their answers. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const closed = new Promise<void>(resolve => void this.server.close(() => resolve()))
    this.server.closeIdleConnections()
    await closed
  }

  async #take(request: AskRequest, response: AskResponse): Promise<void> {
    try {
      await this.#answer(request, response)
    } catch (error) {
      this.#job.onDefect(error)
      response.destroy()
    }
  }

  async #answer(request: AskRequest, response: AskResponse): Promise<void> {
    const { method, url: path = '' } = request
    const rules = this.#rules
    const known = PATHS.get(path)
    const refusal =
      rules === undefined
        ? { status: 503, why: 'The gate is not ready' }
        : (refusedAsker(request, rules, path !== '/healthz') ??
          (known === undefined ? { status: 404, why: 'There is no such path' } : undefined) ??
          (known === method ? undefined : { status: 405, why: `This path takes ${known}` }))
    if (refusal !== undefined) return this.#refuse(request, response, refusal)
    if (path === '/healthz') return this.#say(response, 200, 'text/plain; charset=utf-8', 'ok\n')
    if (path === '/metrics')
      return this.#say(response, 200, METRICS_TYPE, this.#metrics.text(this.#underWay.count))
    if (!isJsonRequest(request))
      return this.#refuse(request, response, { status: 415, why: 'The Content-Type is not application/json' })
    if (this.#isStopping) return this.#refuse(request, response, { status: 503, why: 'The gate is stopping' })
    const taken = this.#underWay.take(request.headers['content-length'])
    if ('status' in taken) return this.#refuse(request, response, taken)
    try {
      await this.#judged(request, response)
    } finally {
      taken.release()
    }
  }

  async #judged(request: AskRequest, response: AskResponse): Promise<void> {
    const begun = performance.now()
    if (request.headers.expect !== undefined) response.writeContinue()
    const bytes = await readRequestBody(request, GATE_LIMITS.lineBytes)
    // Who asked is gone.
    if (bytes === undefined) return void response.destroy()
    if (bytes === 'too large') return this.#refuse(request, response, bodyTooLarge(QUESTION))
    const asked = askedIn(bytes, this.#job.served)
    const answered = 'refused' in asked ? asked.refused : await this.#job.judge(asked.question)
    const answer = recorded(answered, this.#job)
    const status = 'refused' in asked ? asked.status : 200
    if (status === 200) this.#metrics.answered(answer, (performance.now() - begun) / 1000)
    else this.#metrics.refused(status)
    this.#say(response, status, 'application/json', `${printableJson(JSON.stringify(answer))}\n`)
  }

  /** What has no question in it has no answer of the usual form but one that allows nothing. */
  #refuse(request: AskRequest, response: AskResponse, { status, why }: RefusedRequest): void {
    this.#metrics.refused(status)
    // What is left of its body is not read.
    response.setHeader('Connection', 'close')
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
    if (status === 405) response.setHeader('Allow', PATHS.get(request.url ?? '') ?? '')
    this.#say(response, status, 'application/json', `${printableJson(JSON.stringify(noAnswer(why)))}\n`)
  }

  #say(response: AskResponse, status: number, type: string, body: string): void {
    if (this.#isStopping) response.setHeader('Connection', 'close')
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    response.end(body)
  }
}

const QUESTION = { name: 'question', mostBytes: GATE_LIMITS.lineBytes }
const PATHS: ReadonlyMap<string, string> = new Map([
  ['/v1/judge', 'POST'],
  ['/healthz', 'GET'],
  ['/metrics', 'GET'],
])
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
