// Says of an installed bundle whether it is sound, in the existing runtime's words.
import type { Report } from '../model/report.ts'

export type Status = 'ok' | 'digest_mismatch' | 'missing' | 'invalid'

/** A wrong digest comes before a missing file, and that before everything else. */
export function statusOf({ verdict, reasons }: Report): Status {
  if (verdict === 'indeterminate' && reasons[0]?.code === 'unreadable') return 'invalid'
  if (verdict !== 'invalid') return 'ok'
  const codes = reasons.map(({ code }) => code)
  // A digest that was not computed yet is not a wrong one: the missing file is the better answer.
  const isPending = codes.includes('manifest/digest-pending')
  if (codes.some(code => /^manifest\/digest-(?!pending)/.test(code))) return 'digest_mismatch'
  const isMissing = ['files/required', 'manifest/file-missing', 'manifest/entry-missing']
  if (codes.some(code => isMissing.includes(code))) return 'missing'
  return isPending ? 'digest_mismatch' : 'invalid'
}
