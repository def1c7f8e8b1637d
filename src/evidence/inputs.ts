// The inputs of the verbs that state something about bundles: who signs the statement, where it goes, and how the bundles are judged.
import { expandHome } from '../io/home.ts'
import type { PathGiven } from '../io/library/caller.ts'
import { ownMembers } from '../model/own.ts'
import type { AttestationFile } from '../sign/attestation-file.ts'
import type { KeylessGiven } from '../sign/keyless/keyless.ts'
import { passphrase } from '../sign/passphrase-inputs.ts'
import { signerGiven, signingKey } from '../sign/signing-inputs.ts'
import {
  type AnyInput,
  type Asked,
  type At,
  type Input,
  type InputTable,
  text,
  type World,
} from '../verb/index.ts'
import type { Judging } from '../verify/examine.ts'
import { JUDGING, judgingBy } from '../verify/judging-inputs.ts'
import { pins } from '../verify/pin-inputs.ts'
import {
  type Attesting,
  attestingByIdentity,
  attestingByKey,
  namedFile,
  refuseHalfGiven,
  type SigningGiven,
  type SignStated,
  stateSigned,
} from './attest.ts'
import {
  ATTEST_OPTIONS,
  type AttestArgs,
  attestingAsIdentity,
  BUILD_OPTIONS,
  IDENTITY_OPTIONS,
  refuseHalf,
} from './options.ts'
import type { BuildStated } from './provenance.ts'

/** A statement of another program says its time itself. */
type AttestingAsked = Omit<Asked<typeof STATEMENT_SIGNING>, 'time'> & { readonly time?: string | undefined }

type OpenAttesting = () => Promise<Attesting>

/** A token is looked for with the first statement. */
const keyless: Input<KeylessGiven, OpenAttesting | undefined> = {
  type: 'KeylessGiven',
  flags: IDENTITY_OPTIONS,
  fromTyped(args: AttestArgs, { world: { terminal } }) {
    refuseHalf(args)
    return args.keyless && terminal !== undefined ? () => attestingAsIdentity(args, terminal.io) : undefined
  },
  async fromGiven(given, { world }) {
    const { keylessFrom } = await import('../sign/keyless/keyless.ts')
    const opened = await keylessFrom(given, world)
    return async () => attestingByIdentity(opened)
  },
}

const attest: Input<PathGiven, AttestationFile | undefined> = {
  type: 'PathGiven',
  typed: ATTEST_OPTIONS.attest,
  fromTyped: (typed: string, { world }: At) => namedFile(expandHome(typed), world),
  fromGiven: (given, { world }) => namedFile(given, world),
}

/** @interface SigningGiven */
export const STATEMENT_SIGNING = {
  key: { ...signingKey, typed: ATTEST_OPTIONS.key },
  passphrase,
  keyless,
  attest,
  time: text(ATTEST_OPTIONS.time.describe, ATTEST_OPTIONS.time),
} as const satisfies Record<keyof SigningGiven, AnyInput>

const { builder, source, revision } = BUILD_OPTIONS

/** @interface BuildStated */
export const BUILD = {
  builder: text(builder.describe, builder),
  source: text(source.describe, source),
  revision: text(revision.describe, revision),
} as const satisfies Record<keyof BuildStated, AnyInput>

/** @interface StateOptions */
export const STATING = {
  ...STATEMENT_SIGNING,
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  expect: text('which agent it has to be; a file called <name>-<version>.agent.bundle implies it', {
    placeholder: 'NAME[@VARIANT][@RANGE]',
  }),
  ...JUDGING,
  lock: pins,
} as const satisfies InputTable

/** How the bundle is judged that a statement is about. */
export function statingBy(asked: Asked<typeof STATING>, world: World): Judging {
  const { expect, lock, keyless } = asked
  return { ...judgingBy(asked, world), expect, locks: lock, unsigned: keyless !== undefined }
}

/** Signs as this call says. */
interface Signing {
  /** Whether it names a signer. */
  readonly isSigned: boolean
  readonly sign: SignStated
}

export function signingBy(asked: Asked<typeof STATEMENT_SIGNING>, world: World): Signing {
  const attesting = attestingBy(asked)
  return {
    isSigned: attesting !== undefined,
    sign: async stated => stateSigned(stated, await attesting?.(), asked.attest, world),
  }
}

/**
 * The key is read once, and only for a bundle that may be stated of.
 * @returns undefined without a signer
 * @throws UsageError for what is needed together, or cannot be
 */
export function attestingBy(asked: AttestingAsked): OpenAttesting | undefined {
  const { key, passphrase, keyless, attest, time } = ownMembers(asked)
  refuseHalfGiven({ key, passphrase: passphrase.isGiven, keyless, attest, time })
  const byKey =
    key === undefined ? undefined : async () => attestingByKey(await signerGiven({ key, passphrase }))
  const open = keyless ?? byKey
  let attesting: Attesting | undefined
  return (
    open &&
    (async () => {
      attesting ??= await open()
      return attesting
    })
  )
}
