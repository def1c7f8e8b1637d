// The options of every command that states something about a bundle: how it is judged, and who signs the statement.
import type { CommandArgs } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { UsageError } from '../model/error.ts'
import { KEYLESS_OPTIONS, refuseBesideKeyless } from '../sign/keyless-options.ts'
import { KEY_OPTION } from '../sign/signing-options.ts'
import { LOCK_OPTIONS, LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { refuseTime } from './attesting-given.ts'

export const STATED_BUNDLES = {
  name: 'bundle',
  required: true,
  many: true,
  names: 'bundle',
  describe: 'bundles, unpacked bundles, or folders of bundles',
} as const satisfies Positional

export const AS_IDENTITY =
  'with an identity in place of a key: a token of an OIDC issuer, as pipelines have one'

/** Who signs a statement, and where it goes. */
export const ATTEST_OPTIONS = {
  key: { ...KEY_OPTION, describe: `sign the statement: ${KEY_OPTION.describe}` },
  ...KEYLESS_OPTIONS,
  keyless: { ...KEYLESS_OPTIONS.keyless, describe: `sign the statement ${AS_IDENTITY}` },
  attest: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'where the signed statement goes (default: <bundle>.intoto.jsonl)',
  },
  time: {
    type: 'string',
    placeholder: 'TIME',
    describe: 'when it was made, as 2026-11-20T00:00:00Z; left out, it says no time',
  },
} as const satisfies OptionTable

/** Who builds a bundle, and from what. */
export const BUILD_OPTIONS = {
  builder: { type: 'string', placeholder: 'URI', describe: 'who builds it; a pipeline says it itself' },
  source: { type: 'string', placeholder: 'URI', describe: 'the repository; a pipeline says it itself' },
  revision: { type: 'string', placeholder: 'COMMIT', describe: 'the commit; a pipeline says it itself' },
} as const satisfies OptionTable

export const JUDGING_OPTIONS = {
  expect: {
    type: 'string',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe: 'which agent it has to be; a file called <name>-<version>.agent.bundle implies it',
  },
  ...TRUST_OPTIONS,
  ...LOCK_OPTIONS,
  root: LOOK_UP_OPTION,
} as const satisfies OptionTable

export type AttestArgs = CommandArgs<typeof ATTEST_OPTIONS, readonly []>

/** The options that say who signs a statement. */
export type SignerArgs = Pick<AttestArgs, 'key' | 'keyless' | 'identityToken' | 'signingConfig' | 'yes'>

/** Whether the statement gets a signature. @throws UsageError for options that contradict each other */
export function isSigned(args: SignerArgs): boolean {
  refuseBesideKeyless({ ...args, exportPayload: undefined, importSignature: undefined })
  return args.key !== undefined || args.keyless
}

/** @throws UsageError for options that need each other, or contradict each other */
export function refuseHalf(args: SignerArgs & Pick<AttestArgs, 'attest' | 'time'>): void {
  if (!isSigned(args) && args.attest !== undefined) throw keyMissing()
  refuseTime(args.time)
}

export function keyMissing(): UsageError {
  return new UsageError('Cannot attest: --key is missing', {
    field: 'key',
    hint: 'Name a key, make one with rlp key generate NAME, or sign with an identity: --keyless',
  })
}
