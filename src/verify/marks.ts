// Compares a bundle with the marks of its agent, and says why it is rolled back (docs/spec/marks.md).

import type { CodeOf } from '../model/reason-codes.ts'
import type { Reason } from '../model/report.ts'
import type { HighWaterMark } from '../model/trust.ts'
import { type Behind, behindMarks } from '../state/marks.ts'
import { writePath } from '../text/shell-words.ts'

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
  const { agent, manifestDigest, installed } = mark
  const at = installed?.root === undefined ? '' : ` --root ${writePath(installed.root)}`
  const reset = `rlp trust reset ${agent} --to ${version}${at}`
  if (is === 'other_content') {
    const message = `Version ${mark.version} ${whereOf(mark)} with other content`
    const hint = `Ask the signer for a new version. To take the other content on purpose, ${reset} accepts it and records that`
    return { code: is, message, hint }
  }
  const message =
    manifestDigest === null
      ? `Versions before ${mark.version} are not accepted here since the last rlp trust reset`
      : `Version ${mark.version} ${whereOf(mark)}`
  const hint = `Use ${mark.version} or a newer version. To take the older version on purpose, ${reset} allows it and records that`
  return { code: is, message, hint }
}

function whereOf({ installed }: HighWaterMark): string {
  return installed === undefined ? 'was installed before' : `is installed as ${installed.label}`
}
