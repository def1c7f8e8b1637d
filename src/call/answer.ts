// Turns the outcome of a run into the envelope for the caller: the answer is read, checked against result_schema, counted, masked and
// shortened (docs/running.md).
import { emptyResult } from '../agent-tool/vocabulary.ts'
import { checkAgentcliAnswer } from '../agentcli/answer.ts'
import { type Envelope, type Failure, failure, success } from '../contract/envelope.ts'
import { objectIn } from '../contract/json-text.ts'
import { normalizeResult } from '../contract/normalize.ts'
import { serialize } from '../contract/serialize.ts'
import { MAX_RESULT_CHARS, MAX_STDERR_CHARS, truncateForModel, truncateResult } from '../contract/truncate.ts'
import { holdsMoreValues } from '../json/count.ts'
import { MESSAGE_LIMITS } from '../model/limits.ts'
import type { RunOutcome, RunRefusal } from '../model/run.ts'
import type { Tool } from '../model/tools.ts'
import type { SecretMask } from '../secret/secret-mask.ts'
import { shortText } from '../text/quote.ts'
import type { CallContext, CallRecord, Speaker } from './context.ts'
import { type Ledger, usageIn } from './ledger.ts'
import { failureOf, fieldAt, MASKED_MISFIT, type PreparedCall } from './prepare-call.ts'
import { maskedAnswer, maskedFailure, maskedText } from './secrets.ts'

/** Characters of an answer that does not fit. */
const MAX_SHOWN = 500

/** An envelope without secrets, and whether rlp or the tool wrote it. */
export type AnswerRecord = Pick<CallRecord, 'envelope' | 'whole' | 'by' | 'notes'>

export function answerRecord(outcome: RunOutcome, call: PreparedCall, context: CallContext): AnswerRecord {
  const { tool, limits } = call
  const { mask } = context
  const { outputBytes, errorBytes } = outcome.facts
  const { envelope, by, notes }: AnswerRecord =
    outcome.status === 'failed'
      ? {
          envelope: maskedFailure(
            failureOf(shortMessage(outcome, errorBytes > limits.errorBytes, mask), tool.id),
            mask,
          ),
          by: outcome.isQuoted ? 'tool' : 'rlp',
          notes: [...outcome.facts.notices, ...agentcliNotes(tool, outcome)].map(note => mask.text(note)),
        }
      : judged(maskedIfCut(outcome.output, outputBytes > limits.outputBytes, mask), outcome, call, context)
  const short = shorten(tool.id, envelope, by, resultCharsOf(tool.id, context))
  const isCut = serialize(bodyOf(short)) !== serialize(bodyOf(envelope))
  return {
    envelope: short,
    ...(isCut && { whole: envelope }),
    by,
    notes: [...notes, ...addedTo(envelope, short)],
  }
}

/** Without the mark of who spoke. */
function bodyOf(envelope: Envelope): object {
  return { ...envelope, reported_by: undefined }
}

/** Warnings that shortening has added. */
function addedTo(before: Envelope, after: Envelope): readonly string[] {
  if (!before.ok || !after.ok || after === before) return []
  const known = new Set(before.warnings)
  return (after.warnings ?? []).filter(warning => !known.has(warning))
}

function judged(
  output: string,
  outcome: RunOutcome,
  { tool, schemas, warnings }: PreparedCall,
  { agent, ledger, mask }: CallContext,
): AnswerRecord {
  const { id } = tool
  if (holdsMoreValues(output, MESSAGE_LIMITS.jsonValues))
    return { envelope: tooManyValues(id), by: 'rlp', notes: [] }
  const onEmpty = output.trim() === '' ? agent.restrict?.(id).emptyResult : undefined
  if (onEmpty === 'error') return { envelope: emptyFailure(id), by: 'rlp', notes: [] }
  const answer =
    onEmpty === undefined
      ? normalizeResult(id, output, { json: 'value', maxChars: Number.MAX_SAFE_INTEGER })
      : success(id, emptyResult(onEmpty))
  const said = [...outcome.facts.notices, ...agentcliNotes(tool, outcome)]
  const notes = [...warnings, ...said, ...account(answer, agent.name, tool, ledger)].map(note =>
    mask.text(note),
  )
  // A tool must not speak for another.
  if (!answer.ok) return { envelope: maskedAnswer({ ...answer, tool: id }, mask), by: 'tool', notes: [] }
  const result = mask.value(answer.result)
  if (schemas.result.check(answer.result) === undefined) {
    const own = (answer.warnings ?? []).map(warning => mask.text(warning))
    return { envelope: success(id, result, [...own, ...notes]), by: 'tool', notes }
  }
  // The message is about the masked value: half a secret in a message would no longer be recognised.
  const { pointer, message } = schemas.result.check(result) ?? MASKED_MISFIT
  const field = fieldAt(pointer)
  const misfit = failure({
    kind: 'execution_error',
    message: [`The result of tool '${id}' does not fit its result_schema: ${message}.`, ...notes].join(' '),
    field: field === '' || field.startsWith('[') ? `result${field}` : `result.${field}`,
    // Not retryable: the tool may already have acted.
    retryable: false,
    tool: id,
    // Of the masked value, like the message. Without it its author would have to run the tool by hand to see what does not fit.
    extra: { reason: 'result_schema', answered: shortText(serialize(result), MAX_SHOWN) },
  })
  return { envelope: maskedFailure(misfit, mask), by: 'rlp', notes: [] }
}

function emptyFailure(tool: string): Failure {
  return failure({
    kind: 'execution_error',
    message: `Tool '${tool}' printed nothing, which its record in interfaces.json calls an error.`,
    // Not retryable: the tool may already have acted.
    retryable: false,
    tool,
    extra: { reason: 'empty_result' },
  })
}

/** Values are counted before parsing: a few bytes on the wire may become gigabytes of values. */
function tooManyValues(tool: string): Failure {
  return failure({
    kind: 'execution_error',
    message: `The answer of tool '${tool}' was not read: it holds more than ${MESSAGE_LIMITS.jsonValues} JSON values. Ask for less at once.`,
    // Not retryable: the tool has done its work.
    retryable: false,
    tool,
    extra: { reason: 'too_many_values' },
  })
}

/** Adds the usage that the tool reports; returns warnings about it. */
function account(envelope: Envelope, agent: string, tool: Tool, ledger: Ledger): string[] {
  const usage = tool.budget && usageIn(envelope)
  if (usage === undefined) return []
  if ('problem' in usage) return [usage.problem]
  ledger.add(agent, tool, usage)
  const overrun = ledger.overrun(agent, tool)
  if (overrun === undefined) return []
  const { what, spent, limit } = overrun
  return [`The tool has used ${spent} of ${limit} ${what}: it will not be called again in this run`]
}

/** A whole answer is masked value by value after it was parsed: a mask in place of a number would not be JSON. */
function maskedIfCut(text: string, isCut: boolean, mask: SecretMask): string {
  return isCut ? mask.cutText(text) : text
}

/** Masked before it is shortened, so that no half of a secret remains. */
function shortMessage<T extends RunRefusal>(refusal: T, isCut: boolean, mask: SecretMask): T {
  return { ...refusal, message: truncateForModel(maskedText(refusal.message, isCut, mask), MAX_STDERR_CHARS) }
}

/** A record may only lower the limit. */
function resultCharsOf(id: string, { agent, limits }: Pick<CallContext, 'agent' | 'limits'>): number {
  const own = limits.resultChars ?? MAX_RESULT_CHARS
  return Math.min(own, agent.restrict?.(id).maxInlineChars ?? own)
}

/**
 * Nothing for other tools, and for a tool that answers by the tool contract: `x-rlp.stdin` says how a program is run, and one that was written
 * for us may run that way too. The call goes on: agentcli hands such an answer to the model as well.
 */
function agentcliNotes({ rlp }: Tool, outcome: RunOutcome): string[] {
  if (!rlp.stdin || !outcome.facts.started) return []
  // Ended by a signal or by us: then the program did not choose what to say.
  const { exit: exitCode } = outcome.facts
  if (exitCode < 0) return []
  const stdout = outcome.status === 'answered' ? outcome.output : ''
  if (typeof objectIn(stdout)?.['ok'] === 'boolean') return []
  // Nothing at all is an empty object there.
  if (outcome.status === 'answered' && stdout.trim() === '') return []
  const { remarks } = checkAgentcliAnswer({ stdout, stderr: outcome.remarks ?? '', exitCode })
  return remarks.flatMap(({ weight, message }) =>
    weight === 'problem' ? [`${message}: not what agentcli asks of a program that reads standard input`] : [],
  )
}

/** Added to failures that the tool reported. rlp's own failures never have it, whatever a tool writes. */
const MARK = { reported_by: 'tool' } as const

/** @param maxChars of the answer's own text; the contract's limit by default */
export function shorten(
  tool: string,
  envelope: Envelope,
  by: Speaker,
  maxChars = MAX_RESULT_CHARS,
): Envelope {
  const short = truncateResult(tool, envelope, { maxChars })
  return envelope.ok || by === 'rlp' ? short : ({ ...short, ...MARK } as Envelope)
}
