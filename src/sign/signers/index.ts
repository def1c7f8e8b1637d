// The registry of places where private keys are: one file and one line each. The first that holds a key decides.
import { environment } from './environment.ts'
import { file } from './file.ts'
import type { SignerKind } from './kind.ts'
import { standardInput } from './standard-input.ts'

const SIGNERS: readonly SignerKind[] = [environment, standardInput, file]

export function signerKindOf(which: string): SignerKind {
  const kind = SIGNERS.find(({ holds }) => holds(which))
  if (kind === undefined) throw new TypeError('the last kind holds every key')
  return kind
}
