// The options of every command that states something about a bundle, `agent pack --provenance` among them: how the bundle is judged, and
// who signs the statement. A person is asked before an identity becomes public.
import type { CommandArgs, GlobalArgs, Io } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { expandHome } from '../io/home.ts'
import { UsageError } from '../model/error.ts'
import { KEYLESS_OPTIONS, refuseBesideKeyless } from '../sign/keyless-options.ts'
import { KEY_OPTION, signerCalled } from '../sign/signing-options.ts'
import { type Attesting, attestingByIdentity, attestingByKey, namedFile, refuseTime } from './attest.ts'
import { buildFacts, type Stating } from './provenance.ts'

export const STATED_BUNDLES = {
  name: 'bundle',
  required: true,
  many: true,
  names: 'bundle',
  describe: 'bundles, unpacked bundles, or folders of bundles',
} as const satisfies Positional

const AS_IDENTITY = 'with an identity in place of a key: a token of an OIDC issuer, as pipelines have one'

/** An identity that signs a statement. */
export const IDENTITY_OPTIONS = {
  ...KEYLESS_OPTIONS,
  keyless: { ...KEYLESS_OPTIONS.keyless, describe: `sign the statement ${AS_IDENTITY}` },
} as const satisfies OptionTable

/** Who signs a statement, and where it goes. */
export const ATTEST_OPTIONS = {
  key: { ...KEY_OPTION, describe: `sign the statement: ${KEY_OPTION.describe}` },
  ...IDENTITY_OPTIONS,
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

/** Reads the key, which may ask for its passphrase. @returns undefined without a signer */
export async function attestingIn(args: SignerArgs & GlobalArgs, io: Io): Promise<Attesting | undefined> {
  if (args.keyless) return attestingAsIdentity(args, io)
  return args.key === undefined ? undefined : attestingByKey(await signerCalled(args.key, io))
}

/** A token is looked for with the first statement. */
export async function attestingAsIdentity(args: SignerArgs & GlobalArgs, io: Io): Promise<Attesting> {
  const { askToPublish, keylessIn } = await import('../sign/ask-keyless.ts')
  const keyless = await keylessIn(args, io)
  return attestingByIdentity(keyless, async ({ label, type, identity }) => {
    const token = await keyless.claimed(`attest "${label}"`)
    await askToPublish({ label, report: { identity }, states: type }, token, args, io)
  })
}
