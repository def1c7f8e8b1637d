// The answers about a new agent: those that options give, and those of a person, who is asked for the others.
import { HOW_TO_ANSWER, refusedToWrite } from '../../cli/interactive.ts'
import { askAll } from '../../cli/wizard/ask.ts'
import type { Answers, Prompter } from '../../cli/wizard/question.ts'
import { readTree } from '../../io/read/read-tree.ts'
import type { AskPerson } from '../../verb/kinds/questions.ts'
import type { OpeningAnswers, ScaffoldAnswers } from '../scaffold.ts'
import type { SaidOfAgent } from '../scaffold-inputs.ts'
import type { ScaffoldPlace } from '../write-scaffold.ts'
import { scaffoldLine } from './command-line.ts'
import { withSummary } from './scaffold-plan.ts'
import {
  openingAnswersOf,
  type ScaffoldContext,
  scaffoldAnswersOf,
  scaffoldQuestions,
} from './scaffold-questions.ts'
import { answerAll, checkGiven } from './unasked.ts'

/** A new agent, as far as options and the folder say what it is. */
interface Begun {
  readonly name: string
  readonly said: SaidOfAgent
  readonly place: ScaffoldPlace
  readonly force: boolean
  /** Whether the agent's folder is there. */
  readonly isThere: boolean
  readonly asking: AskPerson | undefined
  /** The person who was asked for the name. */
  readonly prompter: Prompter | undefined
}

export interface AnsweredAgent {
  readonly answers: ScaffoldAnswers
  /** Undefined if there shall be none. */
  readonly opening: OpeningAnswers | undefined
  /** A person who was asked, and what they could have typed. */
  readonly person?: { readonly prompter: Prompter; readonly line: string } | undefined
}

/** @throws UsageError for an option that its question refuses; RlpError CANCELLED if the person stops, at the latest at the last question */
export async function answersFor(begun: Begun): Promise<AnsweredAgent> {
  const { name, said, place, force, isThere, asking } = begun
  const { description, model, modelSecret, root, opening } = said
  const existing =
    isThere && asking ? await readTree(place.path, place.label, { as: 'source', digest: 'held' }) : undefined
  const context = { name, description, model: model || undefined, modelSecret, existing }
  const questions = (answers: Answers) => scaffoldQuestions(answers, context)
  const given = givenBy(said)
  const all = new Map([...given, ...suggestions(said)])
  checkGiven(questions, all)
  const doing = `scaffold "${name}"`
  if (asking === undefined) return answered(answerAll(questions, all, doing), context)
  const prompter = begun.prompter ?? (await asking(doing))
  if (begun.prompter === undefined) prompter.intro(`A new agent: ${name}`)
  prompter.info(HOW_TO_ANSWER)
  const judged = (answers: Answers) => withSummary(questions(answers), answers, context, place)
  const answers = await askAll(judged, prompter, given)
  if (answers.get('write') !== 'yes') throw refusedToWrite(doing)
  const typed = { root: root.label, openingPath: opening.place?.label, force }
  const line = scaffoldLine(answers, context, typed, place.label)
  return { ...answered(answers, context), person: { prompter, line } }
}

function answered(answers: Answers, context: ScaffoldContext): AnsweredAgent {
  return { answers: scaffoldAnswersOf(answers, context), opening: openingAnswersOf(answers, context) }
}

type Given = readonly (readonly [id: string, answer: string | undefined])[]

function stated(given: Given): Map<string, string> {
  return new Map(given.flatMap(([id, answer]) => (answer === undefined ? [] : [[id, answer]])))
}

/** Answers that need no question. */
function givenBy({ fs, net, kbRead, kbWrite, opening }: SaidOfAgent): Map<string, string> {
  const { isWanted, goal, param } = opening
  return stated([
    ['cap-fs', fs?.join(',')],
    ['cap-net', net?.join(',')],
    ['cap-kb-read', kbRead?.join(',')],
    ['cap-kb-write', kbWrite?.join(',')],
    ['opening', isWanted === undefined ? undefined : isWanted ? 'yes' : 'no'],
    ['opening-goal', goal],
    ['opening-param', param],
  ])
}

/** Options that a person may still change; without a person they are the answers. */
function suggestions({ description, model, modelSecret }: SaidOfAgent): Map<string, string> {
  return stated([
    ['description', description],
    ['model', model || undefined],
    ['model-secret', modelSecret],
  ])
}
