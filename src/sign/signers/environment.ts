// Keys in a variable of the environment, called `env:VAR`.
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import { refuseWrittenOut } from '../named-keys.ts'
import type { KeyQuery, SignerKind } from './kind.ts'
import { privateKeyIn, publicKeyIn, signerIn } from './pem.ts'

const PREFIX = 'env:'

export const environment: SignerKind = {
  open: async query => signerIn(textOf(query), query),
  privateKey: async query => privateKeyIn(textOf(query), query),
  publicKey: async query => publicKeyIn(textOf(query), query),
}

function textOf({ which, env }: KeyQuery): string {
  refuseWrittenOut(which)
  const text = own(env, which.slice(PREFIX.length))
  if (text) return text
  throw new RlpError('NOT_FOUND', `Cannot use the key "${which}": the variable is not set`, {
    hint: 'Put the PEM text of the key into it',
  })
}
