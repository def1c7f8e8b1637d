import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Tool } from '../../../model/tools.ts'
import type { Rule } from '../rule.ts'

export const toolsOddLimit: Rule = {
  id: 'tools/odd-limit',
  severity: 'warning',
  scope: 'source',
  summary: 'a limit that no call keeps, or that is in another unit',
  why: 'A time limit of 30 is 30 milliseconds, in which no server answers. A budget of 0 is used up before the first call, so every call is refused.',
  fix: 'Write timeout_ms in milliseconds, memory_mb in MiB, budget.usd in dollars, and leave out a budget that does not limit.',
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

/** Milliseconds in which no program starts and no server answers. */
const SHORTEST = 100
/** MiB that no host gives to one program; in KiB it is usual. */
const MOST_MEMORY = 65_536
/** Dollars that no tool uses up in one run; as cents it is usual. */
const MOST_DOLLARS = 50

function oddLimits({ rlp: { timeoutMs, memoryMb }, budget }: Tool): OddLimit[] {
  const found: OddLimit[] = []
  if (timeoutMs !== undefined && timeoutMs > 0 && timeoutMs < SHORTEST)
    found.push({
      member: ['x-rlp', 'timeout_ms'],
      message: `The time limit is ${timeoutMs} milliseconds, in which hardly a call ends`,
      fix: `Write ${timeoutMs * 1000} if seconds are meant`,
    })
  if (memoryMb !== undefined && memoryMb >= MOST_MEMORY)
    found.push({
      member: ['x-rlp', 'memory_mb'],
      message: `The memory limit is ${memoryMb} MiB, which is more than hosts have for a program`,
      fix: `Write ${Math.max(16, Math.round(memoryMb / 1024))} if KiB are meant`,
    })
  for (const what of ['tokens', 'usd'] as const)
    if (budget?.[what] === 0)
      found.push({
        member: ['budget', what],
        message: `A budget of 0 ${what === 'usd' ? 'dollars' : what} is used up before the first call, so every call is refused`,
        fix: 'Remove it if the tool uses none, or write how much it may use',
      })
  if (budget?.usd !== undefined && budget.usd >= MOST_DOLLARS)
    found.push({
      member: ['budget', 'usd'],
      message: `The budget is ${budget.usd} dollars for one run`,
      fix: `Write ${budget.usd / 100} if cents are meant`,
    })
  return found
}
