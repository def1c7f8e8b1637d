// The options of every command that states something about a bundle: how it is judged, and who signs the statement.
import type { CommandArgs } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { UsageError } from '../model/usage-error.ts'
import { KEY_OPTION } from '../sign/signing-options.ts'
import { LOCK_OPTIONS, LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { refuseTime } from './given.ts'

export const STATED_BUNDLES = {
  name: 'bundle',
  required: true,
  many: true,
  names: 'bundle',
  describe: 'bundles, unpacked bundles, or folders of bundles',
} as const satisfies Positional

/** Who signs a statement, and where it goes. */
export const ATTEST_OPTIONS = {
  key: { ...KEY_OPTION, describe: `sign the statement: ${KEY_OPTION.describe}` },
  attest: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'where the signed statement goes; with --key, <bundle>.intoto.jsonl if left out',
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
  ...REGISTRY_OPTIONS,
  ...LOCK_OPTIONS,
  root: LOOK_UP_OPTION,
} as const satisfies OptionTable

export type AttestArgs = CommandArgs<typeof ATTEST_OPTIONS, readonly []>

/** @throws UsageError for options that need each other */
export function refuseHalf({ key, attest, time }: Pick<AttestArgs, 'key' | 'attest' | 'time'>): void {
  if (attest !== undefined && key === undefined) throw keyMissing()
  refuseTime(time)
}

export function keyMissing(): UsageError {
  return new UsageError('Cannot attest: --key is missing', {
    field: 'key',
    hint: 'Name a key, or make one with rlp key generate NAME',
  })
}
