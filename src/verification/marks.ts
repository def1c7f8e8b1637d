// An agent → what is known here of its installs, and whether a bundle is behind it (DESIGN §3.7, "high-water mark").
import { isOlder, isSameVersion, readReference, referenceText } from '../format/reference.ts'
import type { Agent } from '../model/agent.ts'
import type { Reason } from '../model/report.ts'
import type { FoundMarks, HighWaterMark, TrustContext } from '../model/trust.ts'

/** A name that is none has no marks: such a manifest is invalid, and must not lead out of the folder that holds them. */
export function marksFor({ manifest }: Agent, context: TrustContext): FoundMarks {
  if (manifest?.name === undefined) return { marks: [] }
  const reference = referenceText({ name: manifest.name, variant: manifest.variant })
  return readReference(reference) === undefined ? { marks: [] } : context.marksOf(reference)
}

/** What a bundle that is being judged says of itself. */
interface Judged {
  readonly version: string
  readonly manifestDigest: string
  /** Anchors under whose marks it is measured. */
  readonly counted: readonly string[]
}

/** Why a bundle is rolled back: it is older than a mark, or the same version with other content. */
export function behind(
  { version, manifestDigest, counted }: Judged,
  marks: readonly HighWaterMark[],
): Reason[] {
  return marks
    .filter(({ anchor }) => counted.includes(anchor))
    .flatMap(mark => {
      const hint = `If that is meant, rlp trust reset ${mark.agent} forgets what was installed, and records it`
      if (isOlder(version, mark.version)) {
        const message = `Version ${mark.version} was installed before, signed by ${mark.anchor}`
        return [{ code: 'older', message, hint }]
      }
      // Builds of one version (1.0.0+a, 1.0.0+b) have no order: neither may follow the other.
      const isOther = isSameVersion(version, mark.version) && mark.manifestDigest !== manifestDigest
      const message = `Version ${mark.version} was installed before with other content`
      return isOther ? [{ code: 'other_content', message, hint }] : []
    })
}
