// A command and its arguments → its exit code. Shows progress on a terminal, and where a name is that the command did not find.
import { RlpError } from '../model/error.ts'
import type { AnyCommand, ExitCode, GlobalArgs, Io } from './command.ts'

/**
 * @param words of the command line, behind those of the command
 * @throws what the command throws; a hint says where the name is, if it is elsewhere
 */
export async function runCommand(
  command: AnyCommand,
  args: GlobalArgs,
  words: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const line = { command, args, words }
  try {
    const elsewhere = async (message: string) => (await import('./elsewhere.ts')).elsewhere(line, io, message)
    return await running(command, args, { ...io, registries: { logins: new Map() }, elsewhere })
  } catch (error) {
    if (!(error instanceof RlpError) || !['NOT_FOUND', 'IO'].includes(error.code)) throw error
    const hint = await (await import('./elsewhere.ts')).elsewhere(line, io, error.message)
    throw hint === undefined ? error : new RlpError(error.code, error.message, { hint, cause: error })
  }
}

async function running(command: AnyCommand, args: GlobalArgs, io: Io): Promise<ExitCode> {
  if (!io.isTTY.stderr) return command.run(args as never, io)
  return (await import('./progress.ts')).withMeter(command, args, io)
}
