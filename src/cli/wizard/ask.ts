// Questions + a prompter → answers, with a way back; and the same questions answered by options alone.
import { RlpError } from '../../model/error.ts'
import { quoted } from '../render/sanitize.ts'
import { UsageError } from '../usage-error.ts'
import {
  type Answers,
  BACK,
  NOTHING,
  type Prompter,
  type Question,
  type Questions,
  type TextQuestion,
} from './question.ts'

/**
 * Puts the questions one after the other. Going back leads to the question before with its former answer as the one an empty line
 * gives; answers to questions that are no longer asked are kept aside, in case the way leads there again.
 *
 * @throws RlpError CANCELLED when the person stops
 */
export async function askAll(questions: Questions, prompter: Prompter): Promise<Answers> {
  const answers = new Map<string, string>()
  const history: string[] = []
  let question = questions(answers)[0]
  while (question !== undefined) {
    const { id } = question
    const reply = await put(question, answers.get(id), history.length > 0, prompter)
    if (reply === undefined) {
      const previous = history.pop()
      question = questions(answers).find(({ id }) => id === previous)
      continue
    }
    answers.set(id, reply)
    history.push(id)
    const now = questions(answers)
    question = now[now.findIndex(other => other.id === id) + 1]
  }
  return answersOf(questions, answers)
}

/** The answer, or undefined for the way back. */
async function put(
  question: Question,
  former: string | undefined,
  canGoBack: boolean,
  prompter: Prompter,
): Promise<string | undefined> {
  if (question.kind === 'choice') {
    const { message, before } = question
    if (before !== undefined) prompter.note(before.text, before.title)
    const choices = canGoBack ? [...question.choices, { value: BACK, label: '← Back' }] : question.choices
    const isOffered = choices.some(({ value }) => value === former)
    const fallback = former !== undefined && isOffered ? former : question.fallback
    const chosen = await prompter.choose({ message, choices, fallback })
    return chosen === BACK ? undefined : chosen
  }
  const { message, example } = question
  const fallback = former ?? question.fallback
  const typed = await prompter.text({
    message,
    fallback: fallback === '' ? undefined : fallback,
    example,
    check(typed) {
      if (typed.trim() !== BACK) return checkText(question, typed, fallback)
      return canGoBack ? undefined : 'This is the first question; Ctrl-C stops'
    },
  })
  if (typed.trim() === BACK) return undefined
  const answer = resolve(typed, fallback)
  const advice = question.advise?.(answer)
  if (advice !== undefined) prompter.advice(advice)
  return answer
}

function checkText(question: TextQuestion, typed: string, fallback: string | undefined): string | undefined {
  return question.check(resolve(typed, fallback))
}

function resolve(typed: string, fallback: string | undefined): string {
  const text = typed.trim()
  if (text === NOTHING) return ''
  return text === '' ? (fallback ?? '') : text
}

/** The questions answered by `given` and, where nothing is given, by what an empty line would say. Puts no question. */
export interface Given {
  /** In words for messages: `add a tool to "agents/x"`. */
  readonly doing: string
  readonly answers: Answers
}

/**
 * @throws UsageError when a given answer is wrong
 * @throws RlpError NEEDS_ANSWER when an answer is missing that has no fallback
 */
export function answerAll(questions: Questions, given: Given): Answers {
  const answers = new Map(given.answers)
  for (let at = 0; ; at++) {
    const question = questions(answers)[at]
    if (question === undefined) return answersOf(questions, answers)
    const answer = answers.get(question.id)
    if (answer !== undefined) checkGiven(question, answer)
    else answers.set(question.id, unasked(question, given.doing))
  }
}

/** The first question that neither an option nor a fallback answers. */
export function firstUnanswered(questions: Questions, given: Answers): Question | undefined {
  const answers = new Map(given)
  for (let at = 0; ; at++) {
    const question = questions(answers)[at]
    if (question === undefined) return undefined
    if (answers.has(question.id)) continue
    if (!hasOwnAnswer(question)) return question
    answers.set(question.id, question.fallback ?? '')
  }
}

/** @throws UsageError naming the option when an answer that an option gave is wrong */
export function checkGiven(question: Question, answer: string): void {
  const problem =
    question.kind === 'text'
      ? question.check(answer)
      : question.choices.some(({ value }) => value === answer)
        ? undefined
        : `it is not one of ${question.choices.map(({ value }) => value).join(', ')}`
  if (problem === undefined) return
  const flag = question.flag ?? question.id
  throw new UsageError(`Cannot use --${flag}: ${quoted(answer)}: ${problem}`, { field: flag })
}

function unasked(question: Question, doing: string): string {
  if (hasOwnAnswer(question)) return question.fallback ?? ''
  const flag = question.flag ?? question.id
  throw new RlpError(
    'NEEDS_ANSWER',
    `Cannot ${doing}: --${flag} is missing, and there is no terminal to ask on`,
    {
      hint: `Add --${flag}: ${question.message}`,
    },
  )
}

function hasOwnAnswer(question: Question): boolean {
  if (question.kind === 'choice') return question.mustBeAnswered !== true
  return question.check(question.fallback ?? '') === undefined
}

/** Only the answers to questions that belong to the way that was taken. */
function answersOf(questions: Questions, answers: Answers): Answers {
  const asked = new Set(questions(answers).map(({ id }) => id))
  return new Map([...answers].filter(([id]) => asked.has(id)))
}
