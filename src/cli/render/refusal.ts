// Shows people a refusal with its reasons. A decision that is not in the audit log keeps its verdict and gets another exit code.
import type { RlpError } from '../../model/error.ts'
import { EXIT, type ExitCode } from '../../model/exit-code.ts'
import { jsonLine } from '../../report/json.ts'
import type { GlobalArgs, Io } from '../command.ts'
import { describe, renderFailure } from '../failure.ts'
import { createStyle, type Style, wantsColor } from './style.ts'

export interface Refused {
  /** The tool contract's name: `agent.install`. */
  readonly tool: string
  readonly error: RlpError
  /** Further members of the envelope. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Lines for people before the message. Left out with `--quiet`. */
  body(style: Style): readonly string[]
}

export function printRefusal(io: Io, args: GlobalArgs, { tool, error, extra, body }: Refused): void {
  const description = describe(error, tool)
  if (args.json) {
    io.stdout(jsonLine({ ...extra, ...description.envelope }))
    return
  }
  const style = createStyle(wantsColor(args.color, io.env, io.isTTY.stderr))
  const lines = args.quiet ? [] : body(style)
  if (lines.length > 0) io.stderr(`${lines.join('\n')}\n`)
  const columns = io.isTTY.stderr ? io.columns : undefined
  io.stderr(renderFailure(description, { style, columns, see: undefined }))
}

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
