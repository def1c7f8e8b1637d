// Secrets from the environment: each id names exactly one variable (docs/running.md, "Secrets").

import { own } from '../../model/own.ts'
import type { SecretSource } from '../../model/secret.ts'
import { secretEnvName } from '../../policy/secret-id.ts'
import { secretValue, unknown } from './value.ts'

/** Unlike the existing runtime, which also reads a variable named like the id itself: then `PATH` would be a secret. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): SecretSource {
  return async id => {
    const name = secretEnvName(id)
    const value = own(env, name)
    // An empty variable is nearly always one that was not set by mistake.
    return value ? secretValue(Buffer.from(value)) : unknown('is not there', `Set ${name}`)
  }
}
