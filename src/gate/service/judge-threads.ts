// Questions about bundles of this machine → threads that judge them, one for each core. A thread that dies costs its questions, which are refused.
import { availableParallelism } from 'node:os'
import { besideFile, startThread, type Thread } from '../../io/process/thread.ts'
import type { Judging } from '../../verify/examine.ts'
import { type Answered, askedAbout, type GateQuestion, noVerdict, undecided } from '../question-answer.ts'

/** What a thread judges by. It asks no registry. */
export interface JudgeGiven {
  readonly cwd: string
  /** Nothing below these folders is read through a link: absolute, and without one themselves. */
  readonly folders: readonly string[]
  readonly trust: Pick<Judging, 'trustPolicy' | 'isForPerson'>
}

export interface QuestionInThread {
  readonly number: number
  readonly question: GateQuestion
}

export interface JudgedInThread {
  readonly number: number
  readonly answered: Answered
  /** The stack of a defect of this program. */
  readonly defect: string | undefined
}

/** Megabytes of a thread for what lives shortly: many questions are under way in it at once, and with less what they hold is moved again and again. */
const YOUNG = 32

interface Waiting {
  readonly question: GateQuestion
  end(answered: Answered): void
}

interface Uses {
  readonly onDefect: (error: unknown) => void
  readonly here: (question: GateQuestion) => Promise<Answered>
  /** Tests pass another one. */
  readonly start?: typeof startThread
}

export class JudgeThreads {
  readonly #lines: Line[]
  #last = 0

  /** @param here judges without a thread, where none may be started: `node --permission` allows none without --allow-worker */
  constructor(given: JudgeGiven, uses: Uses, width: number = availableParallelism()) {
    this.#lines = Array.from({ length: width }, () => new Line(given, uses))
  }

  judge(question: GateQuestion): Promise<Answered> {
    const [first] = this.#lines.toSorted((a, b) => a.waiting - b.waiting)
    return first === undefined ? Promise.resolve(lost(question)) : first.judge(this.#last++, question)
  }

  end(): void {
    for (const line of this.#lines) line.end()
  }
}

/** One thread after another, each begun where the one before has died. */
class Line {
  readonly #given: JudgeGiven
  readonly #uses: Uses
  readonly #waiting = new Map<number, Waiting>()
  #thread: Thread | undefined

  constructor(given: JudgeGiven, uses: Uses) {
    this.#given = given
    this.#uses = uses
  }

  get waiting(): number {
    return this.#waiting.size
  }

  judge(number: number, question: GateQuestion): Promise<Answered> {
    const thread = this.#begun()
    if (thread === undefined) return this.#uses.here(question)
    return new Promise(end => {
      this.#waiting.set(number, { question, end })
      thread.post({ number, question } satisfies QuestionInThread)
    })
  }

  end(): void {
    this.#thread?.letGo()
    this.#thread = undefined
  }

  /** Undefined where none may be started. */
  #begun(): Thread | undefined {
    const { start = startThread } = this.#uses
    try {
      this.#thread ??= start(besideFile(import.meta.filename, 'gate-worker'), this.#given, YOUNG, {
        message: message => this.#judged(message as JudgedInThread),
        lost: cause => this.#lost(cause),
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_ACCESS_DENIED') throw error
    }
    return this.#thread
  }

  #judged({ number, answered, defect }: JudgedInThread): void {
    if (defect !== undefined) this.#uses.onDefect(defect)
    this.#waiting.get(number)?.end(answered)
    this.#waiting.delete(number)
  }

  #lost(cause: unknown): void {
    this.#thread = undefined
    this.#uses.onDefect(cause)
    for (const { question, end } of this.#waiting.values()) end(lost(question))
    this.#waiting.clear()
  }
}

function lost(question: GateQuestion): Answered {
  const why = noVerdict(question.id, 'internal_error', 'The thread that judged it has ended', 'Ask again')
  return undecided(why, askedAbout(question))
}
