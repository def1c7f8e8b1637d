// The options of `rlp agent sign`, and what they mean in combination.
import type { CommandArgs, Io } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { note } from '../cli/render/report.ts'
import { isUtcSecond } from '../format/signature/envelope.ts'
import type { Target } from '../io/find-agents.ts'
import { UsageError } from '../model/usage-error.ts'
import { KEY_OPTION } from './signing-options.ts'

export const SIGN_OPTIONS = {
  key: KEY_OPTION,
  'not-after': {
    type: 'string',
    placeholder: 'TIME',
    describe: 'when the signature ends, as 2027-11-20T00:00:00Z',
  },
  expect: {
    type: 'string',
    placeholder: 'NAME@RANGE|blake3:HEX',
    describe: 'which bundle in a registry it has to be; without it, a person is asked',
  },
  replace: { type: 'boolean', describe: 'drop the signatures that are there' },
  'export-payload': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'write the bytes to sign, for a signer outside, without signing',
  },
  'import-signature': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'add a signature made outside: 64 bytes, raw or base64',
  },
} as const satisfies OptionTable

export const SIGN_BUNDLES = {
  name: 'bundle',
  required: true,
  many: true,
  names: 'bundle',
  describe: 'a bundle, an unpacked bundle, a folder of bundles, or a reference to a stored bundle',
} as const satisfies Positional

export type SignArgs = CommandArgs<typeof SIGN_OPTIONS, readonly [typeof SIGN_BUNDLES]>

export function refuseUnclear(args: SignArgs, targets: readonly Target[]): void {
  const isExport = args.exportPayload !== undefined
  if (isExport && args.importSignature !== undefined) {
    throw new UsageError('Cannot use --export-payload with --import-signature', {
      hint: 'Export first, sign outside, then import',
    })
  }
  if ((isExport || args.importSignature !== undefined) && targets.length > 1) {
    throw new UsageError(`Cannot use an outside signer with ${targets.length} bundles at once`, {
      hint: 'Name one bundle',
    })
  }
  if (!isExport && args.key === undefined) {
    throw new UsageError('Cannot sign: --key is missing', {
      hint: 'Name a key, or make one with rlp key generate NAME',
    })
  }
}

export function warnOfEnd({ notAfter, ...args }: SignArgs, io: Io): void {
  if (notAfter !== undefined && isUtcSecond(notAfter) && Date.parse(notAfter) < Date.now())
    note(io, args, `${notAfter} is over already: the bundle is expired from the start`)
}
