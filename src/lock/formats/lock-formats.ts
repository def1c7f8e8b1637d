// The registry of formats of `rlp lock check`: one file and one line each.
import type { LockFormat } from './lock-format.ts'
import { lockGithub } from './lock-github.ts'
import { lockJson } from './lock-json.ts'
import { lockMarkdown } from './lock-markdown.ts'
import { lockSarif } from './lock-sarif.ts'
import { lockText } from './lock-text.ts'

export const LOCK_FORMATS = [
  lockText,
  lockJson,
  lockSarif,
  lockGithub,
  lockMarkdown,
] as const satisfies readonly LockFormat[]
