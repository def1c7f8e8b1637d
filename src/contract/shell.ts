// The outcome of a shell command → its warnings.

/** Prefix for a command, so that a pipeline fails if any part of it does. */
export const PIPEFAIL = 'set -o pipefail; '

const NO_OUTPUT =
  'Command exited 0 but produced no output. If you used `2>/dev/null` in a pipeline, the upstream error was suppressed — re-run without it to see what failed. (Pipefail is on, so a real upstream failure would have set a non-zero exit; this looks like genuine empty output OR redirected stderr.)'

const SIGPIPE =
  'A pipeline stage was terminated by SIGPIPE (exit 141). Usually safe when piping into `head -n N` and the upstream had more data; the captured stdout is still trustworthy.'

/** The outcome of a command that has ended. */
export interface ShellOutcome {
  readonly command: string
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Notes for `warnings`: nothing was printed by a pipeline that may have hidden its errors, or a pipeline was closed early.
 *
 * @example
 * const ran = { command: 'cat log | grep x', exitCode: 0, stdout: '', stderr: '' } satisfies ShellOutcome
 * success('shell_run', { stdout: ran.stdout, exit_code: ran.exitCode }, shellWarnings(ran))
 */
export function shellWarnings({ command, exitCode, stdout, stderr }: ShellOutcome): string[] {
  const isSilent = exitCode === 0 && stdout === '' && stderr === ''
  const mayHide = command.includes('|') || command.includes('2>/dev/null')
  return [...(isSilent && mayHide ? [NO_OUTPUT] : []), ...(exitCode === 141 ? [SIGPIPE] : [])]
}
