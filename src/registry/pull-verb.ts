// What the library offers of pull: a stored bundle, verified, into a folder, or an error that says why not.
import { absolute } from '../io/layout-folder.ts'
import { type LongOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { referenceIn } from '../io/reference.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { judgingGiven, type TrustOptions } from '../verify/trust-given.ts'
import { type PulledBundle, pullBundle } from './pull.ts'

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
      judging: { ...judgingGiven(given, io), label: from, expect, allowUnsigned },
    })
    if (outcome.is === 'not-accepted') throw outcome.unread ?? new NotVerifiedError(outcome.report, 'pull')
    return outcome.pulled
  })
}
