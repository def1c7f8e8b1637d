// A terminal → the same, whose text is safe to show.
import { anySignal } from '../io/wait/any-signal.ts'
import type { Io } from './command.ts'
import { fit } from './render/fit.ts'
import { inert } from './render/inert.ts'

type Terminal = Omit<Io, 'color'>

/**
 * All output passes through here, so that a stranger's text never becomes a command to a pipeline's runner, and everything on standard error
 * fits its terminal. Any number of listeners may wait for its signal.
 */
export function guarded(terminal: Terminal): Terminal {
  const out: Pick<Terminal, 'stdout' | 'stderr' | 'signal'> = {
    signal: anySignal(terminal.signal),
    stdout: (text, how) =>
      terminal.stdout(typeof text === 'string' && how !== 'commands' ? inert(text) : text),
    stderr: text => terminal.stderr(inert(terminal.isTTY.stderr ? fit(text, terminal.columns) : text)),
  }
  // Not spread: the current folder is looked up on demand, and may be gone.
  return Object.defineProperties(out, withoutOutput(Object.getOwnPropertyDescriptors(terminal))) as Terminal
}

function withoutOutput({
  stdout: _out,
  stderr: _err,
  signal: _signal,
  ...rest
}: PropertyDescriptorMap): PropertyDescriptorMap {
  return rest
}
