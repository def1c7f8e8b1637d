// The answers so far → the last question of the scaffold wizard, with everything that would be written.
import { writeQuestion } from '../../cli/interactive.ts'
import { type Answers, isComplete, type Note, type Question } from '../../cli/wizard/question.ts'
import { block, grantLines, toolLine } from '../../cli/wizard/summary.ts'
import { NO_FILES, overlay } from '../../format/agent/overlay.ts'
import { read } from '../../format/agent/read-agent.ts'
import { lint } from '../../lint/lint.ts'
import { RULES } from '../../lint/rules/index.ts'
import type { Rule } from '../../lint/rules/rule.ts'
import { UNPREPARED } from '../../lint/rules/rule.ts'
import { POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'
import { scaffold, scaffoldPolicy } from '../scaffold.ts'
import type { ScaffoldContext } from './scaffold-context.ts'
import { openingAnswersOf, scaffoldAnswersOf } from './scaffold-questions.ts'

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
  if (!isComplete(questions, answers)) return [...questions, writeQuestion(undefined)]
  return [...questions, writeQuestion(planOf(answers, context, place, rules))]
}

function planOf(
  answers: Answers,
  context: ScaffoldContext,
  place: Labels,
  rules: readonly Rule[],
): { note: Note; isBlocked: boolean } {
  const said = scaffoldAnswersOf(answers, context)
  const files = scaffold(said)
  const agent = read(overlay(context.existing ?? NO_FILES, files), context.name)
  // Only findings that the answers cause: rlp agent digest updates the digests of files that were there before.
  const errors = lint(agent, UNPREPARED, rules).filter(
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
  return { note: { title: 'What will be written', text }, isBlocked: errors.length > 0 }
}
