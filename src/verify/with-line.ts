// What a trust policy says → the same with the line that says it.
import type { Pointer } from '../model/document.ts'
import type { PolicySource } from '../model/trust.ts'

/** A sentence with the line of the policy. */
export function withLine(detail: string, source: PolicySource, at: Pointer): string {
  const line = source.lineOf(at)
  return `${detail} (${line === undefined ? source.path : `${source.path}:${line}`})`
}
