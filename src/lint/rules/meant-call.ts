// An exec transport → what its author means it to start: of a command that is a whole line, the first word is the program.
import { oddCommand, programIn } from '../../format/exec/odd-command.ts'
import type { Pointer } from '../../model/document.ts'
import type { Policy } from '../../model/policy.ts'
import type { ExecTransport } from '../../model/transports/exec.ts'
import { plainFolder } from './folder-root.ts'

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

/** Of a line the program is needed, and of a folder its plain path. */
export function meantCapability(capability: string): string {
  const [, family, scope = ''] = /^(exec|fs|fs_ro|fs_rw):(.+)$/s.exec(capability) ?? []
  if (family === undefined) return capability
  return `${family}:${family === 'exec' ? programIn(scope) : plainFolder(scope)}`
}

/** The policy as it is when what `caps/plain-path` says was done. */
export function meantPolicy(policy: Policy): Policy {
  const { exec, fs, fsRo, fsRw } = policy
  const each = (list: readonly string[], plain: (entry: string) => string) => [...new Set(list.map(plain))]
  return {
    ...policy,
    exec: exec === true ? true : each(exec, programIn),
    fs: each(fs, plainFolder),
    fsRo: each(fsRo, plainFolder),
    fsRw: each(fsRw, plainFolder),
  }
}
