// The steps of a call without side effects (docs/running.md): find the tool, check its grants, coerce and check the arguments, fill the
// templates. Both schemas are compiled here: a broken result schema must not be found after the mail was sent.
import { type Failure, failure, unknownTool } from '../contract/envelope.ts'
import { preflight } from '../contract/preflight.ts'
import type { Pointer } from '../model/document.ts'
import { ownMembers } from '../model/own.ts'
import type { RunHost, RunLimits, RunPlan, RunRefusal } from '../model/run.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import { type CompiledSchema, compileSchema } from '../schema/compile.ts'
import { inlineSchema } from '../schema/inline.ts'
import { type ResolveRef, resolverIn } from '../schema/reference.ts'
import { unsentSecrets } from '../secret/unsent-secrets.ts'
import { quoteText } from '../text/quote.ts'
import { transportKind } from '../tools/transports/index.ts'
import { type CallContext, type CallRequest, DEFAULT_TIMEOUT_MS } from './context.ts'
import { type GrantedVariables, grantedVariables } from './secrets.ts'

/** A call that can be made. */
export interface PreparedCall {
  readonly tool: Tool
  readonly host: RunHost
  readonly input: { readonly [name: string]: unknown }
  /** The same as JSON text: unchanged bytes unless something had to be corrected. */
  readonly text: string
  readonly limits: RunLimits
  readonly plan: RunPlan
  readonly schemas: ToolSchemas
  readonly variables: GrantedVariables
  /** Notes about what was not checked, or is not masked. */
  readonly warnings: readonly string[]
}

/** A call that cannot be made, and its tool if it was found. */
export interface RefusedCall {
  readonly failure: Failure
  readonly tool?: Tool
}

/** The program or request that a call would start, or the reason why it would start none. */
export type CallPlan = PlannedCall | { readonly is: 'refused'; readonly envelope: Failure }

export interface PlannedCall {
  readonly is: 'planned'
  /** Id of the tool. */
  readonly tool: string
  /** As they would be sent. */
  readonly arguments: unknown
  readonly requiresConfirmation: boolean
  /** The program and its arguments, or the request; no secret is in it. */
  readonly plan: RunPlan['detail']
  /** The checks that were left out. */
  readonly warnings: readonly string[]
}

type Preparing = Pick<CallContext, 'agent' | 'hosts' | 'ledger' | 'limits' | 'mask' | 'variables'>

/** Asks no one, looks up no secret, runs nothing. */
export async function prepareCall(
  { tool: id, text }: Pick<CallRequest, 'tool' | 'text'>,
  context: Preparing,
): Promise<PreparedCall | RefusedCall> {
  const { agent, ledger } = context
  const tool = agent.tools.find(one => one.id === id)
  if (tool === undefined) return { failure: notExposed(id, context) }
  const refuse = (details: Omit<Parameters<typeof failure>[0], 'tool'>): RefusedCall => ({
    failure: failure({ ...details, tool: id }),
    tool,
  })
  const overrun = ledger.overrun(agent.name, tool)
  if (overrun !== undefined) {
    const { what, spent, limit } = overrun
    const message = `Tool '${id}' has used up its budget: ${spent} of ${limit} ${what}.`
    return refuse({
      kind: 'rejected',
      message,
      extra: { reason: 'budget_exceeded', budget: what, spent, limit },
    })
  }
  const host = context.hosts.find(({ kind }) => kind === tool.transport.kind)
  const ready = await readySchemas(tool, path => agent.fileAt(path))
  if (host === undefined || !ready.ok) {
    const problem = ready.ok
      ? `cannot be called: nothing here runs ${tool.transport.kind} tools`
      : ready.problem
    return refuse({ kind: 'unavailable', message: `Tool '${id}' ${problem}.`, retryable: false })
  }
  const { schemas } = ready
  const checked = preflight(id, text, schemas.plain, { objectOnly: true })
  if (!checked.ok) return { failure: checked.failure, tool }
  // The preflight is written for models and covers a part of JSON Schema; this checks the author's whole schema.
  if (schemas.input.check(checked.value) !== undefined) {
    // The message is about the masked value: half a secret in a message would no longer be recognised.
    const violation = schemas.input.check(context.mask.value(checked.value)) ?? MASKED_MISFIT
    const field = fieldAt(violation.pointer)
    return refuse({ kind: 'invalid_args', message: `${violation.message}.`, ...(field !== '' && { field }) })
  }
  const input = checked.value as PreparedCall['input']
  const limits = limitsOf(tool, context)
  const variables = grantedVariables(tool, context.variables)
  const planned = host.plan({ tool, input, text: checked.text, limits, variables: variables.planned })
  if (!planned.ok) return { failure: failureOf(planned.refusal, id), tool }
  const warnings = [
    ...unchecked('input_schema', schemas.input.unresolved),
    ...unchecked('result_schema', schemas.result.unresolved),
    ...unsentSecrets(tool).map(
      ({ id }) =>
        `The tool lists the secret ${quoteText(id)}, and no ${transportKind(tool.transport).secrets.in} of it sends it`,
    ),
    ...variables.warnings,
  ]
  return { tool, host, input, text: checked.text, limits, plan: planned.plan, schemas, variables, warnings }
}

export function planOf(prepared: PreparedCall | RefusedCall): CallPlan {
  return 'failure' in prepared ? { is: 'refused', envelope: prepared.failure } : plannedCall(prepared)
}

export function plannedCall({ tool, input, plan, warnings }: PreparedCall): PlannedCall {
  return {
    is: 'planned',
    tool: tool.id,
    arguments: input,
    requiresConfirmation: tool.requiresConfirmation,
    plan: plan.detail,
    warnings,
  }
}

/** The message if a value breaks the schema only while it is not masked. */
export const MASKED_MISFIT = { pointer: [], message: 'A masked value does not fit' } as const

/** A transport's refusal as the contract's failure. */
export function failureOf({ kind, message, retryable, field, extra }: RunRefusal, tool: string): Failure {
  return failure({ kind, message, retryable, field, tool, ...(extra && { extra }) })
}

/** `a.b[1]`, the contract's form of a place. Empty for the whole value. */
export function fieldAt(pointer: Pointer): string {
  return pointer.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  )
}

function notExposed(id: string, { agent }: Preparing): Failure {
  const denied = agent.denied.find(one => one.id === id)
  if (denied === undefined) return unknownTool(id)
  const { capability, reason, by } = denied
  if (reason === 'setup_required')
    return failure({
      kind: 'unavailable',
      message: `Tool '${id}' has to be set up first, as ${by} says.`,
      retryable: false,
      tool: id,
      extra: { reason },
    })
  if (reason === 'disabled')
    return failure({
      kind: 'rejected',
      message: `Tool '${id}' is switched off by ${by}.`,
      tool: id,
      extra: { reason },
    })
  return failure({
    kind: 'rejected',
    message: `Tool '${id}' is not permitted: ${capability} is not granted${by === undefined ? '' : ` by ${by}`} (${reason}).`,
    tool: id,
    extra: { reason, capability, by },
  })
}

function limitsOf({ id, rlp }: Tool, { agent, limits }: Preparing): RunLimits {
  const { outputBytes, errorBytes, idleMs } = ownMembers(limits)
  const stated = limits.timeoutMs ?? rlp.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const own = stated === 0 ? Number.POSITIVE_INFINITY : stated
  // A record may only lower the limit.
  const timeoutMs = Math.min(own, agent.restrict?.(id).timeoutMs ?? own)
  return { ...(idleMs !== undefined && { idleMs }), timeoutMs, outputBytes, errorBytes }
}

function unchecked(which: string, refs: readonly string[]): string[] {
  return refs.map(ref => `${which} names ${ref}, which is not in the bundle: that part was not checked`)
}

interface ToolSchemas {
  readonly input: CompiledSchema
  readonly result: CompiledSchema
  /** The input schema with its references replaced by their targets, because the preflight follows none. */
  readonly plain: JsonSchema
}

/** `problem` continues a sentence that begins with the tool. */
type ReadySchemas =
  | { readonly ok: true; readonly schemas: ToolSchemas }
  | { readonly ok: false; readonly problem: string }

/** Safe as a cache: a tool never changes after it was read. */
const known = new WeakMap<Tool, Promise<ReadySchemas>>()

export function readySchemas(tool: Tool, fileAt: (path: string) => unknown): Promise<ReadySchemas> {
  const before = known.get(tool)
  if (before !== undefined) return before
  const ready = compile(tool, resolverIn(tool.schemaRefs, fileAt))
  known.set(tool, ready)
  return ready
}

async function compile(tool: Tool, resolve: ResolveRef): Promise<ReadySchemas> {
  const input = await compileSchema(tool.inputSchema, resolve)
  if (!input.ok) return unusable('input_schema', input.problems)
  const result = await compileSchema(tool.resultSchema, resolve)
  if (!result.ok) return unusable('result_schema', result.problems)
  const inlined = inlineSchema(tool.inputSchema, resolve)
  if ('problem' in inlined) return unusable('input_schema', [inlined.problem])
  return { ok: true, schemas: { input, result, plain: inlined.schema } }
}

function unusable(which: string, [problem]: readonly { readonly message: string }[]): ReadySchemas {
  return { ok: false, problem: `cannot be called: its ${which} cannot be used: ${problem?.message ?? ''}` }
}
