// What a tool is meant to start, and the code that it hands over as an argument: found once, for the rules about programs that run others.

import type { ExecTransport } from '../../model/transports/exec.ts'
import { type MeantCall, meantCall } from '../../tools/command-oddities.ts'
import { type InlineCode, inlineCode } from '../../tools/program.ts'
import { once } from './once.ts'

export interface ExecStart extends MeantCall {
  readonly inline: InlineCode | undefined
}

export const startOf = once((transport: ExecTransport): ExecStart => {
  const { transport: meant, placeOf } = meantCall(transport)
  return { transport: meant, placeOf, inline: inlineCode(meant) }
})
