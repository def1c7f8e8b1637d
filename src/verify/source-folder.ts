// Recognises the folder that an author works in among unpacked bundles, so that its author is told to pack it, and not to get it again.
import { SIGNATURE_FOLDER } from '../model/agent.ts'
import type { Check, Reason, Report } from '../model/report.ts'
import { BUNDLE } from './hints.ts'

/** An unpacked bundle has signatures, or is called so (docs/format.md). */
const UNPACKED = /(?:^|[\\/])agent\.bundle$/

/** Whether a report is about a folder without signatures that is not called as an unpacked bundle. */
export function isSourceFolder({
  form,
  target,
  checks,
}: Pick<Report, 'form' | 'target'> & { readonly checks: readonly Check[] }): boolean {
  const isUnsigned = checks.some(({ reasons }) => reasons.some(({ code }) => code === 'no_signature'))
  return form === 'directory' && isUnsigned && !UNPACKED.test(target)
}

const START = 'This is a source'

export const PACK_IT: string = `${START}, an agent’s folder without ${SIGNATURE_FOLDER}/: pack it with rlp agent pack ${BUNDLE}, and use the bundle`

/** Whether the first reason has this hint. */
export function saysPackIt([first]: readonly Pick<Reason, 'hint'>[]): boolean {
  return first?.hint?.startsWith(START) === true
}
