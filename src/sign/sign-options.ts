// The options of `rlp agent sign`, and what they mean in combination.

import type { CommandArgs, Io } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { AUDIT_OPTION } from '../cli/options.ts'
import { note } from '../cli/render/report.ts'
import type { Target } from '../io/find/find-agents.ts'
import { namedPath } from '../io/home.ts'
import { UsageError } from '../model/error.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { quoted } from '../text/printable.ts'
import { secondAfter, secondsIn } from '../text/time.ts'
import { type RenewedUnder, refuseLooser, type TrustedOnly } from '../verify/before-signing.ts'
import { agreeingLocks } from '../verify/open-locks.ts'
import { KEYLESS_OPTIONS, refuseBesideKeyless } from './keyless-options.ts'
import { type EndOptions, refuseBothEnds } from './sign.ts'
import { KEY_OPTION } from './signing-options.ts'

export const SIGN_OPTIONS = {
  key: KEY_OPTION,
  ...KEYLESS_OPTIONS,
  yes: {
    ...KEYLESS_OPTIONS.yes,
    describe:
      'sign without a question: with --renew, and with --keyless, which publishes identity and digest',
  },
  'not-after': {
    type: 'string',
    placeholder: 'TIME',
    describe: 'when the signature ends: after so long, as 90d, or at a time, as 2027-11-20T00:00:00Z',
  },
  renew: {
    type: 'string',
    placeholder: 'TIME',
    describe: 'start again with this end, as 90d, and drop the signatures with the old end',
  },
  expect: {
    type: 'string',
    placeholder: 'NAME@RANGE|blake3:HEX',
    describe: 'which bundle it has to be; without it, a person is asked about one in a registry',
  },
  'if-trusted': {
    type: 'boolean',
    describe:
      'verify first, and sign only what is trusted and is pinned by a mark, --lock or --expect blake3:HEX',
  },
  lock: {
    type: 'strings',
    commas: false,
    placeholder: 'FILE',
    describe: 'with --if-trusted: the lock that pins it; of a reference, what it pins is fetched',
  },
  'trust-policy': {
    type: 'string',
    placeholder: 'FILE',
    describe:
      'with --if-trusted or --renew: in place of ~/.runloop/trust-policy.toml; the system’s still applies',
  },
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
  ...AUDIT_OPTION,
} as const satisfies OptionTable

export const SIGN_BUNDLES = {
  name: 'bundle',
  required: true,
  many: true,
  names: 'bundle',
  describe: 'a bundle, an unpacked bundle, a folder of bundles, or a reference to a stored bundle',
} as const satisfies Positional

export type SignArgs = CommandArgs<typeof SIGN_OPTIONS, readonly [typeof SIGN_BUNDLES]> &
  Pick<EndOptions, 'isCounted'>

export function refuseUnclear(args: SignArgs, targets: readonly Target[]): void {
  refuseLooser({ ...args, lock: args.lock[0] }, flagOf)
  refuseBothEnds(args, flagOf)
  refuseBesideKeyless(args)
  if (args.keyless) return
  const isExport = args.exportPayload !== undefined
  if (isExport && args.importSignature !== undefined)
    throw new UsageError('Cannot use --export-payload with --import-signature', {
      hint: 'Export first, sign outside, then import',
    })
  if ((isExport || args.importSignature !== undefined) && targets.length > 1)
    throw new UsageError(`Cannot use an outside signer with ${targets.length} bundles at once`, {
      hint: 'Name one bundle',
    })
  if (!isExport && args.key === undefined)
    throw new UsageError('Cannot sign: --key is missing', {
      hint: 'Name a key, make one with rlp key generate NAME, or sign with an identity: --keyless',
    })
}

interface EndTyped {
  readonly notAfter?: string | undefined
  readonly renew?: string | undefined
}

/** A duration counts from now on, for all bundles of a call from the same moment. */
export function withEnd<T extends EndTyped>(args: T, now: Date): T & Pick<EndOptions, 'isCounted'> {
  const { notAfter, renew } = args
  return {
    ...args,
    notAfter: endTyped(notAfter, 'not-after', now),
    renew: endTyped(renew, 'renew', now),
    isCounted: notAfter !== undefined && !isUtcSecond(notAfter),
  }
}

function endTyped(text: string | undefined, field: string, now: Date): string | undefined {
  if (text === undefined || isUtcSecond(text)) return text
  const seconds = secondsIn(text)
  if (seconds !== undefined) return secondAfter(now, seconds)
  throw new UsageError(`Cannot sign until ${quoted(text)}: it is neither a duration nor a UTC second`, {
    field,
    hint: 'Write for example 90d, or 2027-11-20T00:00:00Z',
  })
}

export function warnOfEnd({ notAfter, renew, ...args }: SignArgs, io: Io): void {
  const end = renew ?? notAfter
  if (end !== undefined && isUtcSecond(end) && Date.parse(end) < Date.now())
    note(io, args, `${end} is over already: the bundle is expired from the start`)
}

/** As a command line has it: `--if-trusted`. */
function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

/** What a renewal is refused by; undefined without `--renew`. */
export function renewedUnder({ renew, trustPolicy }: SignArgs, io: Io): RenewedUnder | undefined {
  return renew === undefined ? undefined : { trustPolicy: namedPath(trustPolicy, io.cwd) }
}

/** What `--if-trusted` judges by; undefined without it. */
export async function trustedOnly(
  { ifTrusted, lock, trustPolicy }: SignArgs,
  io: Io,
): Promise<TrustedOnly | undefined> {
  if (!ifTrusted) return undefined
  return {
    locks: await agreeingLocks(lock.map(path => namedPath(path, io.cwd))),
    trustPolicy: namedPath(trustPolicy, io.cwd),
  }
}
