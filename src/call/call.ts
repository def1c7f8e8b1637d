// One call of a tool, from its id and the arguments as text to an envelope: systems reference §5c, step by step. Every outcome is an
// envelope and never an exception; what a call needs of the world is in its context.

import { type Failure, failure } from '../contract/envelope.ts'
import { readJson } from '../contract/json-text.ts'
import { cancelled } from '../contract/outcomes.ts'
import type { SecretMask } from '../format/secret-mask.ts'
import type { RunFacts, RunPlan } from '../model/run.ts'
import { type Told, told } from './answer.ts'
import type { CallContext, CallRecord, CallRequest, CallStart, Decision } from './context.ts'
import { maskedError, maskedFacts, maskedFailure, maskedPlan, maskedText } from './masked.ts'
import { type PreparedCall, prepareCall } from './prepare-call.ts'
import { resolveSecrets } from './secrets.ts'

/** What there is to record of a call beside how it began. */
interface Ended extends Told {
  readonly plan?: RunPlan
  readonly facts?: RunFacts
  readonly remarks?: string
}

/** Finds, checks, asks, resolves, runs and judges. What it gives back holds no secret. */
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
  const start: CallStart = {
    callId: request.callId,
    attempt: request.attempt ?? 1,
    agent: context.agent,
    toolId: request.tool,
    tool: prepared.tool,
    arguments: mask.value('failure' in prepared ? given(request.text) : prepared.input),
    startedAt,
  }
  const ended =
    'failure' in prepared
      ? refused(prepared.failure, mask)
      : await carryOut(prepared, start, request, context)
  const { envelope, whole, by, notes, plan, facts, remarks }: Ended = ended
  return {
    ...start,
    // Secrets that were not known at the beginning are now.
    arguments: mask.value(start.arguments),
    envelope,
    ...(whole && { whole }),
    by,
    notes,
    plan: plan && maskedPlan(plan, mask),
    facts: facts && maskedFacts(facts, mask),
    remarks,
    durationMs: context.now().getTime() - startedAt.getTime(),
  }
}

async function carryOut(
  prepared: PreparedCall,
  start: CallStart,
  { signal }: CallRequest,
  context: CallContext,
): Promise<Ended> {
  const { tool, input, text, plan, limits, host } = prepared
  const { agent, mask } = context
  if (tool.requiresConfirmation && !signal.aborted) {
    const decision = await context.confirm({ agent, tool, plan, arguments: input }, signal)
    if (decision !== 'approved') return refused(notApproved(tool.id, decision), mask, plan)
  }
  if (signal.aborted) return refused(cancelled(tool.id), mask, plan)
  const secrets = await resolveSecrets(tool, context.secrets, mask, signal)
  if (signal.aborted) return refused(cancelled(tool.id), mask, plan)
  if (!secrets.ok) return refused(secrets.failure, mask, plan)
  await context.onStart?.({ ...start, arguments: mask.value(start.arguments) })
  const run = host.run({
    tool,
    input,
    text,
    secrets: secrets.values,
    hide: text => mask.cutText(text),
    net: agent.net,
    limits,
    signal,
  })
  const outcome = await run.catch(error => Promise.reject(maskedError(error, mask)))
  const { facts, remarks } = outcome
  return {
    ...told(outcome, prepared, context),
    plan,
    facts,
    ...(remarks !== undefined && {
      remarks: maskedText(remarks, facts.errorBytes > limits.errorBytes, mask),
    }),
  }
}

/** Nothing was run, and rlp says why. */
function refused(failure: Failure, mask: SecretMask, plan?: RunPlan): Ended {
  return { envelope: maskedFailure(failure, mask), by: 'rlp', notes: [], ...(plan && { plan }) }
}

const NOT_APPROVED: Readonly<Record<Exclude<Decision, 'approved' | 'cancelled'>, string>> = {
  declined: 'action was declined by the operator',
  nobody: 'a person has to confirm it, and nobody can be asked',
}

function notApproved(tool: string, decision: Exclude<Decision, 'approved'>): Failure {
  if (decision === 'cancelled') return cancelled(tool)
  const message = `Tool '${tool}' was not run: ${NOT_APPROVED[decision]}.`
  const reason = decision === 'declined' ? 'declined' : 'nobody_to_ask'
  return failure({ kind: 'user_denied', message, tool, extra: { reason } })
}

/** The value that was given, or the text where it is none that anybody may build upon. For records: what is run has been checked. */
function given(text: string): unknown {
  const read = readJson(text)
  return read.ok ? read.value : text
}
