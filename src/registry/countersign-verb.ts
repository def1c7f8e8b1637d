// What the library offers of countersigning: one more signature beside a stored bundle.
import { absolute } from '../io/layout-folder.ts'
import type { LongOptions } from '../io/library/caller.ts'
import { accessGiven, type RegistryOptions } from '../io/library/registry-given.ts'
import { runVerb } from '../io/library/verb.ts'
import { UsageError } from '../model/usage-error.ts'
import { signingWith } from '../sign/sign.ts'
import { type KeyGiven, signerGiven } from '../sign/sign-bundle.ts'
import { demandsGiven, type IfTrusted } from '../verify/demands-given.ts'
import { type Countersigned, countersign } from './countersign.ts'
import { referenceIn } from './open-store.ts'

export interface CountersignOptions extends LongOptions, RegistryOptions, KeyGiven, IfTrusted {
  /**
   * Which bundle it has to be: a name with a version or range, or `blake3:` and the identity that {@link inspect} shows. With `ifTrusted` it may
   * be left out where the reference names the agent, or a lock pins it.
   */
  readonly expect?: string
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
export async function countersignPath(
  reference: string,
  options: CountersignOptions,
): Promise<Countersigned> {
  return runVerb('countersign', options, async (given, io) => {
    referenceIn(reference, 'sign')
    const { expect, ifTrusted } = demandsGiven(given, io)
    if (typeof expect !== 'string' && ifTrusted === undefined)
      throw new UsageError(`Cannot sign "${reference}": it is not said which bundle this has to be`, {
        field: 'expect',
        hint: 'Give expect: a name with a version or range, or blake3: and the identity that inspect shows',
      })
    const access = accessGiven(given, io.env)
    const signing = signingWith(await signerGiven(given, io))
    const target = { path: absolute(reference, io.cwd), label: reference }
    return countersign(
      target,
      signing,
      {},
      { access, expect, ifTrusted, signal: io.signal, onProgress: io.onProgress },
    )
  })
}
