// The options of `agent pack` that state who built what is packed, in the same call.
import type { CommandArgs, GlobalArgs, Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { expandHome } from '../io/home.ts'
import { UsageError } from '../model/error.ts'
import { KEYLESS_OPTIONS } from '../sign/keyless-options.ts'
import { attestingIn } from './ask-attesting.ts'
import { namedFile, refuseTime } from './attesting-given.ts'
import { buildFacts } from './build-facts.ts'
import { AS_IDENTITY, ATTEST_OPTIONS, BUILD_OPTIONS, isSigned, keyMissing } from './options.ts'
import type { Stating } from './state-built.ts'

const WITH = 'with --provenance: '

export const PROVENANCE_OPTIONS = {
  provenance: { type: 'boolean', describe: 'state who built it, in a file beside the bundle' },
  builder: { ...BUILD_OPTIONS.builder, describe: `${WITH}who builds it` },
  source: { ...BUILD_OPTIONS.source, describe: `${WITH}the repository` },
  revision: { ...BUILD_OPTIONS.revision, describe: `${WITH}the commit` },
  key: { ...ATTEST_OPTIONS.key, describe: `${WITH}${ATTEST_OPTIONS.key.describe}` },
  ...KEYLESS_OPTIONS,
  keyless: { ...KEYLESS_OPTIONS.keyless, describe: `${WITH}sign the statement ${AS_IDENTITY}` },
  attest: { ...ATTEST_OPTIONS.attest, describe: `${WITH}another file for the statement` },
  time: { ...ATTEST_OPTIONS.time, describe: `${WITH}when it was made, a UTC second` },
} as const satisfies OptionTable

type Args = CommandArgs<typeof PROVENANCE_OPTIONS, readonly []> &
  GlobalArgs & { readonly check: string | undefined }

/** Reads the key, once for all bundles. @throws UsageError for options that need each other, and without a builder */
export async function statingOf(args: Args, io: Io): Promise<Stating | undefined> {
  const { provenance, check, builder, source, revision, key, attest, time } = args
  if (!provenance) {
    const { keyless, identityToken, signingConfig, yes } = args
    const signing = { key, keyless, 'identity-token': identityToken, 'signing-config': signingConfig, yes }
    const given = { builder, source, revision, ...signing, attest, time }
    const [stray] = Object.entries(given).find(([, value]) => value !== undefined && value !== false) ?? []
    if (stray === undefined) return undefined
    throw new UsageError(`Cannot use --${stray} without --provenance`, {
      field: stray,
      hint: 'Add --provenance, or state it later with rlp agent provenance',
    })
  }
  if (check !== undefined)
    throw new UsageError('Cannot use --provenance with --check: nothing is packed', {
      field: 'provenance',
      hint: 'Compare first, then pack',
    })
  if (!isSigned(args)) throw keyMissing()
  refuseTime(time)
  const facts = await buildFacts({ builder, source, revision }, io.env, time)
  const file = attest === undefined ? undefined : namedFile(expandHome(attest), io)
  const attesting = await attestingIn(args, io)
  if (attesting === undefined) throw keyMissing()
  return { facts, file, attesting, isKeyless: args.keyless }
}
