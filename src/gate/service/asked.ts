// The body of a request → the question to judge, or the answer that refuses it.
import { RlpError } from '../../model/error.ts'
import { type GateAnswer, noVerdict } from '../answer.ts'
import { type GateQuestion, readQuestion } from '../question.ts'
import { type Answered, askedAbout, undecided } from '../recorded.ts'
import { mayBeAsked, type ServedPlaces } from './may-be-asked.ts'

export type AskedQuestion =
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
export function noAnswer(why: string): GateAnswer {
  return noVerdict(null, 'bad_question', why, 'docs/gate.md says who may ask, and what')
}

function refusedWith(id: GateAnswer['id'], problem: string, target: string | null): Answered {
  const message = `Cannot answer the question: ${problem}`
  return undecided(
    noVerdict(id, 'bad_question', message, 'docs/gate.md has the members of a question'),
    target,
  )
}
