// Secrets that a program hands in.
import type { Setting } from '../../io/setting.ts'
import { isTable, own } from '../../model/own.ts'
import type { SecretAnswer, SecretSource } from '../../model/secret.ts'
import { environmentSecrets } from './environment.ts'
import { secretValue, unknown, unusable } from './value.ts'

/**
 * Values of secrets by their ids: an object that holds them, or a function that is asked at each call. `env` looks each up in its variable, as
 * `--secrets-from env` does, and hands over the variables of `x-rlp.env` that need a grant.
 */
export type SecretsGiven = SecretSource | { readonly [id: string]: string } | 'env'

export function isSecrets(value: unknown): value is SecretsGiven {
  return value === 'env' || typeof value === 'function' || isTable(value)
}

/** Without any, a tool that needs a secret is not run. */
export function secretSource(given: SecretsGiven = {}, { env }: Pick<Setting, 'env'>): SecretSource {
  if (given === 'env') return environmentSecrets(env)
  if (typeof given === 'function') return async (id, signal) => checked(await given(id, signal))
  return async id => {
    const value = own(given, id)
    return value === undefined
      ? unknown('is not among the given secrets', 'Add its value to the option secrets')
      : checked({ ok: true, value })
  }
}

/** A program may hand in anything, also from plain JavaScript. */
function checked(answer: SecretAnswer): SecretAnswer {
  if (!isTable(answer))
    return unusable('was not answered', 'Answer { ok: true, value }, or { ok: false, reason, problem }')
  if (!answer.ok) return answer
  const value: unknown = answer.value
  if (typeof value === 'string') return secretValue(Buffer.from(value))
  return unusable('is not a string', 'Give its value as a string')
}
