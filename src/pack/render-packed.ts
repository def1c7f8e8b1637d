// What was packed, and what comes next, for people.
import { unwrappedName } from '../bundle/wrappers/index.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import { plural } from '../text/words.ts'
import type { PackResult } from './pack-verbs.ts'
import { digestLines } from './render-digests.ts'

export function renderPacked(
  { bundle, files, bytes, identity, digests = [], attested }: PackResult,
  style: Style,
): string {
  const head = `${style.bold(printable(bundle))}  ${plural(files, 'file')}, ${plural(bytes, 'byte')}\n`
  const written =
    digests.length === 0
      ? ''
      : `  ${plural(digests.length, 'digest')} written, which the archive’s manifest did not have:\n${digestLines(digests, style)}`
  const stated =
    attested === undefined
      ? ''
      : `${style.green(SYMBOLS.ok)} ${printable(`${attested.file}: provenance signed by ${attested.signer}`)}\n`
  return `${head}  ${style.dim(`manifest ${identity}`)}\n${written}${stated}`
}

/** The command that comes next, to be pasted. A wrapped bundle is signed before it is wrapped. */
export function nextStep(done: readonly PackResult[], quiet: boolean): string {
  const [one] = done
  if (quiet || one === undefined || done.length > 1 || unwrappedName(one.bundle) !== one.bundle) return ''
  return `\nNext, with a key from rlp key generate NAME:\n\n  ${printable(`rlp agent sign ${writePath(one.bundle)} --key NAME`)}\n`
}

/** What to say of an agent that was packed with warnings. */
export function warningOf({ agent, warnings, digests }: PackResult): string[] {
  if (warnings === 0) return []
  const where =
    digests === undefined ? `rlp agent lint ${writePath(agent)}` : 'rlp agent lint on the unpacked folder'
  return [`${agent} has ${plural(warnings, 'lint warning')}; ${where} shows them`]
}
