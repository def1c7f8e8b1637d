// Looks up the secrets that a tool lists, and masks them and the variables that it gets. Or says which one it does not get.

import { blake3Hex } from '../bundle/blake3.ts'
import { type Failure, failure } from '../contract/envelope.ts'
import { LONGEST_SECRET_ID, SECRET_ID, type SecretAnswer, type SecretSource } from '../model/secret.ts'
import type { Tool } from '../model/tools.ts'
import { type SecretMask, SHORTEST_SECRET } from '../secret/secret-mask.ts'
import { quoteText } from '../text/quote.ts'
import type { GrantedVariables } from './granted-variables.ts'

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
