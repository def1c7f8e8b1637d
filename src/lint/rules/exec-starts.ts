// What a tool is meant to start, and the code that it hands over as an argument: found once, for the rules about programs that run others.
import { type MeantCall, meantCall } from '../../format/exec/odd-command.ts'
import { type InlineCode, inlineCode } from '../../format/exec/program.ts'
import type { ExecTransport } from '../../model/transports/exec.ts'
import { once } from './once.ts'

export interface ExecStart extends MeantCall {
  readonly inline: InlineCode | undefined
}

export const startOf = once((transport: ExecTransport): ExecStart => {
  const { transport: meant, placeOf } = meantCall(transport)
  return { transport: meant, placeOf, inline: inlineCode(meant) }
})
