// The command `slow`, which tests of the bar run: it works long enough for a bar to appear.
import type { AnyCommand, Io, Registry } from '../../src/cli/command.ts'

const MIB = 1024 ** 2

/** Reports seven tenths of 100 MiB in as many tenths of a second, and then prints. */
export async function workSlowly(io: Io): Promise<void> {
  for (let done = 0; done <= 60 * MIB; done += 10 * MIB) {
    io.onProgress?.({ what: 'x', done, total: 100 * MIB, unit: 'bytes' })
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  io.stdout('result\n')
}

/** A program that has only this command. */
export function onlySlow(command: AnyCommand): Registry {
  return { groups: [], commands: [{ name: 'slow', summary: 'works', load: async () => ({ command }) }] }
}
