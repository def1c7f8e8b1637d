// Looks up the secrets and the granted variables that a tool gets, and masks them in whatever the call says. A variable needs a grant as
// a secret does: a bundle could otherwise list the variable in which a secret is kept (docs/running.md, "Variables").

import { ALWAYS_PASSED } from '../agentcli/environment.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import { type Envelope, type Failure, failure } from '../contract/envelope.ts'
import { own } from '../model/own.ts'
import type { RunPlan } from '../model/run.ts'
import { LONGEST_SECRET_ID, SECRET_ID, type SecretAnswer, type SecretSource } from '../model/secret.ts'
import type { Tool } from '../model/tools.ts'
import { isFreeVariable } from '../policy/needs.ts'
import { type SecretMask, SHORTEST_SECRET } from '../secret/secret-mask.ts'
import { quoteText } from '../text/quote.ts'
import { transportKind } from '../tools/transports/index.ts'

export type Resolved =
  | { readonly ok: true; readonly values: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly failure: Failure }

/** Each value is masked from the moment it is known. */
export async function resolveSecrets(
  { id: tool, secrets }: Tool,
  source: SecretSource,
  mask: SecretMask,
  signal: AbortSignal,
): Promise<Resolved> {
  const values = new Map<string, string>()
  for (const id of new Set(secrets)) {
    const isId = id.length <= LONGEST_SECRET_ID && SECRET_ID.test(id)
    const answer = isId
      ? await source(id, signal)
      : ({ ok: false, reason: 'secret_unknown', problem: 'is no id that is looked up' } as const)
    if (!answer.ok) {
      return { ok: false, failure: notGiven(tool, id, `the secret ${quoteText(id)}`, answer) }
    }
    mask.add(answer.value)
    values.set(id, answer.value)
  }
  return { ok: true, values }
}

/** Masks the variables that a tool gets. @returns the failure if it lists one that it does not get */
export function maskVariables(
  { id: tool }: Tool,
  { values, withheld }: GrantedVariables,
  mask: SecretMask,
): Failure | undefined {
  const [first] = withheld
  if (first !== undefined)
    return notGiven(tool, `env/${first}`, `the variable ${quoteText(first)}`, NOT_FOR_UNTRUSTED)
  for (const value of values.values()) if (value.length >= SHORTEST_SECRET) mask.add(value)
  return undefined
}

/** The answer to every secret of an agent that is not trusted. */
export const NOT_FOR_UNTRUSTED: SecretAnswer & { readonly ok: false } = {
  ok: false,
  reason: 'secret_unusable',
  problem: 'is not given to untrusted tools',
  hint: 'Call the tool of a trusted bundle. If you know what this one does with it, add --with-secrets',
}

function notGiven(
  tool: string,
  id: string,
  what: string,
  { reason, problem, hint }: Omit<SecretAnswer & { readonly ok: false }, 'ok'>,
): Failure {
  // As in the existing runtime's audit: the message may name the id, the log has its digest.
  const target = `secret#${blake3Hex(new TextEncoder().encode(id))}`
  const message = `Tool '${tool}' needs ${what}, which ${problem}.`
  const extra = { reason, secret: id, target, hint }
  return failure({ kind: 'unavailable', message, retryable: false, tool, extra })
}

/** The environment of a session, and who gets its variables. */
export interface VariableSource {
  /** The environment without keys that sign. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** `elsewhere`: secrets do not come from the environment. `untrusted`: the agent gets no secrets. */
  readonly handsOver: 'all' | 'elsewhere' | 'untrusted'
}

export interface GrantedVariables {
  /** The values that the program gets, by name. */
  readonly values: ReadonlyMap<string, string>
  /** Those, and what is withheld: a plan says what a call needs, whether it gets it or not. */
  readonly planned: readonly string[]
  /** Variables that are set here, and that an untrusted agent does not get: such a call is refused. */
  readonly withheld: readonly string[]
  /** Notes for the caller. */
  readonly warnings: readonly string[]
}

/** Returns true for a variable that a program gets only if the session hands it over. */
export function needsHandingOver(name: string): boolean {
  return !isFreeVariable(name) && !ALWAYS_PASSED.includes(name)
}

/** A variable that is not set here is not missed: a tool gets it where it is set. */
export function grantedVariables(
  { rlp, transport }: Tool,
  { env, handsOver }: VariableSource,
): GrantedVariables {
  const isProgram = transportKind(transport).secrets.in === 'environment'
  const listed = isProgram ? [...new Set(rlp.env)].filter(needsHandingOver) : []
  const set = listed.flatMap(name => {
    const value = own(env, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const names = set.map(([name]) => name)
  if (handsOver === 'untrusted') return { ...NONE, planned: names, withheld: names }
  if (handsOver === 'elsewhere') return { ...NONE, warnings: names.map(notHandedOver) }
  const short = set.filter(([, { length }]) => length > 0 && length < SHORTEST_SECRET)
  return { ...NONE, planned: names, values: new Map(set), warnings: short.map(([name]) => notMasked(name)) }
}

const NONE: GrantedVariables = { values: new Map(), planned: [], withheld: [], warnings: [] }

function notHandedOver(name: string): string {
  return `The variable ${quoteText(name)} is set here and was not handed over, because secrets do not come from the environment`
}

function notMasked(name: string): string {
  return `The variable ${quoteText(name)} has fewer than ${SHORTEST_SECRET} characters, so its value is not masked`
}

/** Half a secret at the cut is masked too. */
export function maskedText(text: string, isCut: boolean, mask: SecretMask): string {
  return isCut ? mask.cutText(text) : mask.text(text)
}

/** A tool's answer, including its numbers and names of members. Kind and tool are not the tool's own text. */
export function maskedAnswer(envelope: Envelope, mask: SecretMask): Envelope {
  const { ok, tool } = envelope
  const fixed = { ok, ...(tool !== undefined && { tool }), ...(!envelope.ok && { kind: envelope.kind }) }
  // Spread creates members; an assignment would follow a `__proto__` from the tool.
  return { ...(mask.value(envelope) as Envelope), ...fixed } as Envelope
}

/** A failure of rlp's own: only its texts, which may quote, and nothing that programs read. */
export function maskedFailure(failure: Failure, mask: SecretMask): Failure {
  const { kind, tool, reason } = failure
  const fixed = { kind, ...(tool !== undefined && { tool }), ...(reason !== undefined && { reason }) }
  return { ...maskedTexts(failure, mask), ...fixed }
}

export function maskedPlan(plan: RunPlan, mask: SecretMask): RunPlan {
  const { envKeys } = plan
  return { ...maskedTexts(plan, mask), envKeys }
}

/** An unexpected error: its message may quote the runner's input. */
export function maskedError(error: unknown, mask: SecretMask): unknown {
  if (!(error instanceof Error)) return error
  const { stack } = error
  error.message = mask.text(error.message)
  if (stack !== undefined) error.stack = mask.text(stack)
  return error
}

/** The same value with its texts masked, at any depth. Safe to recurse, because the value is rlp's own. */
export function maskedTexts<T>(value: T, mask: SecretMask): T {
  return masked(value, mask) as T
}

function masked(value: unknown, mask: SecretMask): unknown {
  if (typeof value === 'string') return mask.text(value)
  if (Array.isArray(value)) return value.map(item => masked(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, mask)]))
}
