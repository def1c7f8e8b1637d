// What options are called: a hint names them as a program gives them, in backticks, and the command line shows the flags of the same.
import { own } from './own.ts'

/** Member of the options of the library → what is typed. */
const FLAGS: Readonly<Record<string, string>> = {
  afterEnd: '--after-end',
  agent: '--agent',
  all: '--all',
  allowTestKey: '--allow-test-key',
  allowUnsigned: '--allow-unsigned',
  attestations: '--attestations',
  by: '--by KEY',
  digests: '--digest',
  expect: '--expect',
  expiresWithinDays: '--expires-within',
  expiresSeconds: '--expires',
  files: '--file NAME=PATH',
  for: '--for',
  force: '--force',
  furtherKey: '--further-key',
  email: '--email',
  identity: '--issuer and what follows it',
  issuer: '--issuer',
  lock: '--lock',
  name: '--name',
  newEpoch: '--epoch',
  outDir: '--out-dir',
  ref: '--ref',
  removeKeys: '--remove-key',
  replacedBy: '--replaced-by',
  repository_id: '--repository-id',
  signatures: '--signatures',
  signers: '--signer',
  since: '--since',
  subject: '--subject',
  tool: '--tool',
  type: '--type URI',
  trustPolicy: '--trust-policy FILE',
  trustedRoot: '--trusted-root FILE',
  use: '--use',
  workflow: '--workflow',
}

/** A hint of the library → the same for a person at the command line. */
export function asFlags(hint: string): string {
  return hint.replace(/`([A-Za-z_]+)`/g, (whole, name: string) => own(FLAGS, name) ?? whole)
}

/** The name of an option as verbs of the library call it → as the command line does, without dashes. */
export function fieldTyped(field: string): string {
  const [, flag] = /^--([a-z-]+)/.exec(own(FLAGS, field) ?? '') ?? []
  return /[A-Z]/.test(field) ? (flag ?? field) : field
}
