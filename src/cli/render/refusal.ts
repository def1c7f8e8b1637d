// A command that could not run, with more to say than one message: on standard error, or in the envelope.
import type { RlpError } from '../../model/error.ts'
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
