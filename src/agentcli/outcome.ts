// The end of an agentcli tool's process → the output or the error that the agent sees.
import { own } from '../model/own.ts'

export interface ToolEnd {
  /** Whether it was ended because its time was up. */
  readonly timedOut?: boolean
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal?: string | null
  readonly stdout: string
  readonly stderr: string
}

export type AgentcliOutcome = (
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly error: string }
) & {
  /** -1 when unknown or ended by a signal. */
  readonly auditExit: number
}

/** Names of signals as Go prints them. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
}

/** A timeout wins over stderr, stderr over the status; a successful tool's stderr is ignored. */
export function outcomeOf({ timedOut, exitCode, signal, stdout, stderr }: ToolEnd): AgentcliOutcome {
  if (timedOut) return { ok: false, error: 'tool timed out', auditExit: -1 }
  if (exitCode === 0) return { ok: true, stdout, auditExit: 0 }
  const status =
    exitCode === null
      ? `signal: ${own(SIGNALS, signal ?? '') ?? signal ?? 'unknown'}`
      : `exit status ${exitCode}`
  return { ok: false, error: stderr === '' ? status : stderr, auditExit: exitCode ?? -1 }
}
