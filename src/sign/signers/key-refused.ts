// Why a key cannot be used, in the one grammar of messages.

import { type ErrorCode, RlpError } from '../../model/error.ts'
import { quoted } from '../../text/printable.ts'

export function keyRefused(which: string, code: ErrorCode, seen: string, hint: string): RlpError {
  return new RlpError(code, `Cannot use the key ${quoted(which, 200)}: ${seen}`, { hint })
}
