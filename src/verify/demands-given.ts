// What a caller of the library demands of a bundle before it is signed.
import type { Setting } from '../io/setting.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { SignOptions } from '../sign/end-asked.ts'
import { type FolderGiven, fileInput, folderInput, policyInput } from './given.ts'
import type { Demands } from './read-to-sign.ts'
import type { TrustOptions } from './trust-given.ts'
import { refuseLooser } from './trusted-to-sign.ts'

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
export function demandsGiven(
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
