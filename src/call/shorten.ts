// An answer → the same, as long as a model can take it, and with the mark of who spoke.
import type { Envelope } from '../contract/envelope.ts'
import { MAX_RESULT_CHARS } from '../contract/truncate.ts'
import { truncateResult } from '../contract/truncate-result.ts'
import type { Speaker } from './context.ts'

/** Beside the members of a failure that a tool told. rlp's own never bear it, whatever a tool writes. */
const MARK = { reported_by: 'tool' } as const

/** @param maxChars of the answer's own text; the contract's limit where nothing is said */
export function shorten(
  tool: string,
  envelope: Envelope,
  by: Speaker,
  maxChars = MAX_RESULT_CHARS,
): Envelope {
  const short = truncateResult(tool, envelope, { maxChars })
  return envelope.ok || by === 'rlp' ? short : ({ ...short, ...MARK } as Envelope)
}
