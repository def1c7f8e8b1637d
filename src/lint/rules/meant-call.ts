// An exec transport → what its author means it to start: of a command that is a whole line, the first word is the program.
import { oddCommand } from '../../format/exec/odd-command.ts'
import type { Pointer } from '../../model/document.ts'
import type { ExecTransport } from '../../model/transports/exec.ts'

export interface MeantCall {
  readonly transport: ExecTransport
  /** From the transport to one of its arguments, by its index. */
  placeOf(index: number): Pointer
}

export function meantCall(transport: ExecTransport): MeantCall {
  const odd = oddCommand(transport.command)
  const [command, ...words] = odd?.is === 'line' ? odd.words : [transport.command]
  return {
    transport: { ...transport, command, args: [...words, ...transport.args] },
    placeOf: index => (index < words.length ? ['command'] : ['args', index - words.length]),
  }
}
