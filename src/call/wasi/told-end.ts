// How a module ended → the exit code, and what is said of one that did not end by itself.

import { RlpError } from '../../model/error.ts'
import { EXIT, type ExitCode, MODULE_EXIT, type OwnExit } from '../../model/exit-code.ts'
import { printable } from '../../text/printable.ts'
import type { ModuleEnd } from './ended.ts'
import type { RunnableAgent } from './runnable.ts'

interface ToldEnd {
  readonly exit: ExitCode
  readonly error?: RlpError
}

interface Bounds {
  readonly seconds: number
  readonly memoryMb: number
}

const MIB = 1024 ** 2
/** From this part of its bound on, memory is likely why a module gave up. */
const NEARLY_ALL = 7 / 8

export function toldEnd(
  end: ModuleEnd,
  { label, entry }: Pick<RunnableAgent, 'label' | 'entry'>,
  { seconds, memoryMb }: Bounds,
): ToldEnd {
  const unfinished = `Cannot finish the run of "${label}":`
  const more = `Its memory is bound to ${memoryMb} MiB: --memory-mb allows more, up to memory_mb of config.toml`
  switch (end.is) {
    case 'exited':
      return { exit: end.code as OwnExit }
    case 'refused': {
      const hint = /memory/i.test(end.why) ? more : undefined
      const message = `Cannot run "${label}": the engine refuses ${entry}: ${printable(end.why)}`
      return { exit: EXIT.bundle, error: new RlpError('LINT_FAILED', message, { hint }) }
    }
    case 'trapped': {
      const hint = end.memoryBytes >= memoryMb * MIB * NEARLY_ALL ? more : undefined
      const error = new RlpError('IO', `${unfinished} ${entry} trapped: ${printable(end.why)}`, { hint })
      return { exit: MODULE_EXIT.trapped, error }
    }
    case 'late': {
      const hint = 'Give it more time with --timeout'
      return {
        exit: MODULE_EXIT.late,
        error: new RlpError('TIMED_OUT', `${unfinished} it took longer than ${seconds} s`, { hint }),
      }
    }
    case 'lost': {
      const error = new RlpError('IO', `${unfinished} the engine ended with ${end.by}`, { hint: more })
      return { exit: MODULE_EXIT.lost, error }
    }
    case 'stopped':
      return { exit: MODULE_EXIT.unread }
  }
}
