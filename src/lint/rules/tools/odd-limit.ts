import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { LISTED_FIELDS, valueIn } from '../../../tools/fields/index.ts'
import type { Rule } from '../rule.ts'

export const toolsOddLimit: Rule = {
  id: 'tools/odd-limit',
  severity: 'warning',
  scope: 'source',
  summary: 'a limit that stops every call, or that is in the wrong unit',
  why: 'A time limit of 30 means 30 milliseconds, which is too short for any server. A budget of 0 is used up before the first call, so every call is rejected.',
  fix: 'Write timeout_ms in milliseconds, memory_mb in MiB and budget.usd in dollars. Leave out a budget if there is no limit.',
  looks: 'tool',
  check({ at, tool }, report) {
    for (const { name, keys, odd } of LIMITED) {
      const value = valueIn(tool, name)
      if (value === undefined) continue
      for (const { inner = [], message, fix } of odd(value))
        report({ file: TOOLS_FILE, place: { pointer: [at, keys, inner].flat() as Pointer }, message, fix })
    }
  },
}

/** The fields with values that no author means; one that is left out is none of them. */
const LIMITED = LISTED_FIELDS.flatMap(([name, { at: keys, odd }]) =>
  odd === undefined ? [] : [{ name, keys, odd }],
)
