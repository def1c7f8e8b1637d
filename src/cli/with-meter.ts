// A command on a terminal → the same, with a line that says how far it is while its job reports that.
import type { AnyCommand, ExitCode, GlobalArgs, Io } from './command.ts'
import { progressOf } from './progress.ts'

/** What the command prints or asks takes the line away first. */
export async function withMeter(command: AnyCommand, args: GlobalArgs, io: Io): Promise<ExitCode> {
  const { onProgress, end } = progressOf(command.name.replace(/^.* /, ''), io, args)
  try {
    return await command.run(args as never, {
      ...io,
      onProgress,
      stdout: (text, how) => {
        end()
        io.stdout(text, how)
      },
      stderr: text => {
        end()
        io.stderr(text)
      },
    })
  } finally {
    end()
  }
}
