// The questions about a new agent, and the meaning of the answers. Those with good defaults come last, in the order of the existing wizard
// (runloop case `wizard-order`).
import { type Answers, type Question, type TextQuestion, YES_NO } from '../../cli/wizard/question.ts'
import type { Files } from '../../model/files.ts'
import {
  goalFor,
  type OpeningAnswers,
  PARAM,
  paramProblem,
  type ScaffoldAnswers,
  usualDescription,
} from '../scaffold.ts'
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
  secretProblem,
} from './answer.ts'
import { NO_EXTRAS, schemaFilesOf, type ToolContext, toolOf, toolQuestions } from './tool-questions.ts'

/** All questions that follow from the answers so far. */
export function scaffoldQuestions(answers: Answers, context: ScaffoldContext): Question[] {
  return [
    {
      kind: 'text',
      id: 'description',
      message: 'Description (what the agent is for)',
      fallback: context.description ?? usualDescription(context.name),
      check: descriptionProblem,
    },
    listQuestion('cap-net', 'Network hosts it may reach (comma-separated, blank for none)', hostProblem),
    ...attachmentQuestions(answers, context),
    {
      kind: 'choice',
      id: MORE,
      message: 'More questions (model, folders, knowledge base, opening)?',
      choices: YES_NO,
      fallback: 'no',
    },
    ...moreQuestions(answers, context).map(question => ({ ...question, behind: MORE })),
  ]
}

/** The question that a person answers with yes to be asked everything. */
const MORE = 'more'

const ADD_TOOL = 'Add a tool (a request or a program that the agent may call)?'

/** "Add a tool?", and while the answer is yes, the questions about it. */
function attachmentQuestions(answers: Answers, context: ScaffoldContext): Question[] {
  const questions: Question[] = []
  for (let number = 1; ; number++) {
    const id = `tool${number}`
    questions.push({ kind: 'choice', id, message: ADD_TOOL, choices: YES_NO, fallback: 'no' })
    if (answers.get(id) !== 'yes') return questions
    questions.push(...toolQuestions(answers, toolContext(answers, context, number)))
  }
}

/** Of the tool with this number, from 1. */
export function toolContext(answers: Answers, { existing }: ScaffoldContext, number: number): ToolContext {
  const taken = Array.from({ length: number - 1 }, (_, index) => answers.get(`tool${index + 1}.id`) ?? '')
  return { prefix: `tool${number}.`, taken, schemaFiles: existing ? schemaFilesOf(existing) : [] }
}

/** @param answers to all of {@link scaffoldQuestions} */
export function scaffoldAnswersOf(answers: Answers, context: ScaffoldContext): ScaffoldAnswers {
  const text = (id: string) => answers.get(id) ?? ''
  const model = text('model')
  const tools: ScaffoldAnswers['tools'][number][] = []
  while (text(`tool${tools.length + 1}`) === 'yes')
    tools.push(toolOf(answers, toolContext(answers, context, tools.length + 1), NO_EXTRAS))
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
  return { agent: name, goal: answers.get('opening-goal') ?? '', param: answers.get('opening-param') ?? '' }
}

function moreQuestions(answers: Answers, context: ScaffoldContext): Question[] {
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

function listQuestion(
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

/** What is known from the command line before the first question. */
export interface ScaffoldContext {
  readonly name: string
  /** The value of an empty answer, if an option has set it. */
  readonly description: string | undefined
  readonly model: string | undefined
  readonly modelSecret: string | undefined
  /** The current content of the folder, with --force. */
  readonly existing: Files | undefined
}
