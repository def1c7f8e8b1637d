// The questions about a new agent, in the order of the existing wizard (runloop case `wizard-order`), and the meaning of the answers.

import { type Answers, type Question, type TextQuestion, YES_NO } from '../../cli/wizard/question.ts'
import type { Files } from '../../model/files.ts'
import type { OpeningAnswers } from '../opening.ts'
import { isParamName } from '../opening.ts'
import type { ScaffoldAnswers } from '../scaffold.ts'
import {
  descriptionProblem,
  eachItem,
  folderProblem,
  hostProblem,
  hostsOf,
  itemsOf,
  modelProblem,
  NO_MODEL,
  nameProblem,
  secretAdvice,
} from './answer.ts'
import { NO_EXTRAS, toolOf } from './tool-answer.ts'
import { schemaFilesOf, type ToolContext, toolQuestions } from './tool-questions.ts'

/** What is known from the command line before the first question. */
export interface ScaffoldContext {
  readonly name: string
  /** The value of an empty answer, if an option has set it. */
  readonly description: string | undefined
  readonly model: string | undefined
  readonly modelSecret: string | undefined
  /** The suggestion for the question about an opening: yes for a person, no without one. */
  readonly opening: 'yes' | 'no'
  /** The current content of the folder, with --force. */
  readonly existing: Files | undefined
}

/** All questions that follow from the answers so far. */
export function scaffoldQuestions(answers: Answers, context: ScaffoldContext): Question[] {
  return [
    {
      kind: 'text',
      id: 'description',
      message: 'Description',
      fallback: context.description ?? `Agent ${context.name}`,
      check: descriptionProblem,
    },
    {
      kind: 'text',
      id: 'model',
      message: `Model id (${NO_MODEL} for an agent without a model)`,
      fallback: context.model ?? 'null:echo',
      check: modelProblem,
    },
    ...(answers.get('model') === NO_MODEL ? [] : [modelSecretQuestion(context.modelSecret)]),
    listQuestion(
      'cap-fs',
      'Filesystem roots (comma-separated)',
      folderProblem,
      `~/.runloop/artifacts/${context.name}`,
    ),
    listQuestion('cap-net', 'Network hosts (comma-separated, blank for none)', hostProblem),
    listQuestion('cap-kb-read', 'KB read domains (comma-separated, blank for none)', nameProblem),
    listQuestion('cap-kb-write', 'KB write domains (comma-separated, blank for none)', nameProblem),
    ...attachmentQuestions(answers, context),
    ...openingQuestions(answers, context),
  ]
}

function modelSecretQuestion(fallback: string | undefined): TextQuestion {
  return {
    kind: 'text',
    id: 'model-secret',
    message: 'Secret id for model (optional)',
    ...(fallback !== undefined && { fallback }),
    check: text => (text === '' ? undefined : text.includes(',') ? 'name one secret' : nameProblem(text)),
    advise: secretAdvice,
  }
}

function listQuestion(
  id: string,
  message: string,
  problemOf: (item: string) => string | undefined,
  fallback?: string,
): TextQuestion {
  return {
    kind: 'text',
    id,
    message,
    ...(fallback !== undefined && { fallback }),
    check: eachItem(problemOf),
  }
}

/** "Add a tool?", and while the answer is yes, the questions about it. */
function attachmentQuestions(answers: Answers, context: ScaffoldContext): Question[] {
  const questions: Question[] = []
  for (let number = 1; ; number++) {
    const id = `tool${number}`
    questions.push({ kind: 'choice', id, message: 'Add a tool attachment?', choices: YES_NO, fallback: 'no' })
    if (answers.get(id) !== 'yes') return questions
    questions.push(...toolQuestions(answers, toolContext(answers, context, number)))
  }
}

function toolContext(answers: Answers, { existing }: ScaffoldContext, number: number): ToolContext {
  const taken = Array.from({ length: number - 1 }, (_, index) => answers.get(`tool${index + 1}.id`) ?? '')
  return { prefix: `tool${number}.`, taken, schemaFiles: existing ? schemaFilesOf(existing) : [] }
}

function openingQuestions(answers: Answers, { name, opening }: ScaffoldContext): Question[] {
  const first: Question = {
    kind: 'choice',
    id: 'opening',
    message: 'Generate starter opening YAML?',
    choices: YES_NO,
    fallback: opening,
  }
  if (answers.get('opening') !== 'yes') return [first]
  return [
    first,
    {
      kind: 'text',
      id: 'goal',
      message: 'Opening goal description',
      fallback: `run the ${name} agent`,
      check: descriptionProblem,
    },
    {
      kind: 'text',
      id: 'param',
      message: 'Primary param name',
      fallback: 'prompt',
      check: text =>
        isParamName(text) ? undefined : 'write letters, digits and underscores, not beginning with a digit',
    },
  ]
}

/** @param answers to all of {@link scaffoldQuestions} */
export function scaffoldAnswersOf(answers: Answers, context: ScaffoldContext): ScaffoldAnswers {
  const text = (id: string) => answers.get(id) ?? ''
  const model = text('model')
  const tools: ScaffoldAnswers['tools'][number][] = []
  while (text(`tool${tools.length + 1}`) === 'yes') {
    tools.push(toolOf(answers, toolContext(answers, context, tools.length + 1), NO_EXTRAS))
  }
  return {
    name: context.name,
    description: text('description'),
    model: model === NO_MODEL ? undefined : model,
    modelSecret: model === NO_MODEL || text('model-secret') === '' ? undefined : text('model-secret'),
    fs: itemsOf(text('cap-fs')),
    net: hostsOf(text('cap-net')),
    kbRead: itemsOf(text('cap-kb-read')),
    kbWrite: itemsOf(text('cap-kb-write')),
    tools,
  }
}

/** The answers about the opening; undefined if there shall be none. */
export function openingAnswersOf(answers: Answers, { name }: ScaffoldContext): OpeningAnswers | undefined {
  if (answers.get('opening') !== 'yes') return undefined
  return { agent: name, goal: answers.get('goal') ?? '', param: answers.get('param') ?? '' }
}
