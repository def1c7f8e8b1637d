// One call of a tool: its id and arguments → an envelope, step by step (docs/running.md). Every outcome is an envelope, never an
// exception. The context holds everything that a call needs from outside.

import { changedArguments } from '../agent-tool/mutation.ts'
import { cancelled, type Failure, failure } from '../contract/envelope.ts'
import { readJson } from '../contract/json-text.ts'
import { frozen } from '../model/frozen.ts'
import { kindName } from '../model/kind-name.ts'
import type { RunFacts, RunPlan } from '../model/run.ts'
import { programsOf } from '../sandbox/profile.ts'
import type { SecretMask } from '../secret/secret-mask.ts'
import { type AnswerRecord, answerRecord } from './answer.ts'
import type { CallContext, CallRecord, CallRequest, CallStart } from './context.ts'
import { type PreparedCall, prepareCall, type RefusedCall } from './prepare-call.ts'
import {
  maskedError,
  maskedFailure,
  maskedPlan,
  maskedText,
  maskedTexts,
  maskVariables,
  resolveSecrets,
} from './secrets.ts'

/** What is recorded of a call after its start. */
interface Ended extends AnswerRecord {
  readonly plan?: RunPlan | undefined
  readonly facts?: RunFacts
  readonly remarks?: string
}

/** Finds, checks, asks, resolves, runs and judges. The result holds no secret. */
export async function call(request: CallRequest, context: CallContext): Promise<CallRecord> {
  const { agent, ledger } = context
  const tool = agent.tools.find(({ id }) => id === request.tool)
  const now = () => callNow(request, context)
  return tool?.budget === undefined ? now() : ledger.turnsOf(agent.name, tool).take(now, request.signal)
}

async function callNow(request: CallRequest, context: CallContext): Promise<CallRecord> {
  const { mask } = context
  const startedAt = context.now()
  const prepared = await prepareCall(request, context)
  const start = startOf(request, context, prepared, startedAt)
  if ('failure' in prepared) return recordOf(start, refused(prepared.failure, mask), context)
  return recordOf(start, await carryOut(prepared, start, request, context), context)
}

/** The record of a call that is refused whatever its tool is: its agent may not be used any more. */
export function refusedCall(request: CallRequest, failure: Failure, context: CallContext): CallRecord {
  const start = startOf(request, context, { failure }, context.now())
  return recordOf(start, refused(failure, context.mask), context)
}

function startOf(
  { callId, attempt = 1, tool: toolId, text }: CallRequest,
  { agent, mask }: CallContext,
  prepared: PreparedCall | RefusedCall,
  startedAt: Date,
): CallStart {
  const before = argumentsIn(text)
  const isMended = !('failure' in prepared) && prepared.text !== text
  const args = 'failure' in prepared ? before : prepared.input
  const start = {
    callId,
    attempt,
    agent,
    toolId,
    tool: prepared.tool,
    arguments: args,
    startedAt,
    tags: agent.tagsOf(toolId),
    ...(isMended && { mended: { given: before, fields: changedArguments(before, args) } }),
  }
  return maskedStart(start, mask)
}

function maskedStart<Start extends CallStart>(start: Start, mask: SecretMask): Start {
  const { mended } = start
  return {
    ...start,
    arguments: mask.value(start.arguments),
    ...(mended && { mended: { ...mended, given: mask.value(mended.given) } }),
  }
}

function recordOf(start: CallStart, ended: Ended, context: CallContext): CallRecord {
  const { mask } = context
  const { envelope, whole, by, notes, plan, facts, remarks } = ended
  return {
    // Masked again: some secrets were not known at the start.
    ...maskedStart(start, mask),
    envelope,
    ...(whole && { whole }),
    by,
    notes,
    plan: plan && maskedPlan(plan, mask),
    facts: facts && maskedTexts(facts, mask),
    remarks,
    enforced: facts?.started ? facts.enforced : undefined,
    durationMs: context.now().getTime() - start.startedAt.getTime(),
  }
}

async function carryOut(
  prepared: PreparedCall,
  start: CallStart,
  { signal }: CallRequest,
  context: CallContext,
): Promise<Ended> {
  const { tool, input, text, plan, limits, host, variables } = prepared
  const { agent, mask } = context
  if (tool.requiresConfirmation && !signal.aborted) {
    const question = { agent: { ...agent }, ...structuredClone({ tool, plan, arguments: input }) }
    const answer = await context.confirm(frozen(question), signal)
    if (answer !== true && answer !== 'approved') return refused(notApproved(tool.id, answer), mask, plan)
  }
  if (signal.aborted) return refused(cancelled(tool.id), mask, plan)
  const withheld = maskVariables(tool, variables, mask)
  if (withheld !== undefined) return refused(withheld, mask, plan)
  const secrets = await resolveSecrets(tool, context.secrets, mask, signal)
  if (signal.aborted) return refused(cancelled(tool.id), mask, plan)
  if (!secrets.ok) return refused(secrets.failure, mask, plan)
  await context.onStart?.(maskedStart(start, mask))
  const run = host.run({
    tool,
    input,
    text,
    secrets: secrets.values,
    variables: variables.values,
    hide: text => mask.cutText(text),
    net: agent.net,
    programs: programsOf(agent.tools),
    limits,
    signal,
  })
  const outcome = await run.catch(error => Promise.reject(maskedError(error, mask)))
  const { facts, remarks } = outcome
  return {
    ...answerRecord(outcome, prepared, context),
    plan,
    facts,
    ...(remarks !== undefined && {
      remarks: maskedText(remarks, facts.errorBytes > limits.errorBytes, mask),
    }),
  }
}

/** The tool was not run, for a reason of rlp's. */
function refused(failure: Failure, mask: SecretMask, plan?: RunPlan): Ended {
  return { envelope: maskedFailure(failure, mask), by: 'rlp', notes: [], plan }
}

/** A program may answer anything, also from plain JavaScript: only a yes is a yes. */
function notApproved(tool: string, answer: unknown): Failure {
  if (answer === 'cancelled') return cancelled(tool)
  const [reason, why] =
    answer === false || answer === 'declined'
      ? ['declined', 'action was declined by the operator']
      : answer === 'nobody'
        ? ['nobody_to_ask', 'a person has to confirm it, and no person can be asked']
        : ['no_decision', `confirm answered ${kindName(answer)}, which is no decision`]
  return failure({
    kind: 'user_denied',
    message: `Tool '${tool}' was not run: ${why}.`,
    tool,
    extra: { reason },
  })
}

/** The value of the arguments, or their text if it is not strict JSON. Only for records: the value that is run has been checked. */
function argumentsIn(text: string): unknown {
  const read = readJson(text)
  return read.ok ? read.value : text
}
