// No sandbox: a program runs as its user, and reaches what the user reaches.
import { NOT_ENFORCED } from '../../model/sandbox.ts'
import type { SandboxKind, WorkingSandbox } from './kind.ts'

export const NO_SANDBOX: WorkingSandbox = {
  name: 'none',
  expected: () => NOT_ENFORCED,
  takeUser: async () => undefined,
  hold: ({ program: { command, args, env, cwd } }) => ({
    line: { command, args },
    env,
    cwd,
    streams: [],
    enforced: NOT_ENFORCED,
    innerGroup: () => undefined,
    begun: () => true,
    failure: () => undefined,
    ended: end => end,
    notices: () => [],
  }),
}

export const none: SandboxKind = { name: 'none', probe: async () => NO_SANDBOX }
