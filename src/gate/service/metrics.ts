// What a gate that listens has done so far, as Prometheus reads it: the text format 0.0.4.
import { VERDICTS } from '../../model/verdict.ts'
import type { GateAnswer } from '../answer.ts'

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
