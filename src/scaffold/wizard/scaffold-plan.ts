// The answers so far → the last question of the scaffold wizard, with everything that would be written.

import { NO_FILES, overlay } from '../../agent/overlay.ts'
import { read } from '../../agent/read-agent.ts'
import { type WritePlan, writeQuestion } from '../../cli/interactive.ts'
import { block, grantLines, toolLine } from '../../cli/wizard/ask.ts'
import { type Answers, isComplete, type Question } from '../../cli/wizard/question.ts'
import { lintAgent } from '../../lint/lint.ts'
import { RULES } from '../../lint/rules/index.ts'
import type { Rule } from '../../lint/rules/rule.ts'
import { UNPREPARED } from '../../lint/rules/rule.ts'
import { POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'
import { scaffoldFiles, scaffoldPolicy } from '../scaffold.ts'
import { questionAt, withJudge } from './judge-answer.ts'
import {
  openingAnswersOf,
  type ScaffoldContext,
  scaffoldAnswersOf,
  toolContext,
} from './scaffold-questions.ts'

/** Names of the agent's folder and its opening in messages. */
interface Labels {
  readonly label: string
  readonly opening: string
}

/** The questions and, once all of them are answered, the summary with the question whether to write. */
export function withSummary(
  questions: readonly Question[],
  answers: Answers,
  context: ScaffoldContext,
  place: Labels,
  rules: readonly Rule[] = RULES,
): Question[] {
  const judged = questions.map(question => judgedAs(question, answers, context))
  if (!isComplete(questions, answers)) return [...judged, writeQuestion(undefined)]
  return [...judged, writeQuestion(planOf(answers, context, place, rules))]
}

/** A question about a tool, with what lint says of the answer. */
function judgedAs(question: Question, answers: Answers, context: ScaffoldContext): Question {
  const number = /^tool([0-9]+)\./.exec(question.id)?.[1]
  if (number === undefined) return question
  const tool = toolContext(answers, context, Number(number))
  return withJudge(question, answers, tool, context.existing ?? NO_FILES)
}

function planOf(
  answers: Answers,
  context: ScaffoldContext,
  place: Labels,
  rules: readonly Rule[],
): WritePlan {
  const said = scaffoldAnswersOf(answers, context)
  const files = scaffoldFiles(said)
  const agent = read(overlay(context.existing ?? NO_FILES, files), context.name)
  // Only findings that the answers cause: rlp agent digest updates the digests of files that were there before.
  const errors = lintAgent(agent, UNPREPARED, rules).filter(
    ({ file, severity }) => severity === 'error' && (file === TOOLS_FILE || file === POLICY_FILE),
  )
  const text = [
    ...block(place.label, [...files.keys()]),
    ...(openingAnswersOf(answers, context) ? [place.opening] : []),
    ...block('Tools', said.tools.map(toolLine)),
    ...block('Grants (policy.caps)', grantLines(scaffoldPolicy(said))),
    ...block(
      'Problems',
      errors.map(({ file, message, fix }) => `${file}: ${message}. ${fix}`),
    ),
  ].join('\n')
  const [fault] = errors.flatMap(error => questionAt(agent, error) ?? [])
  return {
    note: { title: 'What will be written', text },
    isBlocked: errors.length > 0,
    // The tools of these answers come last, and nothing else is in the new file.
    fault: fault && `tool${fault.index + 1}.${fault.name}`,
  }
}
