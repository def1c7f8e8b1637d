// Questions, a line each → answers, a line each, in the same order. The gate never allows what it cannot tell in time.
import { farServer } from '../fleet/far-lanes.ts'
import { readerReady } from '../fleet/reader-ready.ts'
import { boundedLines } from '../io/read/bounded.ts'
import { byteLimit, GATE_LIMITS } from '../model/limits.ts'
import { printableJson } from '../text/printable.ts'
import { noVerdict } from './answer.ts'
import { type GateJudge, judgedAnswer } from './judge.ts'
import { forgetful } from './logins.ts'
import { InOrder } from './order.ts'
import { type GateQuestion, readQuestion } from './question.ts'
import { type Answered, type Recording, recorded, undecided } from './recorded.ts'

export interface Gate extends Recording, GateJudge {
  readonly questions: AsyncIterable<Uint8Array>
  /** Takes one line with its newline. */
  answer(line: string): void
  /** Bytes of answers that the asker has not read yet. */
  unread(): number
  /** Whether nothing that is written reaches the asker any more. */
  isOver(): boolean
}

/** Ends with the questions. @throws RlpError CANCELLED when `signal` aborts */
export async function runGate(gate: Gate): Promise<void> {
  const trustNow = forgetful(gate.trust)
  const order = new InOrder<Answered>(async one => {
    const answer = recorded(one, gate)
    gate.answer(`${printableJson(JSON.stringify(answer))}\n`)
    await readerReady(gate)
  }, gate.signal)
  for await (const { bytes } of boundedLines(gate.questions, GATE_LIMITS.lineBytes)) {
    const read = bytes === undefined ? undefined : readQuestion(bytes)
    const answer =
      read === undefined ? undecided(TOO_LONG, null) : judgedAnswer(read, { ...gate, trust: trustNow() })
    await order.add(Promise.resolve(answer), read?.ok === true && isFar(read.question))
    if (gate.isOver()) return
  }
  await order.end()
}

/** Whether a registry is asked for it. */
export function isFar({ bundle }: GateQuestion): boolean {
  return typeof bundle === 'string' && farServer(bundle) !== undefined
}

const TOO_LONG = noVerdict(
  null,
  'bad_question',
  `Cannot read the question: the line has more than ${byteLimit(GATE_LIMITS.lineBytes)}`,
  'Name the path of a large bundle in place of its bytes',
)
