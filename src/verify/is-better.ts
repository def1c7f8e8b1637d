// Two verdicts on one bundle, by two statements that were signed → which one is the bundle's (docs/spec/keyless.md, Y-15).
import { VERDICTS, type Verdict } from '../model/verdict.ts'

interface Ranked {
  readonly report: { readonly verdict: Verdict }
  readonly notAfter?: string
  readonly payload?: Uint8Array
}

/** Whether one statement makes a better bundle than another: by its verdict, then without an end or with a later one, then the smaller bytes. */
export function isBetter(one: Ranked, than: Ranked): boolean {
  const order = Object.keys(VERDICTS)
  const rank = ({ report }: Ranked) => order.indexOf(report.verdict)
  if (rank(one) !== rank(than)) return rank(one) > rank(than)
  if (one.notAfter !== than.notAfter)
    return one.notAfter === undefined || (than.notAfter !== undefined && one.notAfter > than.notAfter)
  return Buffer.compare(one.payload ?? NOTHING, than.payload ?? NOTHING) < 0
}

const NOTHING = new Uint8Array()
