// What the library offers of detach: signatures and statements of one stored bundle.
import { absolute } from '../io/layout-folder.ts'
import type { CallerOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { reachWith } from '../io/wait/reach.ts'
import { anchorsGiven } from '../sign/sign-bundle.ts'
import { type Detached, detach } from './detach.ts'

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
        by: by === undefined ? undefined : await anchorsGiven({ passphrase: undefined }, io)(by),
        ...reachWith(io),
      },
    )
  })
}
