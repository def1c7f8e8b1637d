// Two answers to one question → what differs, by the rules of docs/spec: the verdict, and the first code as far as the pages fix it.

interface Answer {
  readonly verdict: string
  readonly codes: readonly string[]
  readonly message?: string | undefined
}

/** Texts are what went wrong in place of an answer. Undefined: they agree. */
export function differenceOf(one: Answer | string, two: Answer | string): string | undefined {
  if (typeof one === 'string') return `rlp fails: ${one}`
  if (typeof two === 'string') return `the second reader fails: ${two}`
  const words = `rlp says ${wordsOf(one)} (${one.message ?? ''}), the second reader ${wordsOf(two)}`
  // A program may refuse what is no expectation before it reads anything.
  if (one.verdict === 'refused') return two.verdict === 'trusted' ? words : undefined
  return one.verdict === two.verdict && haveOneStep(one, two) ? undefined : words
}

function wordsOf({ verdict, codes: [code = ''] }: Answer): string {
  return `${verdict} ${code}`.trim()
}

/** Which of several failing statements of one step comes first is open (J-6, U-28). */
function haveOneStep({ codes: [one = ''], verdict }: Answer, { codes: [two = ''] }: Answer): boolean {
  if (one === two) return true
  if (verdict === 'indeterminate') return UNKNOWN.includes(one) && UNKNOWN.includes(two)
  return verdict === 'invalid' && stepsOf(one).some(step => stepsOf(two).includes(step))
}

/** What is only unknown, in the contents. */
const UNKNOWN: readonly string[] = ['tools/version', 'wasm/malformed']

const SIGNATURE = /^(?:signature|statement)_/
const MANIFEST = /^(?:manifest|files)\//
const DIGESTS = /^manifest\/(?:file-missing|digest-)/

/** The questions of 10.1 that have the code. */
function stepsOf(code: string): readonly number[] {
  if (code === 'not_canonical') return [1]
  if (SIGNATURE.test(code)) return [3]
  if (code.startsWith('toml/')) return [2, 5]
  if (DIGESTS.test(code)) return [4]
  return MANIFEST.test(code) && code !== 'manifest/tools-version' ? [2] : [5]
}
