// One answer about a tool → what lint would say of it, while the person is still at the question.

import { overlay } from '../../agent/overlay.ts'
import { read } from '../../agent/read-agent.ts'
import type { Answers, Question } from '../../cli/wizard/question.ts'
import { valueAt } from '../../json/pointer.ts'
import { lintAgent } from '../../lint/lint.ts'
import { USUAL_RULES } from '../../lint/rules/index.ts'
import { type Rule, UNPREPARED } from '../../lint/rules/rule.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { Files } from '../../model/files.ts'
import type { Finding } from '../../model/finding.ts'
import type { Tool } from '../../model/tools.ts'
import { writePolicy } from '../../policy/write.ts'
import { lineColumn } from '../../text/decode.ts'
import { LISTED_FIELDS } from '../../tools/fields/index.ts'
import { TRANSPORTS } from '../../tools/transports/index.ts'
import { writeToolsV1 } from '../../tools/v1.ts'
import { grant, NO_GRANTS } from '../grant.ts'
import { type ToolContext, type ToolExtras, toolOf, toolQuestions } from './tool-questions.ts'

/** What is taken for an answer that is not given yet. None of them is wrong, so that only the answer itself can be. */
const NOT_YET: ReadonlyMap<string, string> = new Map([
  ['id', 'x'],
  ['description', 'Not answered yet.'],
  ['kind', 'http'],
  ['url', 'https://tool.example/'],
  ['command', '/usr/bin/tool'],
  ['input-schema', 'anything'],
  ['result-schema', 'anything'],
])

/** Where lint finds the answer to each question, from the tool's entry. */
const PLACES: readonly (readonly [name: string, at: Pointer])[] = [
  ...TRANSPORTS.flatMap(({ asked }) =>
    asked.questions.flatMap(({ name, at }) =>
      at === undefined ? [] : [[name, ['transport', ...at]] as const],
    ),
  ),
  ...LISTED_FIELDS.flatMap(([name, { at, flags, typed }]) =>
    typed !== undefined || name === 'stdin'
      ? []
      : // Each part of a budget has a question of its own.
        Object.keys(flags).map(flag => [flag, name === 'budget' ? flag.split('-') : [at[0]]] as const),
  ),
]

/** Rules about files and modules are not about an answer, and would take their time for each. */
const ABOUT_TOOLS: readonly Rule[] = USUAL_RULES.filter(({ id }) =>
  /^(?:json|tools|schema|secrets|caps)\//.test(id),
)

/** The first error about the answer, or else a warning. */
interface Judged {
  readonly problem?: string
  readonly advice?: string
}

/**
 * @param answers those before it count, accepted by their questions
 * @param files of the agent, for the schemas in it
 */
function judgeAnswer(
  name: string,
  answer: string,
  answers: Answers,
  context: ToolContext,
  files: Files,
): Judged {
  const tool = toolOf(answersUpTo(name, answer, answers, context), context)
  const found = findingsOf(tool, files).flatMap(one => (one.name === name ? [one.finding] : []))
  const error = found.find(({ severity }) => severity === 'error')
  if (error !== undefined) return { problem: sentences(error) }
  const warning = found.find(({ severity }) => severity === 'warning')
  return warning === undefined ? {} : { advice: sentences(warning) }
}

/** The questions about a tool; lint judges each typed answer. */
export function judgedQuestions(answers: Answers, context: ToolContext, files: Files): Question[] {
  return toolQuestions(answers, context).map(question => withJudge(question, answers, context, files))
}

/** @param question one of `toolQuestions(answers, context)` */
export function withJudge(
  question: Question,
  answers: Answers,
  context: ToolContext,
  files: Files,
): Question {
  if (question.kind !== 'text') return question
  const name = question.id.slice(context.prefix.length)
  return { ...question, judge: text => judgeAnswer(name, text, answers, context, files) }
}

/** The id of the question whose answer is the first error of the whole tool. */
export function faultIn(
  answers: Answers,
  context: ToolContext,
  files: Files,
  extras: ToolExtras,
): string | undefined {
  const found = findingsOf(toolOf(answers, context, extras), files)
  const fault = found.find(({ finding, name }) => finding.severity === 'error' && name !== undefined)
  return fault && context.prefix + fault.name
}

/** Of a tool that is granted what it needs. */
function findingsOf(tool: Tool, files: Files): { finding: Finding; name: string | undefined }[] {
  const { policy } = grant(NO_GRANTS, [tool])
  const changes = new Map([
    [TOOLS_FILE, writeToolsV1([tool])],
    [POLICY_FILE, writePolicy(policy)],
  ])
  const agent = read(overlay(files, changes), 'x')
  return lintAgent(agent, UNPREPARED, ABOUT_TOOLS)
    .filter(({ file }) => file === TOOLS_FILE)
    .map(finding => ({ finding, name: questionAt(agent, finding)?.name }))
}

function answersUpTo(name: string, answer: string, answers: Answers, context: ToolContext): Answers {
  const known = new Map<string, string>()
  let isBefore = true
  for (let at = 0; ; at++) {
    const question = toolQuestions(known, context)[at]
    if (question === undefined) return known
    const own = question.id.slice(context.prefix.length)
    if (own === name) isBefore = false
    const given = own === name ? answer : isBefore ? answers.get(question.id) : undefined
    // A header that is asked for later is not missed yet.
    const later = question.kind === 'text' && own.startsWith('header') ? question.example : undefined
    known.set(question.id, given ?? NOT_YET.get(own) ?? later ?? question.fallback ?? '')
  }
}

/** The question whose answer a finding is about, and the number of its tool. */
export function questionAt(
  { documents, tools }: Agent,
  { file, line, column }: Pick<Finding, 'file' | 'line' | 'column'>,
): { readonly index: number; readonly name: string } | undefined {
  const document = file === TOOLS_FILE ? documents.get(TOOLS_FILE) : undefined
  if (document === undefined) return undefined
  const isIn = (pointer: Pointer) => {
    const { start, end } = document.locate(pointer)
    const [from, to] = [lineColumn(document.text, start), lineColumn(document.text, end)]
    const isAfter = line > from.line || (line === from.line && column >= from.column)
    return isAfter && (line < to.line || (line === to.line && column <= to.column))
  }
  for (const index of (tools?.tools ?? []).keys()) {
    if (!isIn(['tools', index])) continue
    const found = PLACES.find(([, at]) => {
      const pointer = ['tools', index, ...at]
      // A pointer that leads nowhere is the place of what is around it.
      return valueAt(document.value, pointer) !== undefined && isIn(pointer)
    })
    if (found !== undefined) return { index, name: found[0] }
  }
  return undefined
}

function sentences({ message, fix }: Finding): string {
  return `${message}. ${fix}`
}
