// The same questions without a person: answered by options, and otherwise by their defaults.
import { type Answers, answerProblem, type Question, type Questions } from '../../cli/wizard/question.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { quoted } from '../../text/printable.ts'

/**
 * @param doing in words for messages: `add a tool to "agents/x"`
 * @param said the answers that are checked: those of the caller, not what a file has
 * @throws UsageError if a given answer is wrong or belongs to no question
 * @throws RlpError NEEDS_ANSWER for a missing answer that only a person can give
 */
export function answerAll(
  questions: Questions,
  given: Answers,
  doing: string,
  said: Answers = given,
): Answers {
  checkGiven(questions, given, said)
  const { answers, missing } = answered(questions, given)
  if (missing === undefined) return answers
  const flag = flagOf(missing.id)
  throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: --${flag} is missing, and no person can be asked`, {
    hint: `Add --${flag}: ${missing.message}`,
  })
}

/** Whether options and defaults answer every question. */
export function isAnswered(questions: Questions, given: Answers): boolean {
  return answered(questions, given).missing === undefined
}

/** @throws UsageError if a given answer is wrong, or belongs to no question under the other options */
export function checkGiven(questions: Questions, given: Answers, said: Answers = given): void {
  const asked = new Map(
    questions(answered(questions, given).answers).map(question => [question.id, question]),
  )
  for (const [id, answer] of said) {
    const question = asked.get(id)
    const flag = flagOf(id)
    if (question === undefined)
      throw new UsageError(`Cannot use --${flag}: it does not go with the other options`, { field: flag })
    const problem = answerProblem(question, answer)
    if (problem !== undefined)
      throw new UsageError(`Cannot use --${flag}: ${quoted(answer)} is refused: ${problem}`, { field: flag })
  }
}

function answered(questions: Questions, given: Answers): { answers: Answers; missing: Question | undefined } {
  const answers = new Map(given)
  for (let at = 0; ; at++) {
    const question = questions(answers)[at]
    if (question === undefined) return { answers, missing: undefined }
    if (answers.has(question.id)) continue
    if (!answersItself(question)) return { answers, missing: question }
    answers.set(question.id, question.fallback ?? '')
  }
}

function answersItself(question: Question): boolean {
  if (question.kind === 'choice') return question.mustBeAnswered !== true
  return question.check(question.fallback ?? '') === undefined
}

function flagOf(id: string): string {
  return id.replace(/\..*$/, '')
}
