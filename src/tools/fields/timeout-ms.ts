import { AS_IT_IS, keptAs, LEFT_TO_THE_HOST, type ToolField } from './field.ts'

/** Below this many milliseconds, no program starts and no server answers. */
const SHORTEST = 100

export const timeoutMs = {
  ...AS_IT_IS,
  at: ['x-rlp', 'timeout_ms'],
  flags: {
    'timeout-ms': {
      type: 'integer',
      min: 0,
      max: 3_600_000,
      placeholder: 'MS',
      describe: 'time limit of a call, 30000 if left out; 0: none, and then a call needs --idle-timeout',
    },
  },
  digits: [],
  typed: given => given as number | undefined,
  odd(value) {
    if (value === undefined || value === 0 || value >= SHORTEST) return []
    const message = `The time limit is ${value} milliseconds, which is too short for most calls`
    return [{ message, fix: `Write ${value * 1000} if you mean seconds` }]
  },
  fates: {
    ...LEFT_TO_THE_HOST,
    'agent-tool': 'timeout_ms, the lowest limit that is stated',
    agentcli: keptAs('timeoutSec, the lowest limit that is stated; whole seconds rounded up', 'lost'),
  },
} as const satisfies ToolField<number | undefined>
