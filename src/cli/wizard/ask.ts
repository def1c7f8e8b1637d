// Asks the questions of a wizard one after another, with a way back, and sums up what is about to be written for the person who decides.

import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import { writePolicy } from '../../policy/write.ts'
import { transportKind } from '../../tools/transports/index.ts'
import {
  type Answers,
  answerProblem,
  BACK,
  isClosed,
  NOTHING,
  type Prompter,
  type Question,
  type Questions,
  type TextQuestion,
} from './question.ts'

/**
 * Asks the questions without an answer, one after the other. Going back leads to the previous question, with its old answer as the
 * default. Answers to questions that are no longer asked are kept, in case the person comes back to them.
 * @param given answers from options
 * @returns the answers to exactly the questions on the way that was taken, including the given ones
 * @throws RlpError CANCELLED if the person stops
 */
export async function askAll(
  questions: Questions,
  prompter: Prompter,
  given: Answers = new Map(),
): Promise<Answers> {
  const answers = new Map(given)
  const now = () => withFallbacks(questions, answers, given)
  const pending = () => {
    const known = now()
    return questions(known).filter(question => !given.has(question.id) && !isClosed(question, known))
  }
  const history: string[] = []
  let isCorrecting = false
  let question = pending()[0]
  while (question !== undefined) {
    const { id } = question
    const reply = await put(question, answers.get(id), history, prompter)
    if (reply === undefined) {
      const fault = faultOf(question, history)
      isCorrecting = fault !== undefined
      const previous = fault ?? history.at(-1)
      history.length = history.lastIndexOf(previous ?? '')
      question = pending().find(({ id }) => id === previous)
      continue
    }
    answers.set(id, reply)
    history.push(id)
    const rest = pending()
    let next = rest.findIndex(other => other.id === id) + 1
    // A person who has come back to one fault is not asked what was right.
    for (; isCorrecting; next++) {
      const other = rest[next]
      if (other === undefined || !stays(other, answers)) isCorrecting = false
      else history.push(other.id)
      if (!isCorrecting) break
    }
    question = rest[next]
  }
  const known = now()
  const asked = new Set(questions(known).map(({ id }) => id))
  return new Map([...known].filter(([id]) => asked.has(id)))
}

/** The answers, with the fallback of each question that need not be asked, also where the person had answered it before. */
function withFallbacks(questions: Questions, answers: Answers, given: Answers): Answers {
  const known = new Map(answers)
  for (;;) {
    const closed = questions(known).find(
      question =>
        !given.has(question.id) &&
        isClosed(question, known) &&
        known.get(question.id) !== (question.fallback ?? ''),
    )
    if (closed === undefined) return known
    known.set(closed.id, closed.fallback ?? '')
  }
}

/** Where going back leads to, other than to the question before. */
function faultOf(question: Question, history: readonly string[]): string | undefined {
  const fault = question.kind === 'choice' ? question.backTo : undefined
  return fault !== undefined && history.includes(fault) ? fault : undefined
}

/** What was shown before a question may have changed with another answer, so it is shown again. */
function stays(question: Question, answers: Answers): boolean {
  const answer = answers.get(question.id)
  if (answer === undefined || answerProblem(question, answer) !== undefined) return false
  return question.kind === 'text' || question.before === undefined
}

/** The answer, or undefined to go back. */
async function put(
  question: Question,
  former: string | undefined,
  history: readonly string[],
  prompter: Prompter,
): Promise<string | undefined> {
  const canGoBack = history.length > 0
  if (question.kind === 'text') return putText(question, former, canGoBack, prompter)
  const { message, before } = question
  if (before !== undefined) prompter.note(before.text, before.title)
  const where = faultOf(question, history) === undefined ? '' : ' to the answer that is at fault'
  const choices = canGoBack
    ? [...question.choices, { value: BACK, label: `← Back${where}` }]
    : question.choices
  const fallback = [former, question.fallback, choices[0]?.value].find(
    wanted => wanted !== undefined && choices.some(({ value }) => value === wanted),
  )
  const chosen = await prompter.choose({ message, choices, fallback: fallback ?? question.fallback })
  return chosen === BACK ? undefined : chosen
}

async function putText(
  question: TextQuestion,
  former: string | undefined,
  canGoBack: boolean,
  prompter: Prompter,
): Promise<string | undefined> {
  const { message, example } = question
  const fallback = former ?? question.fallback
  let judged: ReturnType<NonNullable<TextQuestion['judge']>> = {}
  const typed = await prompter.text({
    message,
    fallback: fallback === '' ? undefined : fallback,
    example,
    check(typed) {
      if (typed.trim() === BACK) return canGoBack ? undefined : 'This is the first question; Ctrl-C stops'
      const answer = resolve(typed, fallback, question)
      const problem = question.check(answer)
      judged = (problem === undefined && question.judge?.(answer)) || {}
      return problem ?? judged.problem
    },
  })
  if (typed.trim() === BACK) return undefined
  const answer = resolve(typed, fallback, question)
  for (const advice of [question.advise?.(answer), judged.advice])
    if (advice !== undefined) prompter.advice(advice)
  return answer
}

/** The meaning of a typed line: an empty one takes the default, a single dash clears it. */
function resolve(typed: string, fallback: string | undefined, { takesDash }: TextQuestion): string {
  const text = typed.trim()
  if (text === '') return fallback ?? ''
  const clears = text === NOTHING && (takesDash === undefined || (fallback ?? '') !== '')
  return clears ? '' : text
}

/** One line: id and what it reaches. */
export function toolLine({ id, transport, requiresConfirmation }: Tool): string {
  return `${id}  ${transportKind(transport).shown.line(transport)}${requiresConfirmation ? '  (asks first)' : ''}`
}

/** The lines of a policy that grant something. */
export function grantLines(policy: Policy): string[] {
  return writePolicy(policy)
    .split('\n')
    .slice(1)
    .filter(line => line !== '' && !/ = (?:\[\]|false)$/.test(line))
}

/** A heading and its lines, indented; nothing without lines. */
export function block(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map(line => `  ${line}`)]
}
