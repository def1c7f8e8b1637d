// The ids that a tool lists → their values, or the failure that says which one is missing.
import { type Failure, failure } from '../contract/envelope.ts'
import { blake3Hex } from '../format/blake3.ts'
import type { SecretMask } from '../format/secret/secret-mask.ts'
import { quoteText } from '../format/text/quote.ts'
import { LONGEST_SECRET_ID, SECRET_ID, type SecretSource } from '../model/secret.ts'
import type { Tool } from '../model/tools.ts'

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
      const { reason, problem } = answer
      const hint = 'hint' in answer ? answer.hint : undefined
      // As in the existing runtime's audit: the message may name the id, the log has its digest.
      const target = `secret#${blake3Hex(new TextEncoder().encode(id))}`
      const message = `Tool '${tool}' needs the secret ${quoteText(id)}, which ${problem}.`
      const extra = { reason, secret: id, target, hint }
      return { ok: false, failure: failure({ kind: 'unavailable', message, retryable: false, tool, extra }) }
    }
    mask.add(answer.value)
    values.set(id, answer.value)
  }
  return { ok: true, values }
}
