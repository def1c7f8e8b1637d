// How a tool's program ended → an answer to be judged, or a failure with a message of its own.

import { outcomeOf } from '../../agentcli/answer.ts'
import { objectIn } from '../../contract/json-text.ts'
import type { ProgramEnd } from '../../io/process/program.ts'
import type { RunRefusal } from '../../model/run.ts'

type Ended = Extract<ProgramEnd, { started: true }>

/** The answer, or the reason why there is none. */
export function readEnd(end: Ended): { readonly output: string } | RunRefusal {
  const { exitCode, signal, stdout, stderr } = end
  const outcome = outcomeOf({
    timedOut: false,
    exitCode,
    signal,
    stdout: stdout.text,
    stderr: stderr.text.trim(),
  })
  // A tool that fails by the contract prints its failure to standard output, and most exit with 1 too.
  if (outcome.ok || isFailureEnvelope(stdout.text)) return { output: stdout.text }
  return {
    kind: 'execution_error',
    message: errorIn(outcome.error),
    ...(stderr.text.trim() !== '' && { isQuoted: true }),
    extra: exitCode === null ? { signal: signal ?? 'unknown' } : { exit: exitCode },
  }
}

/** Notices about output that was cut or is not text. */
export function noticesOf({ stdout, isStuck }: Ended, keptBytes: number): string[] {
  return [
    ...(isStuck ? ['The program did not end when it was killed'] : []),
    ...(stdout.isCut
      ? [`The tool printed ${stdout.bytes} bytes, of which the first ${keptBytes} were read`]
      : []),
    ...(stdout.isText ? [] : ['The tool’s output is not UTF-8: invalid bytes are shown as U+FFFD']),
  ]
}

function isFailureEnvelope(text: string): boolean {
  const object = objectIn(text)
  return object !== undefined && Object.hasOwn(object, 'kind') && object['ok'] === false
}

/** Programs made for agentcli write one line of JSON with the member `error`. */
function errorIn(text: string): string {
  const error = objectIn(text)?.['error']
  return typeof error === 'string' && error.trim() !== '' ? error : text
}
