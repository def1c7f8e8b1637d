// The questions about a new agent, and the meaning of the answers.
import { type Answers, type Question, YES_NO } from '../../cli/wizard/question.ts'
import type { OpeningAnswers } from '../opening.ts'
import { type ScaffoldAnswers, usualDescription } from '../scaffold.ts'
import { descriptionProblem, hostProblem, hostsOf, itemsOf, NO_MODEL } from './answer.ts'
import { listQuestion, moreQuestions } from './more-questions.ts'
import type { ScaffoldContext } from './scaffold-context.ts'
import { NO_EXTRAS, toolOf } from './tool-answer.ts'
import { schemaFilesOf, type ToolContext, toolQuestions } from './tool-questions.ts'

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
