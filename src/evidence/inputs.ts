// The inputs of the verbs that state something about bundles: who signs the statement, where it goes, and how the bundles are judged.

import type { Target } from '../io/find/search-folders.ts'
import { expandHome } from '../io/home.ts'
import type { PathGiven } from '../io/library/caller.ts'
import { refuseUnknownMembers } from '../io/library/unknown-members.ts'
import { ownMembers } from '../model/own.ts'
import type { AttestationFile } from '../sign/attestation-file.ts'
import { KEYLESS_OPTIONS, keyless, refuseBesideKeyless } from '../sign/keyless-inputs.ts'
import { passphrase } from '../sign/passphrase-inputs.ts'
import { KEY_OPTION, keyMissing, signerGiven, signingKey } from '../sign/signing-inputs.ts'
import {
  type AnyInput,
  type Asked,
  type At,
  type Input,
  type InputTable,
  text,
  type World,
} from '../verb/index.ts'
import { readGiven, readTyped } from '../verb/read.ts'
import type { Judging } from '../verify/examine.ts'
import { JUDGING, judgingBy } from '../verify/judging-inputs.ts'
import { pins } from '../verify/pin-inputs.ts'
import {
  type Attesting,
  attestingByIdentity,
  attestingByKey,
  namedFile,
  refuseTime,
  type SigningGiven,
  type SignStated,
  stateSigned,
} from './attest.ts'
import {
  type BuildStated,
  buildFacts,
  type StatedBuild,
  type StatingGiven,
  stateBuilt,
} from './provenance.ts'

export const STATED_BUNDLES = {
  names: 'bundle',
  describe: 'bundles, unpacked bundles, or folders of bundles',
} as const

/** A statement of another program says its time itself. */
type AttestingAsked = Omit<Asked<typeof STATEMENT_SIGNING>, 'time'> & { readonly time?: string | undefined }

type OpenAttesting = () => Promise<Attesting>

const attest: Input<PathGiven, AttestationFile | undefined> = {
  type: 'PathGiven',
  typed: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'where the signed statement goes (default: <bundle>.intoto.jsonl)',
  },
  fromTyped: (typed: string, { world }: At) => namedFile(expandHome(typed), world),
  fromGiven: (given, { world }) => namedFile(given, world),
}

/** @interface SigningGiven */
export const STATEMENT_SIGNING = {
  key: { ...signingKey, typed: { ...KEY_OPTION, describe: `sign the statement: ${KEY_OPTION.describe}` } },
  passphrase,
  keyless: {
    ...keyless,
    flags: {
      ...KEYLESS_OPTIONS,
      keyless: {
        ...KEYLESS_OPTIONS.keyless,
        describe: `sign the statement ${KEYLESS_OPTIONS.keyless.describe.replace(/^sign /, '')}`,
      },
    },
  },
  attest,
  time: text('when it was made, as 2026-11-20T00:00:00Z; left out, it says no time', { placeholder: 'TIME' }),
} as const satisfies Record<keyof SigningGiven, AnyInput>

/** @interface BuildStated */
export const BUILD = {
  builder: text('who builds it; a pipeline says it itself', { placeholder: 'URI' }),
  source: text('the repository; a pipeline says it itself', { placeholder: 'URI' }),
  revision: text('the commit; a pipeline says it itself', { placeholder: 'COMMIT' }),
} as const satisfies Record<keyof BuildStated, AnyInput>

/** What a verification summary says beside the verdict. */
export const SUMMARY_FACTS = {
  verifier: text('who has checked it'),
  resource: text('what was checked, as others know it'),
} as const

const STATED_BUILD = { ...BUILD, ...STATEMENT_SIGNING } as const

/** Signs who built a bundle, before the bundle takes its place. */
export type StateBuilt = (temporary: string, bundle: Target) => Promise<StatedBuild>

/** Opens the signer, once for all bundles. @throws UsageError without a builder or a key; RlpError as the key's place does */
export type OpenStating = () => Promise<StateBuilt>

/** @param args those of the command line, with the flags of {@link BUILD} and {@link STATEMENT_SIGNING} */
export async function builtTyped(
  args: Readonly<Record<string, unknown>>,
  world: World,
): Promise<OpenStating> {
  return statingBuilt((await readTyped({ inputs: STATED_BUILD }, args, world)) as BuiltAsked, world)
}

export async function builtGiven(given: StatingGiven, world: World): Promise<OpenStating> {
  refuseUnknownMembers(given, Object.keys(STATED_BUILD), 'provenance')
  const stated = { name: 'provenance', inputs: STATED_BUILD }
  return statingBuilt((await readGiven(stated, { ...given }, world)) as BuiltAsked, world)
}

type BuiltAsked = Asked<typeof STATED_BUILD>

function statingBuilt(asked: BuiltAsked, world: World): OpenStating {
  return async () => {
    const open = attestingBy(asked, world)
    if (open === undefined) throw keyMissing('attest', world)
    const facts = await buildFacts(asked, world.env, asked.time)
    const attesting = await open()
    const stating = { facts, attesting, isKeyless: asked.keyless !== undefined, file: asked.attest }
    return (temporary, bundle) => stateBuilt(temporary, bundle, stating, world)
  }
}

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
  const attesting = attestingBy(asked, world)
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
export function attestingBy(asked: AttestingAsked, world: World): OpenAttesting | undefined {
  const { key, passphrase, keyless, attest, time } = ownMembers(asked)
  refuseBesideKeyless({ key, passphrase: passphrase.isGiven, keyless }, world)
  if (attest !== undefined && key === undefined && keyless === undefined) throw keyMissing('attest', world)
  refuseTime(time)
  const byKey =
    key === undefined ? undefined : async () => attestingByKey(await signerGiven({ key, passphrase }))
  const open = keyless ? async () => attestingByIdentity(await keyless(world)) : byKey
  let attesting: Attesting | undefined
  return (
    open &&
    (async () => {
      attesting ??= await open()
      return attesting
    })
  )
}
