// The questions about a new agent that have good defaults, in the order of the existing wizard (runloop case `wizard-order`).
import { type Answers, type Question, type TextQuestion, YES_NO } from '../../cli/wizard/question.ts'
import { goalFor, PARAM, paramProblem } from '../opening.ts'
import {
  descriptionProblem,
  eachItem,
  folderProblem,
  modelProblem,
  NO_MODEL,
  nameProblem,
  secretAdvice,
  secretProblem,
} from './answer.ts'
import type { ScaffoldContext } from './scaffold-context.ts'

export function moreQuestions(answers: Answers, context: ScaffoldContext): Question[] {
  return [
    {
      kind: 'text',
      id: 'model',
      message: `Model id (the model it uses; ${NO_MODEL} for an agent without one)`,
      fallback: context.model ?? 'null:echo',
      check: modelProblem,
    },
    ...(answers.get('model') === NO_MODEL ? [] : [modelSecretQuestion(context.modelSecret)]),
    listQuestion(
      'cap-fs',
      'Folders it may read (comma-separated)',
      folderProblem,
      `~/.runloop/artifacts/${context.name}`,
    ),
    listQuestion(
      'cap-kb-read',
      'Knowledge-base domains it may read (comma-separated, blank for none)',
      nameProblem,
    ),
    listQuestion(
      'cap-kb-write',
      'Knowledge-base domains it may write (comma-separated, blank for none)',
      nameProblem,
    ),
    ...openingQuestions(answers, context),
  ]
}

function modelSecretQuestion(fallback: string | undefined): TextQuestion {
  return {
    kind: 'text',
    id: 'model-secret',
    message: 'Secret of the model (the id of its key, blank for none)',
    fallback,
    check: text => (text === '' ? undefined : text.includes(',') ? 'name one secret' : secretProblem(text)),
    advise: secretAdvice,
  }
}

export function listQuestion(
  id: string,
  message: string,
  problemOf: (item: string) => string | undefined,
  fallback?: string,
): TextQuestion {
  return { kind: 'text', id, message, fallback, check: eachItem(problemOf) }
}

function openingQuestions(answers: Answers, { name }: ScaffoldContext): Question[] {
  const first: Question = {
    kind: 'choice',
    id: 'opening',
    message: 'Write an opening (a YAML file that runs the agent once)?',
    choices: YES_NO,
    fallback: 'no',
  }
  if (answers.get('opening') !== 'yes') return [first]
  return [
    first,
    {
      kind: 'text',
      id: 'opening-goal',
      message: 'Goal of the opening (what a run of it is for)',
      fallback: goalFor(name),
      check: descriptionProblem,
    },
    {
      kind: 'text',
      id: 'opening-param',
      message: 'Parameter of the opening (the name of its input)',
      fallback: PARAM,
      check: paramProblem,
    },
  ]
}
