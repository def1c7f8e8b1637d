// Tells errors of the operating system from errors in our code.

/**
 * Node's code in place of the system's when it runs with `--permission` ("Permission Model" in its
 * documentation).
 */
export const NOT_PERMITTED = 'ERR_ACCESS_DENIED'

/** @param flag the flag that allows it */
export function notPermitted(flag: string): string {
  return `Node runs with --permission and without ${flag}`
}

/** Whether the system refused a call, or Node's permission model did. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  return code !== undefined && (syscall !== undefined || code === NOT_PERMITTED)
}
