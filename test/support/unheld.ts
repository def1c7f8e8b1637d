// Calls of programs that are not held: what a test is about is something else than the sandbox.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NO_SANDBOX } from '../../src/sandbox/kinds/none.ts'
import { profileOf } from '../../src/sandbox/profile.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'

export const UNHELD: Sandbox = {
  name: 'none',
  mode: 'off',
  note: undefined,
  profile: tool => profileOf(tool, '/nowhere'),
  expected: tool => NO_SANDBOX.expected(profileOf(tool, '/nowhere')),
  refusal: () => undefined,
  takeUser: async () => undefined,
  hold(what) {
    const held = NO_SANDBOX.hold(what)
    if ('problem' in held) throw new TypeError('nothing is looked at')
    return held
  },
}

/** The same for commands of a home. */
export function leaveUnheld(home: string): void {
  writeFileSync(join(home, 'config.toml'), '[security]\nsandbox = "off"\n', { mode: 0o600 })
}
