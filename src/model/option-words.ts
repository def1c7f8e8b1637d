// What options are called: a hint names them as a program gives them, in backticks, and the command line shows the flags of the same.
import { own } from './own.ts'

/** Member of the options of the library → what is typed. */
const FLAGS: Readonly<Record<string, string>> = {
  allowUnsigned: '--allow-unsigned',
  expect: '--expect',
  fetchTimeoutMs: '--fetch-timeout',
  force: '--force',
  lock: '--lock',
  login: '--username and --password-stdin',
  outDir: '--out-dir',
  trustPolicy: '--trust-policy FILE',
}

/** A hint of the library → the same for a person at the command line. */
export function asFlags(hint: string): string {
  return hint.replace(/`([A-Za-z]+)`/g, (whole, name: string) => own(FLAGS, name) ?? whole)
}
