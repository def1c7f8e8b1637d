// A decision that is made and not in the audit log → what people and programs are told, and the exit code. The verdict stays what it is.
import type { RlpError } from '../../model/error.ts'
import { EXIT, type ExitCode } from '../../model/exit-code.ts'
import type { GlobalArgs, Io } from '../command.ts'
import { printRefusal } from './refusal.ts'

/** @param extra further members of the envelope, the verdict among them */
export function refuseUnrecorded(
  error: RlpError,
  { tool, extra }: { readonly tool: string; readonly extra: Readonly<Record<string, unknown>> },
  args: GlobalArgs,
  io: Io,
): ExitCode {
  printRefusal(io, args, { tool, error, extra, body: () => [] })
  return EXIT.machine
}
