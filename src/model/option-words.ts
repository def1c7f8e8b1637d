// What options are called: a hint names them as a program gives them, in backticks, and the command line shows the flags of the same.
import { own } from './own.ts'

/** Member of the options of the library → what is typed. */
const FLAGS: Readonly<Record<string, string>> = {
  allowTestKey: '--allow-test-key',
  allowUnsigned: '--allow-unsigned',
  attestations: '--attestations',
  expect: '--expect',
  expiresWithinDays: '--expires-within',
  fetchTimeoutMs: '--fetch-timeout',
  for: '--for',
  force: '--force',
  furtherKey: '--further-key',
  identity: '--issuer and what follows it',
  lock: '--lock',
  login: '--username and --password-stdin',
  outDir: '--out-dir',
  replacedBy: '--replaced-by',
  signatures: '--signatures',
  signers: '--signer',
  since: '--since',
  trustPolicy: '--trust-policy FILE',
  trustedRoot: '--trusted-root FILE',
  use: '--use',
}

/** A hint of the library → the same for a person at the command line. */
export function asFlags(hint: string): string {
  return hint.replace(/`([A-Za-z]+)`/g, (whole, name: string) => own(FLAGS, name) ?? whole)
}
