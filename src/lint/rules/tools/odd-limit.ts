import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Tool } from '../../../model/tools.ts'
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
    for (const { member, message, fix } of oddLimits(tool))
      report({ file: TOOLS_FILE, place: { pointer: [...at, ...member] }, message, fix })
  },
}

interface OddLimit {
  readonly member: Pointer
  readonly message: string
  readonly fix: string
}

/** Below this many milliseconds, no program starts and no server answers. */
const SHORTEST = 100
/** MiB that no host gives to one program. In KiB, it is a usual size. */
const MOST_MEMORY = 65_536
/** Dollars that no tool spends in one run. In cents, it is a usual amount. */
const MOST_DOLLARS = 50

function oddLimits({ rlp: { timeoutMs, memoryMb }, budget }: Tool): OddLimit[] {
  const found: OddLimit[] = []
  if (timeoutMs !== undefined && timeoutMs > 0 && timeoutMs < SHORTEST)
    found.push({
      member: ['x-rlp', 'timeout_ms'],
      message: `The time limit is ${timeoutMs} milliseconds, which is too short for most calls`,
      fix: `Write ${timeoutMs * 1000} if you mean seconds`,
    })
  if (memoryMb !== undefined && memoryMb >= MOST_MEMORY)
    found.push({
      member: ['x-rlp', 'memory_mb'],
      message: `The memory limit is ${memoryMb} MiB, more than a host has for one program`,
      fix: `Write ${Math.max(16, Math.round(memoryMb / 1024))} if you mean KiB`,
    })
  for (const what of ['tokens', 'usd'] as const)
    if (budget?.[what] === 0)
      found.push({
        member: ['budget', what],
        message: `A budget of 0 ${what === 'usd' ? 'dollars' : what} is used up before the first call, so every call is rejected`,
        fix: 'Remove it, or write how much the tool may use',
      })
  if (budget?.usd !== undefined && budget.usd >= MOST_DOLLARS)
    found.push({
      member: ['budget', 'usd'],
      message: `The budget for one run is ${budget.usd} dollars`,
      fix: `Write ${budget.usd / 100} if you mean cents`,
    })
  return found
}
