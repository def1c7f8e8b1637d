// The answers about a tool → the last questions of `tool add`: whether policy.caps may grant what it needs, and whether to write.
import { saysYes, type WritePlan, writeQuestion } from '../../cli/interactive.ts'
import { block, toolLine } from '../../cli/wizard/ask.ts'
import {
  type Answers,
  isComplete,
  type Note,
  type Prompter,
  type Question,
  YES_NO,
} from '../../cli/wizard/question.ts'
import type { Agent } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import { type AddedTool, addOneTool, type PolicyChange } from '../add-tool.ts'
import { faultIn, judgedQuestions } from './judge-answer.ts'
import { type ToolContext, type ToolExtras, toolOf } from './tool-questions.ts'

/** What the questions after the tool's own depend on. */
export interface AddContext {
  readonly agent: Agent
  readonly tool: ToolContext
  readonly extras: ToolExtras
  /** Whether a missing grant is asked about, and whether a summary comes last. */
  readonly asks: { readonly grant: boolean; readonly write: boolean }
}

/** All questions of `tool add` that follow from the answers so far. */
export function addQuestions(answers: Answers, context: AddContext): Question[] {
  const questions = judgedQuestions(answers, context.tool, context.agent.files)
  const last = context.asks.write ? [writeQuestion(undefined)] : []
  if (!isComplete(questions, answers)) return [...questions, ...last]
  const plan = planOf(answers, context)
  if (plan instanceof RlpError) {
    // Without a summary there is no way back: the command then ends with the same error.
    return context.asks.write ? [...questions, writeQuestion(blocked(plan, answers, context))] : questions
  }
  const { policy } = plan
  if (policy !== undefined && context.asks.grant) questions.push(grantQuestion(policy))
  if (!context.asks.write || !isComplete(questions, answers)) return [...questions, ...last]
  return [...questions, writeQuestion({ note: summary(answers, plan, context), isBlocked: false })]
}

function planOf(answers: Answers, { agent, tool, extras }: AddContext): AddedTool | RlpError {
  try {
    return addOneTool(agent, toolOf(answers, tool, extras))
  } catch (error) {
    if (error instanceof RlpError) return error
    throw error
  }
}

function blocked({ message, hint }: RlpError, answers: Answers, context: AddContext): WritePlan {
  const text = [message, ...(hint === undefined ? [] : [hint])].join('\n')
  const fault = faultIn(answers, context.tool, context.agent.files, context.extras)
  return { note: { title: 'This tool cannot be added', text }, isBlocked: true, fault }
}

const GRANT = 'Grant this in policy.caps? Without it lint has an error, and no runtime exposes the tool'

/** Whether policy.caps may grant what the tools need. */
function grantQuestion(policy: PolicyChange): Question {
  return {
    kind: 'choice',
    id: 'grant',
    message: GRANT,
    choices: YES_NO,
    fallback: 'no',
    before: missingGrant(policy),
  }
}

/** The same question outside of a wizard. */
export async function askToGrant(policy: PolicyChange, prompter: Prompter): Promise<boolean> {
  const { text, title } = missingGrant(policy)
  prompter.note(text, title)
  return saysYes(prompter, GRANT)
}

function missingGrant(policy: PolicyChange): Note {
  return { title: 'policy.caps does not grant what the tool needs', text: policyLines(policy).join('\n') }
}

/** The change as a diff, line by line. */
function policyLines({ removed, added }: PolicyChange): string[] {
  return [...removed.map(line => `- ${line}`), ...added.map(line => `+ ${line}`)]
}

function summary(answers: Answers, plan: AddedTool, context: AddContext): Note {
  const tool = toolOf(answers, context.tool, context.extras)
  const isGranted = plan.policy !== undefined && answers.get('grant') === 'yes'
  const text = [
    ...block(`${context.agent.label}/tools.json`, [`+ ${toolLine(tool)}`]),
    ...(plan.policy && isGranted
      ? block(`${context.agent.label}/policy.caps`, policyLines(plan.policy))
      : []),
    ...(plan.policy && !isGranted ? ['policy.caps stays as it is: the tool is not granted'] : []),
  ].join('\n')
  return { title: 'What will be written', text }
}
