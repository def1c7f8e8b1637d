// The function of the library that signs, with a key or with an identity instead of one, and reads what a caller demands of the bundle.
import { type LongOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import { isOciReference } from '../oci/scheme.ts'
import { type Demands, refuseLooser } from '../verify/before-signing.ts'
import { type FolderGiven, fileInput, folderInput, policyInput, type TrustOptions } from '../verify/input.ts'
import type { KeylessGiven, SignedKeyless } from './keyless/keyless.ts'
import { refuseUnsignable } from './refuse-unsignable.ts'
import { refuseBothEnds, type SignOptions, signingWith } from './sign.ts'
import { type KeyGiven, type SignedBundle, signBundle, signerFrom } from './sign-bundle.ts'

interface SignBundleDemands extends LongOptions, IfTrusted {
  /** Which bundle it has to be: a name with a version or range, or `blake3:` and the identity that {@link inspect} shows. */
  readonly expect?: string
}

export interface SignBundleOptions extends SignBundleDemands, SignOptions, KeyGiven {
  readonly keyless?: undefined
}

export interface SignKeylessOptions extends SignBundleDemands, Pick<SignOptions, 'notAfter'> {
  /** Signs with an identity in place of a key. Identity and digest become public in a log, for ever. */
  readonly keyless: KeylessGiven
  readonly key?: undefined
}

/**
 * Adds a signature to a bundle file or an unpacked bundle. A bundle that does not verify is not signed, and the new bundle is verified before it
 * takes the place of the old one. A second signature of one key replaces its first. `renew` starts a new statement with a later end, and is
 * refused for what the policies or marks of this host revoke or roll back.
 *
 * @example
 * const { signer } = await sign('dist/mailer-0.1.0.agent.bundle', { key: 'release' })
 * console.log(signer)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound or may not be renewed, `NOT_FOUND`, `NEEDS_ANSWER` when the passphrase is missing,
 * `WRONG_FILE_TYPE` for what is no key and for a bundle in gzip, `LIMIT_EXCEEDED` beyond sixteen signatures, `SIGNER` when an agent or a
 * program fails, `CANCELLED`; then the bundle is as it was
 */
export async function signPath(bundle: PathGiven, options: SignBundleOptions): Promise<SignedBundle>
/**
 * Signs a bundle file or an unpacked bundle with an identity: one more line in `<bundle>.intoto.jsonl`. The bundle stays as it is.
 *
 * @example
 * const { signer, time } = await sign('dist/mailer-0.1.0.agent.bundle', { keyless: {} })
 * console.log(signer, time)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound, `NOT_FOUND` without a token, `WRONG_FILE_TYPE` for what is no token or no
 * signing config, `SIGNER` where a service refuses, answers something else, or has another clock, `NO_PERMISSION`, `UNREACHABLE`, `TIMED_OUT`,
 * `LIMIT_EXCEEDED`, `CANCELLED`; then nothing is written
 */
export async function signPath(bundle: PathGiven, options: SignKeylessOptions): Promise<SignedKeyless>
export async function signPath(
  bundle: PathGiven,
  options: SignBundleOptions | SignKeylessOptions,
): Promise<SignedBundle | SignedKeyless> {
  return runVerb('sign', options, async (given, io) => {
    const target = targetGiven(bundle, io, 'sign')
    if (isOciReference(target.path))
      throw new UsageError(`Cannot sign "${target.label}": it is stored already`, {
        hint: 'countersign adds a signature beside a stored bundle',
      })
    const demands = demandsFrom(given, io)
    if (given.keyless !== undefined) {
      refuseWithKeyless(given, target.label)
      await refuseUnsignable(target)
      const { keylessFrom, signBundleKeyless } = await import('./keyless/keyless.ts')
      const { notAfter } = given
      return signBundleKeyless(target, await keylessFrom(given.keyless, io), { notAfter }, io, demands)
    }
    await refuseUnsignable(target)
    const { notAfter, renew } = given
    refuseBothEnds(given, option => option)
    return signBundle(target, signingWith(await signerFrom(given, io)), { notAfter, renew }, io, demands)
  })
}

/** The types say so; at run time another caller might. @throws UsageError */
export function refuseWithKeyless(given: object, label: string): void {
  for (const field of ['key', 'passphrase', 'renew'])
    if (Reflect.get(given, field) !== undefined)
      throw new UsageError(`Cannot sign "${label}" with keyless and ${field}`, {
        field,
        hint: 'Sign twice: once with the key, and once with keyless',
      })
}

/** Signing nothing but what is trusted on this host. `home` and `trustPolicy` also say what a renewal is refused by. */
export interface IfTrusted extends Pick<TrustOptions, 'home' | 'trustPolicy'> {
  /**
   * Verify it first, under the policies and marks of this host, and sign only what is `trusted`. Needs a mark of the agent (it is installed
   * here), `lock`, or `expect` with an identity, and takes neither `notAfter` nor `renew`.
   */
  readonly ifTrusted?: boolean | undefined
  /** With `ifTrusted`: locks that pin the bundle (docs/lock.md). */
  readonly lock?: OneOrMore<FolderGiven> | undefined
}

/** @throws UsageError for what cannot be asked together */
export function demandsFrom(
  options: SignOptions & IfTrusted & { readonly expect?: string },
  io: Setting,
): Demands {
  const { expect, lock, ifTrusted = false, renew, home, trustPolicy } = options
  refuseLooser(options, option => option)
  const under = {
    home: home === undefined ? undefined : folderInput(home, 'home', io.cwd),
    trustPolicy: trustPolicy === undefined ? undefined : policyInput(trustPolicy, io.cwd),
  }
  return {
    expect,
    ifTrusted: ifTrusted
      ? { ...under, locks: eachOf(lock, 'lock').map(one => fileInput(one, 'lock', io.cwd)) }
      : undefined,
    renewing: renew === undefined ? undefined : under,
  }
}
