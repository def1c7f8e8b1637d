// What a program hands in as secrets → where their values are looked up.
import { own } from '../../model/own.ts'
import type { SecretAnswer, SecretSource } from '../../model/secret.ts'
import { secretValue, unknown, unusable } from './value.ts'

/** Values of secrets by their ids: an object that holds them, or a function that is asked at each call. */
export type SecretsGiven = SecretSource | { readonly [id: string]: string }

/** Without any, a tool that needs a secret is not run. */
export function secretsGiven(given: SecretsGiven = {}): SecretSource {
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
  if (!answer.ok) return answer
  const value: unknown = answer.value
  if (typeof value === 'string') return secretValue(Buffer.from(value))
  return unusable('is not a string', 'Give its value as a string')
}
