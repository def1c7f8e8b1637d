// The words of a wizard: questions as data, answers as texts, and what a terminal (or a test) has to do to put a question.

/** The answer that leads to the question before. */
export const BACK = '<'
/** The answer that stands for "nothing" where an empty line means what is shown. */
export const NOTHING = '-'

/** What was answered, by question id. Texts as typed, trimmed; read again by whoever uses them. */
export type Answers = ReadonlyMap<string, string>

interface Asked {
  /** Where an option answers the question too, the option without dashes, up to the first dot. */
  readonly id: string
  readonly message: string
}

export interface TextQuestion extends Asked {
  readonly kind: 'text'
  /** The answer that an empty line gives. Without it, an empty line is an empty answer. */
  readonly fallback?: string
  /** Shown while nothing is typed and there is no fallback. */
  readonly example?: string
  /** {@link NOTHING} is an answer like any other while there is nothing that it could clear. */
  readonly takesDash?: true
  /** What is wrong with an answer, or undefined. The question is put again until nothing is. */
  check(text: string): string | undefined
  /** A remark about an answer that is taken all the same. */
  advise?(text: string): string | undefined
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

export interface ChoiceQuestion extends Asked {
  readonly kind: 'choice'
  readonly choices: readonly Choice[]
  /** The choice that is marked at first. */
  readonly fallback: string
  /** Nobody but a person may take the fallback: without a terminal the option must be there. */
  readonly mustBeAnswered?: true
  /** Shown before the question. */
  readonly before?: Note
}

export interface Note {
  readonly title: string
  readonly text: string
}

export type Question = TextQuestion | ChoiceQuestion

/**
 * The questions, in order, that follow from the answers so far. The part up to and including a question depends only on the answers
 * before it, so that going on after an answer, and back to a question, always finds the way.
 */
export type Questions = (answers: Answers) => readonly Question[]

/** What is wrong with an answer to a question, or undefined. */
export function answerProblem(question: Question, answer: string): string | undefined {
  if (question.kind === 'text') return question.check(answer)
  const values = question.choices.map(({ value }) => value)
  return values.includes(answer) ? undefined : `it is not one of ${values.join(', ')}`
}

/** Whether every question has an answer that it accepts: only then can the answers be read as what they mean. */
export function isComplete(questions: readonly Question[], answers: Answers): boolean {
  return questions.every(question => {
    const answer = answers.get(question.id)
    return answer !== undefined && answerProblem(question, answer) === undefined
  })
}

/** A text question as a terminal puts it. */
export interface TextPrompt {
  readonly message: string
  /** Shown while nothing is typed; what an empty line gives. */
  readonly fallback: string | undefined
  readonly example: string | undefined
  /** `typed` is exactly what was typed. */
  check(typed: string): string | undefined
}

/** A choice as a terminal puts it. `choices` holds the way back where there is one, with the value {@link BACK}. */
export interface ChoicePrompt {
  readonly message: string
  readonly choices: readonly Choice[]
  readonly fallback: string
}

/** Whoever puts questions to a person. Every method that waits throws RlpError CANCELLED when the person stops. */
export interface Prompter {
  intro(title: string): void
  note(text: string, title: string): void
  info(text: string): void
  advice(text: string): void
  outro(text: string): void
  /** What was typed, after `check` had nothing to say about it. */
  text(prompt: TextPrompt): Promise<string>
  /** The `value` of a choice. */
  choose(prompt: ChoicePrompt): Promise<string>
}

export const YES_NO: readonly Choice[] = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
]
