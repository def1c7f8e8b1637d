// The options that each verb of the library takes, by name. Types are gone at run time, and a misspelt option that should refuse more would
// let everything pass. That the names are those of the types, test/product/library-options.test.ts holds.

import { UsageError } from '../../model/error.ts'
import { kindName, wrongValue } from '../../model/kind-name.ts'
import { own } from '../../model/own.ts'
import { probablyMeant } from '../../text/did-you-mean.ts'
import { quoteText } from '../../text/quote.ts'

const CALLER = ['cwd', 'env', 'signal'] as const
const LONG = [...CALLER, 'onProgress'] as const
const TRUST = ['trustPolicy', 'home', 'state', 'allowDev', 'attestations', 'now'] as const
const KEY = ['key', 'passphrase'] as const
const IF_TRUSTED = ['expect', 'ifTrusted', 'lock', 'home', 'trustPolicy'] as const
const EXPECT = ['expect', 'allowUnsigned'] as const
const UNTRACED = [
  'secrets',
  'withSecrets',
  'timeoutMs',
  'idleMs',
  'sandbox',
  'folder',
  'ledger',
  'audit',
] as const
const SESSION = [...UNTRACED, 'trace'] as const
const JUDGED = [...TRUST, ...EXPECT, 'lock', 'label', 'limits', 'signal', 'onProgress'] as const
const WAIVED = ['allowDowngrade', 'allowSignerChange', 'allowCapsChange'] as const

export const VERB_OPTIONS = {
  scaffold: [
    ...CALLER,
    ...['root', 'description', 'model', 'modelSecret', 'fs', 'net', 'kbRead', 'kbWrite', 'tools', 'opening'],
    'force',
  ],
  lint: [...LONG, 'rules', 'interfaces', 'fix', 'now'],
  pack: [...LONG, 'out', 'outDir', 'gzip', 'force', 'check', 'provenance'],
  sign: [...LONG, ...KEY, ...IF_TRUSTED, 'keyless', 'notAfter', 'renew'],
  verifyBundle: JUDGED,
  loadBundle: JUDGED,
  install: [
    ...[...LONG, ...EXPECT, ...WAIVED, 'trustPolicy', 'allowDev', 'home', 'root', 'lock', 'dryRun'],
    ...['attestations', 'mayBegin', 'force', 'unpack', 'now'],
  ],
  inspect: [...LONG, ...TRUST, 'against'],
  diff: [...LONG, ...TRUST],
  importTools: [
    ...[...CALLER, 'agent', 'out', 'force', 'from', 'run', 'names', 'only', 'installDir', 'grant', 'dryRun'],
    ...['fix', 'onlyGood', 'failOnLoss'],
  ],
  exportTools: [
    ...[...LONG, ...TRUST, ...EXPECT, 'to', 'ids', 'api', 'namespace'],
    ...['out', 'names', 'force', 'failOnLoss'],
  ],
  callTool: [...CALLER, ...SESSION, 'confirm', 'dryRun'],
  runAgent: [...CALLER, 'args', 'input', 'output', 'timeoutMs', 'memoryMb', 'sandbox', 'audit'],
  serveTools: [
    ...[...LONG, ...TRUST, ...EXPECT, ...SESSION, 'input', 'output', 'http', 'prefix', 'yes'],
    ...['trustClientConfirmation', 'onTrouble', 'name', 'unverified'],
  ],
  testTools: [...CALLER, ...SESSION, 'yes'],
  countersign: [...LONG, ...KEY, ...IF_TRUSTED, 'keyless'],
  listVersions: [...CALLER, 'home'],
  listTools: [...LONG, ...TRUST, ...EXPECT, 'unverified'],
  replay: [...CALLER, ...UNTRACED, 'bundle', 'live', 'confirm'],
  dev: [
    ...[...CALLER, ...SESSION, 'input', 'output', 'test', 'yes', 'trustClientConfirmation'],
    ...['onRound', 'onTrouble'],
  ],
  openGate: [...CALLER, 'trustPolicy', 'home', 'state', 'listen', 'onDefect'],
} as const satisfies Record<string, readonly string[]>

/** Options that are true or false wherever they are: another value of one that refuses more, or only looks, would let everything pass. */
export const SWITCHES: readonly string[] = [
  'allowCapsChange',
  'allowDev',
  'allowDowngrade',
  'allowSignerChange',
  'allowUnsigned',
  'dryRun',
  'failOnLoss',
  'force',
  'grant',
  'gzip',
  'ifTrusted',
  'live',
  'onlyGood',
  'test',
  'trustClientConfirmation',
  'unverified',
  'withSecrets',
  'yes',
]

/** @throws UsageError */
export function refuseNoSwitches(options: unknown, verb: WrittenVerb): void {
  for (const name of VERB_OPTIONS[verb]) {
    const value = SWITCHES.includes(name)
      ? own(options as Readonly<Record<string, unknown>>, name)
      : undefined
    if (value === undefined || typeof value === 'boolean') continue
    throw wrongValue(name, kindName(value), 'true or false')
  }
}

export type WrittenVerb = keyof typeof VERB_OPTIONS

/** @throws UsageError */
export function refuseUnknownMembers(given: unknown, known: readonly string[], what: string): void {
  if (typeof given !== 'object' || given === null)
    throw new UsageError(`Cannot use ${what}: ${kindName(given)} is no object`, {
      hint: `Give an object with any of ${known.join(', ')}`,
    })
  for (const name of Object.getOwnPropertyNames(given)) {
    if (known.includes(name)) continue
    const meant = probablyMeant(name, known)
    throw new UsageError(`Cannot use ${what}: there is no ${quoteText(name)}`, {
      field: name,
      hint: meant === undefined ? `There are ${known.join(', ')}` : `Did you mean ${meant}?`,
    })
  }
}
