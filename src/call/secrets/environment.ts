// Secrets from the environment: the variable that an id stands for, and no other (systems reference §3a, "Secrets").
import { secretEnvName } from '../../format/capability/secret-id.ts'
import { own } from '../../model/own.ts'
import type { SecretSource } from '../../model/secret.ts'
import { secretValue, unknown } from './value.ts'

/** The existing runtime also takes a variable that has the id itself for its name; then `PATH` would be a secret. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): SecretSource {
  return async id => {
    const name = secretEnvName(id)
    const value = own(env, name)
    // An empty variable is nearly always one that somebody forgot to set.
    return value ? secretValue(Buffer.from(value)) : unknown('is not there', `Set ${name}`)
  }
}
