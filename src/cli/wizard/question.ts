// Types of a wizard: questions as data, answers as texts, and the interface of a terminal (or a test) that asks a question.

/** The answer that goes back to the previous question. */
export const BACK = '<'
/** The answer "nothing", for a question whose empty line takes the default. */
export const NOTHING = '-'

/** Answers by question id. Texts as typed, trimmed; each user reads them again. */
export type Answers = ReadonlyMap<string, string>

interface Asked {
  /** If an option answers the question too: the option without dashes, up to the first dot. */
  readonly id: string
  readonly message: string
  /**
   * The id of a yes/no question. Unless the answer to it is yes, no person is asked this one, and its fallback is the answer. Without a
   * person it makes no difference.
   */
  readonly behind?: string
}

export interface TextQuestion extends Asked {
  readonly kind: 'text'
  /** The answer of an empty line. Without it, an empty line is an empty answer. */
  readonly fallback?: string | undefined
  /** Shown while nothing is typed and there is no fallback. */
  readonly example?: string | undefined
  /** {@link NOTHING} is an ordinary answer while there is nothing to clear. */
  readonly takesDash?: true | undefined
  /** What is wrong with an answer; undefined if it is valid. The question is asked until it is. */
  check(text: string): string | undefined
  /** A remark about an accepted answer. */
  readonly advise?: ((text: string) => string | undefined) | undefined
  /** The same two for an answer that `check` accepted, by a judge who takes his time: asked once, and only while a person types. */
  judge?(text: string): { readonly problem?: string; readonly advice?: string }
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

interface ChoiceQuestion extends Asked {
  readonly kind: 'choice'
  readonly choices: readonly Choice[]
  /** The choice that is marked at first. */
  readonly fallback: string
  /** Only a person may take the fallback: without a terminal the option is required. */
  readonly mustBeAnswered?: true
  /** Shown before the question. */
  readonly before?: Note | undefined
  /** The question that {@link BACK} leads to, in place of the one before, because the fault is there. */
  readonly backTo?: string | undefined
}

export interface Note {
  readonly title: string
  readonly text: string
}

export type Question = TextQuestion | ChoiceQuestion

/**
 * The questions, in order, that follow from the answers so far. The part up to and including a question depends only on the answers
 * before it, so that going forward and back always works.
 */
export type Questions = (answers: Answers) => readonly Question[]

/** What is wrong with an answer to a question; undefined if it is valid. */
export function answerProblem(question: Question, answer: string): string | undefined {
  if (question.kind === 'text') return question.check(answer)
  const values = question.choices.map(({ value }) => value)
  return values.includes(answer) ? undefined : `it is not one of ${values.join(', ')}`
}

/** Whether every question has a valid answer: only then can the answers be used. */
export function isComplete(questions: readonly Question[], answers: Answers): boolean {
  return questions.every(question => {
    const answer = answers.get(question.id)
    return answer !== undefined && answerProblem(question, answer) === undefined
  })
}

/** Whether the person has said that this question need not be asked. */
export function isClosed({ behind }: Question, answers: Answers): boolean {
  return behind !== undefined && answers.get(behind) !== 'yes'
}

/** A text question as a terminal puts it. */
export interface TextPrompt {
  readonly message: string
  /** Shown while nothing is typed; the answer of an empty line. */
  readonly fallback: string | undefined
  readonly example: string | undefined
  /** `typed` is exactly what was typed. */
  check(typed: string): string | undefined
}

/** A choice on a terminal. `choices` includes the way back, if there is one, with the value {@link BACK}. */
export interface ChoicePrompt {
  readonly message: string
  readonly choices: readonly Choice[]
  readonly fallback: string
}

/** Asks a person. Every method that waits throws RlpError CANCELLED if the person stops. */
export interface Prompter {
  intro(title: string): void
  note(text: string, title: string): void
  info(text: string): void
  advice(text: string): void
  outro(text: string): void
  /** The typed text, accepted by `check`. */
  text(prompt: TextPrompt): Promise<string>
  /** The `value` of a choice. Only a wizard offers one: {@link line} is for a question whose answer is yes or no. */
  choose(prompt: ChoicePrompt): Promise<string>
  /** The line that is typed after the question was shown; empty at the end of the input. What was typed before is discarded. */
  line(question: string): Promise<string>
}

export const YES_NO: readonly Choice[] = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
]
