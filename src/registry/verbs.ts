// The functions of the library that have no command of their own: an added signature, and the list of versions.
import { absolute } from '../io/layout-folder.ts'
import type { CallerOptions, LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { referenceIn } from '../io/reference.ts'
import { reachWith } from '../io/wait/reach.ts'
import { UsageError } from '../model/error.ts'
import type { KeylessGiven, SignedKeyless } from '../sign/keyless/keyless.ts'
import { signingWith } from '../sign/sign.ts'
import { type KeyGiven, signerFrom } from '../sign/sign-bundle.ts'
import { demandsFrom, type IfTrusted, refuseWithKeyless } from '../sign/sign-verb.ts'
import { type FolderGiven, homeIn } from '../verify/input.ts'
import { type Countersigned, countersign } from './countersign.ts'
import { type ListedVersions, versionsAt } from './stored-versions.ts'

interface CountersignDemands extends LongOptions, IfTrusted {
  /**
   * Which bundle it has to be: a name with a version or range, or `blake3:` and the identity that {@link inspect} shows. With `ifTrusted` it may
   * be left out where the reference names the agent, or a lock pins it.
   */
  readonly expect?: string
}

export interface CountersignOptions extends CountersignDemands, KeyGiven {
  readonly keyless?: undefined
}

export interface CountersignKeylessOptions extends CountersignDemands {
  /** Signs with an identity in place of a key. Identity and digest become public in a log, for ever. */
  readonly keyless: KeylessGiven
  readonly key?: undefined
}

/**
 * Adds a signature beside a stored bundle. The bundle stays as it is, and so does the digest that deployments pin.
 *
 * @param reference `oci://HOST[:PORT]/REPOSITORY` or `oci-layout:FOLDER`, each with `:TAG`, `@sha256:HEX` or both
 *
 * @example
 * const { signer, attached } = await countersign('oci://registry.example/agents/mailer:0.1.0', { key: 'review', expect: 'mailer@0.1.0' })
 * console.log(signer, attached)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound, is unsigned, or is another than the reference says, or with
 * `ifTrusted` is not trusted; `NOT_STORED`,
 * `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `NOT_FOUND`, `NEEDS_ANSWER`, `WRONG_FILE_TYPE` for the key; `USAGE`, `CANCELLED`
 */
export async function countersignPath(reference: string, options: CountersignOptions): Promise<Countersigned>
/**
 * Signs a stored bundle with an identity: one more Sigstore bundle beside it, where `cosign` and `gh` look. It may be unsigned.
 *
 * @throws {@link RlpError} as for a key, and as `sign` with `keyless`
 */
export async function countersignPath(
  reference: string,
  options: CountersignKeylessOptions,
): Promise<SignedKeyless>
export async function countersignPath(
  reference: string,
  options: CountersignOptions | CountersignKeylessOptions,
): Promise<Countersigned | SignedKeyless> {
  return runVerb('countersign', options, async (given, io) => {
    referenceIn(reference, 'sign')
    const { expect, ifTrusted } = demandsFrom(given, io)
    if (typeof expect !== 'string' && ifTrusted === undefined)
      throw new UsageError(`Cannot sign "${reference}": it is not said which bundle this has to be`, {
        field: 'expect',
        hint: 'Give expect: a name with a version or range, or blake3: and the identity that inspect shows',
      })
    const reach = reachWith(io, homeIn(given, io.cwd))
    const how = { ...reach, expect, ifTrusted }
    const target = { path: absolute(reference, io.cwd), label: reference }
    if (given.keyless !== undefined) {
      refuseWithKeyless(given, reference)
      const { keylessFrom } = await import('../sign/keyless/keyless.ts')
      const { countersignKeyless } = await import('./countersign-keyless.ts')
      const keyless = await keylessFrom(given.keyless, { ...io, registries: reach.access })
      return countersignKeyless(target, keyless, {}, how)
    }
    const signing = signingWith(await signerFrom(given, io))
    return countersign(target, signing, {}, how)
  })
}

export interface ListVersionsOptions extends CallerOptions {
  /** The folder whose config.toml may name a mirror, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
  readonly home?: FolderGiven | false
}

/**
 * The tags of a repository or a layout folder: versions, the newest first, and the others.
 *
 * @example
 * const { versions } = await listVersions('oci://registry.example/agents/mailer')
 * console.log(versions[0]?.version)
 *
 * @throws {@link RlpError} `NOT_STORED` for a repository that is not there; `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `USAGE`,
 * `CANCELLED`
 */
export async function listVersionsPath(
  from: string,
  options: ListVersionsOptions = {},
): Promise<ListedVersions> {
  return runVerb('listVersions', options, async (given, io) =>
    versionsAt(from, io.cwd, reachWith(io, homeIn(given, io.cwd))),
  )
}
