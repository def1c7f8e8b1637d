// The marks of an agent → whether a bundle is older than them (docs/spec/marks.md).
import { type Behind, behindMarks } from '../format/agent-state/marks.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import type { Reason } from '../model/report.ts'
import type { HighWaterMark } from '../model/trust.ts'

/** What the bundle claims to be. */
interface Judged {
  readonly version: string
  readonly manifestDigest: string
}

/** Why a bundle is rolled back, for any signing key: a signature can be removed on the way. */
export function behind(
  judged: Judged,
  marks: readonly HighWaterMark[],
): Reason<CodeOf<'rolled_back'>> | undefined {
  const found = behindMarks(judged, marks)
  return found && reasonOf(found, judged)
}

function reasonOf({ is, mark }: Behind<HighWaterMark>, { version }: Judged): Reason<CodeOf<'rolled_back'>> {
  const { agent, manifestDigest } = mark
  const reset = `rlp trust reset ${agent} --to ${version}`
  if (is === 'other_content') {
    const message = `Version ${mark.version} was installed before with other content`
    const hint = `Ask the signer for a new version. To take the other content on purpose, ${reset} accepts it and records that`
    return { code: is, message, hint }
  }
  const message =
    manifestDigest === null
      ? `Versions before ${mark.version} are not accepted here since the last rlp trust reset`
      : `Version ${mark.version} was installed before`
  const hint = `Use ${mark.version} or a newer version. To take the older version on purpose, ${reset} allows it and records that`
  return { code: is, message, hint }
}
