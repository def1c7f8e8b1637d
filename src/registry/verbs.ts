// The functions of the library for bundles in a registry or a layout folder: push, pull, copy, countersign, detach, and the list of
// versions.
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { absolute } from '../io/layout-folder.ts'
import {
  type CallerOptions,
  type LongOptions,
  type PathGiven,
  pathGiven,
  targetGiven,
} from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { referenceIn } from '../io/reference.ts'
import { reachWith } from '../io/wait/reach.ts'
import { UsageError } from '../model/error.ts'
import type { KeylessGiven, SignedKeyless } from '../sign/keyless/keyless.ts'
import { signingWith } from '../sign/sign.ts'
import { anchorsFrom, type KeyGiven, signerFrom } from '../sign/sign-bundle.ts'
import { demandsFrom, type IfTrusted, refuseWithKeyless } from '../sign/sign-verb.ts'
import { type FolderGiven, homeIn, judgingInput, type TrustOptions } from '../verify/input.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { type Copied, copyBundle } from './copy.ts'
import { type Countersigned, countersign } from './countersign.ts'
import { type Detached, detach } from './detach.ts'
import { type PulledBundle, pullBundle } from './pull.ts'
import { type Pushed, pushBundle } from './push.ts'
import { pushTarget, refuseStored } from './push-target.ts'
import { type ListedVersions, versionsAt } from './stored-versions.ts'

export interface PushOptions extends LongOptions {
  /** Move a tag that names other content. It is not needed for renewed signatures by the same signers. */
  readonly force?: boolean
  /**
   * What others state about it, to go beside it: the path of such a file, or its bytes. The file beside the bundle,
   * `<bundle>.intoto.jsonl`, where this is left out; false for none.
   */
  readonly attach?: PathGiven | Uint8Array | false
  /** Push a sound bundle without signature. */
  readonly allowUnsigned?: boolean
  /** Look what is there, and store nothing: the answer says what is new. */
  readonly dryRun?: boolean
}

/**
 * Stores a bundle, and gives it its version as the tag. What is there already is not sent again. A new statement by a key takes the place of what
 * this key alone has stated before, in a statement of the same type about the same bundle.
 *
 * @param to `oci://HOST[:PORT]/REPOSITORY[:TAG]` or `oci-layout:FOLDER[:TAG]`; with a `/` at the end, the repository is called after the agent
 *
 * @example
 * const { reference, manifest } = await push('dist/mailer-0.1.0.agent.bundle', 'oci://registry.example/agents/')
 * console.log(reference, manifest)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound, or is unsigned; `EXISTS` for a tag with other content; `USAGE` for a
 * target that is wrong; `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `CANCELLED`
 */
export async function pushPath(bundle: PathGiven, to: string, options: PushOptions = {}): Promise<Pushed> {
  return runVerb('push', options, async (given, io) => {
    const target = targetGiven(bundle, io, 'push')
    refuseStored(target)
    const { attach: named } = given
    const attach =
      named === undefined || named === false
        ? named
        : await attestationsOf('', named instanceof Uint8Array ? named : pathGiven(named, io, 'attach'))
    return pushBundle(target, {
      attach,
      to: pushTarget(absolute(to, io.cwd), 1),
      force: given.force === true,
      allowUnsigned: given.allowUnsigned === true,
      dryRun: given.dryRun === true,
      ...reachWith(io),
    })
  })
}

export interface PullOptions extends LongOptions, TrustOptions {
  /** Where the file goes; the current folder where this is left out. */
  readonly outDir?: PathGiven
  /** Replace a file with other content. */
  readonly force?: boolean
  /** Which agent it has to be; `oci://HOST/…/<name>:<version>` implies it. */
  readonly expect?: string
  /** Keep a sound bundle without signature. */
  readonly allowUnsigned?: boolean
}

/**
 * Fetches a bundle, verifies it while it arrives, and gives it its name only after the verdict.
 *
 * @param from `oci://HOST[:PORT]/REPOSITORY` or `oci-layout:FOLDER`, each with `:TAG`, `@sha256:HEX` or both
 *
 * @example
 * const { bundle, report } = await pull('oci://registry.example/agents/mailer:0.1.0', { outDir: 'bundles' })
 * console.log(bundle, report.carried?.manifest)
 *
 * @throws {@link NotVerifiedError} when its verdict is against it
 * @throws {@link RlpError} `NOT_STORED`, `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `EXISTS` for a file with other content;
 * `USAGE` for a reference that is wrong, or implies no agent; `CANCELLED`. Then nothing is written
 */
export async function pullPath(from: string, options: PullOptions = {}): Promise<PulledBundle> {
  return runVerb('pull', options, async (given, io) => {
    referenceIn(from, 'pull')
    const folder = given.outDir === undefined ? io.cwd : pathGiven(given.outDir, io, 'pull into')
    const label = typeof given.outDir === 'string' ? given.outDir : folder
    const { expect, allowUnsigned } = given
    const outcome = await pullBundle({
      from: absolute(from, io.cwd),
      folder,
      label,
      force: given.force === true,
      judging: { ...judgingInput(given, io), label: from, expect, allowUnsigned },
    })
    if (outcome.is === 'not-accepted') throw outcome.unread ?? new NotVerifiedError(outcome.report, 'pull')
    return outcome.pulled
  })
}

export interface CopyOptions extends LongOptions {
  /** Move a tag that names other content. */
  readonly force?: boolean
  /** Look what is there, and store nothing: the answer says what would be. */
  readonly dryRun?: boolean
  /** False copies the bundle alone, without the signatures and statements that are attached to it. */
  readonly attach?: boolean
  /** The folder whose config.toml may name a mirror of `from`, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
  readonly home?: FolderGiven | false
}

/**
 * Copies a stored bundle byte for byte, with the signatures and statements that are attached to it. Its digest stays the same, and what is
 * there already is not sent. It judges nothing: readers of the copy do. If the registry keeps nothing beside a bundle, the bundle alone is
 * copied, and `lost` names what stayed behind.
 *
 * @param from `oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:HEX]` or `oci-layout:FOLDER[:TAG][@sha256:HEX]`
 * @param to a registry or a layout folder, with a tag of its own or the one of `from`; with a `/` at the end, the repository is called after the agent
 *
 * @example
 * const { reference } = await copy('oci://dev.example/agents/mailer:0.1.0', 'oci://registry.example/agents/')
 *
 * @throws {@link RlpError} `EXISTS` for a tag with other content; `USAGE` for a reference or target that is wrong; `NOT_STORED`, `UNREACHABLE`,
 * `NO_PERMISSION`, `STORE` as the registries are; `CANCELLED`
 */
export async function copyPath(from: string, to: string, options: CopyOptions = {}): Promise<Copied> {
  return runVerb('copy', options, async (given, io) => {
    return copyBundle(
      { path: absolute(from, io.cwd), label: from },
      {
        to: pushTarget(absolute(to, io.cwd), 1, 'copy'),
        force: given.force === true,
        dryRun: given.dryRun === true,
        attach: given.attach !== false,
        ...reachWith(io, homeIn(given, io.cwd)),
      },
    )
  })
}

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

export interface DetachOptions extends CallerOptions {
  /** The type of a statement: `https://slsa.dev/provenance/v1`, or `urn:runloop:agent-bundle:v1` for signatures. */
  readonly type?: string
  /** Whose they are: an anchor string, or the name or path of a public key. */
  readonly by?: string
  /** `sha256:…` of the manifests that hold them, in place of `type` and `by`. */
  readonly digests?: readonly string[]
  /** Also what others have signed; with `type` alone those of all signers. */
  readonly all?: boolean
  /** Look what would be removed, and remove nothing. */
  readonly dryRun?: boolean
}

/**
 * Removes signatures and statements that are attached to a stored bundle. Only what was read whole is removed: it is attached to this very
 * bundle, its signature holds where a type or a key is named, and no tag names it. The bundle and its digest stay.
 *
 * @param reference `oci://HOST[:PORT]/REPOSITORY` or `oci-layout:FOLDER`, each with `:TAG`, `@sha256:HEX` or both
 *
 * @example
 * const { detached } = await detach('oci://registry.example/agents/mailer:0.1.0', {
 *   type: 'https://slsa.dev/provenance/v1', by: 'ci.pub', dryRun: true,
 * })
 * console.log(detached.length)
 *
 * @throws {@link RlpError} `NOT_FOUND` if nothing of it is attached; `STORE` if a tag names it, or the registry forbids deletion; `NOT_STORED`,
 * `UNREACHABLE`, `NO_PERMISSION` as the registry is; `USAGE`, `CANCELLED`
 */
export async function detachPath(reference: string, options: DetachOptions = {}): Promise<Detached> {
  return runVerb('detach', options, async (given, io) => {
    const { type, by, digests = [], all = false, dryRun = false } = given
    return detach(
      { path: absolute(reference, io.cwd), label: reference },
      {
        type,
        digests,
        all,
        dryRun,
        by: by === undefined ? undefined : await anchorsFrom({ passphrase: undefined }, io)(by),
        ...reachWith(io),
      },
    )
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
