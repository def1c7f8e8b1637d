import { SWITCH, type ToolField } from './field.ts'

/** Other systems are told of it by the transport kind, which knows how a program gets its arguments. */
export const stdin = {
  ...SWITCH,
  at: ['x-rlp', 'stdin'],
  flags: {
    stdin: { type: 'boolean', describe: 'exec: the program reads its arguments from standard input' },
  },
} as const satisfies ToolField<boolean>
