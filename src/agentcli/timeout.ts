// How long one call of an agentcli tool may take, in seconds.

const DEFAULT_SECONDS = 30

/** `timeoutSec` of the entry if it is above 0. */
export function effectiveTimeout(timeoutSec: number, defaultSec: number): number {
  return timeoutSec > 0 ? timeoutSec : defaultSec
}

/** What agentcli was told on its command line. */
export interface AgentcliTimeouts {
  /** `-tool-timeout` */
  readonly toolTimeoutSec?: number
  /** `-timeout` */
  readonly timeoutSec?: number
}

/** The default for all tools: `-tool-timeout`, else `-timeout`, else 30 seconds. */
export function defaultTimeout(flags: AgentcliTimeouts): number {
  return [flags.toolTimeoutSec, flags.timeoutSec].find(seconds => (seconds ?? 0) > 0) ?? DEFAULT_SECONDS
}
