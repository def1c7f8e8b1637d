// An answer → the same, short enough for a model, with a mark if the tool wrote it.
import type { Envelope } from '../contract/envelope.ts'
import { MAX_RESULT_CHARS, truncateResult } from '../contract/truncate.ts'
import type { Speaker } from './context.ts'

/** Added to failures that the tool reported. rlp's own failures never have it, whatever a tool writes. */
const MARK = { reported_by: 'tool' } as const

/** @param maxChars of the answer's own text; the contract's limit by default */
export function shorten(
  tool: string,
  envelope: Envelope,
  by: Speaker,
  maxChars = MAX_RESULT_CHARS,
): Envelope {
  const short = truncateResult(tool, envelope, { maxChars })
  return envelope.ok || by === 'rlp' ? short : ({ ...short, ...MARK } as Envelope)
}
