// Answers the questions of an input, a line each, in the order of the questions. An answer that waits for a registry holds up the lines
// behind it, and not the work on them. What cannot be judged in time is not allowed.
import { farServer, readerReady } from '../fleet/lanes.ts'
import { boundedLines } from '../io/read/bounded.ts'
import { throwIfCancelled } from '../io/wait/breathe.ts'
import { byteLimit, GATE_LIMITS } from '../model/limits.ts'
import { printableJson } from '../text/printable.ts'
import { forgetful, type GateJudge, judgedAnswer } from './judge.ts'
import {
  type Answered,
  type GateQuestion,
  noVerdict,
  type Recording,
  readQuestion,
  recorded,
  undecided,
} from './question-answer.ts'

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
    const read = bytes && readQuestion(bytes)
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

/** So many answers may wait for the one before them. */
const MOST_OPEN = 64

export class InOrder<T> {
  readonly #write: (answer: T) => Promise<void>
  readonly #signal: AbortSignal
  #last: Promise<void> = Promise.resolve()
  #open = 0

  constructor(write: (answer: T) => Promise<void>, signal: AbortSignal) {
    this.#write = write
    this.#signal = signal
  }

  /**
   * @param isFar the asker may go on while this answer is awaited
   * @throws RlpError CANCELLED, and what the answers before throw
   */
  async add(answer: Promise<T>, isFar: boolean): Promise<void> {
    this.#open++
    this.#last = this.#written(this.#last, answer)
    // What fails is thrown where the last answer is awaited.
    void Promise.allSettled([this.#last])
    if (isFar && this.#open < MOST_OPEN) return
    // One bundle of this machine is judged at a time.
    await Promise.allSettled([answer])
    if (this.#open <= 1 || this.#open >= MOST_OPEN || this.#signal.aborted) await this.#last
  }

  end(): Promise<void> {
    return this.#last
  }

  async #written(before: Promise<void>, answer: Promise<T>): Promise<void> {
    await before
    const known = await answer
    throwIfCancelled(this.#signal, 'answering')
    await this.#write(known)
    this.#open--
  }
}
