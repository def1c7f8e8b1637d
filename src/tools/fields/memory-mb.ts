import { AS_IT_IS, LEFT_TO_THE_HOST, lostBecause, type ToolField } from './field.ts'

/** MiB that no host gives to one program. In KiB, it is a usual size. */
const MOST_MEMORY = 65_536

export const memoryMb = {
  ...AS_IT_IS,
  at: ['x-rlp', 'memory_mb'],
  flags: {
    'memory-mb': {
      type: 'integer',
      min: 16,
      max: 1_048_576,
      placeholder: 'MIB',
      describe: 'memory that each process of it may have in a sandbox, where the host allows more',
    },
  },
  digits: [],
  typed: given => given as number | undefined,
  odd(value) {
    if (value === undefined || value < MOST_MEMORY) return []
    const message = `The memory limit is ${value} MiB, more than a host has for one program`
    return [{ message, fix: `Write ${Math.round(value / 1024)} if you mean KiB` }]
  },
  fates: {
    ...LEFT_TO_THE_HOST,
    'agent-tool': lostBecause('no field for it'),
    agentcli: lostBecause('agentcli bounds no memory'),
  },
} as const satisfies ToolField<number | undefined>
