// Two versions of a policy → what is trusted now that was not, and the other way round, for a person who is about to sign.
import { createStyle } from '../cli/render/style.ts'
import { CHANNEL_POLICY } from '../format/channel/statement.ts'
import { unifiedDiff } from '../lint/render-diff.ts'

/**
 * Lines for people, printable; none if nothing changes.
 * @param before undefined for the first policy
 */
export function changesBetween(before: Uint8Array | undefined, after: Uint8Array): readonly string[] {
  if (before !== undefined && Buffer.compare(before, after) === 0) return []
  const text = Buffer.from(after).toString('utf8')
  return unifiedDiff('.', { path: CHANNEL_POLICY, before, text, what: [] }, createStyle(false))
}
