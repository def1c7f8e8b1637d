// What the system refuses, as against what is wrong in our code.

/** What Node says in the system's place where it runs with `--permission` ("Permission Model" in its documentation). */
export const NOT_PERMITTED = 'ERR_ACCESS_DENIED'

/** @param flag that allows it */
export function notPermitted(flag: string): string {
  return `Node runs with --permission and without ${flag}`
}

/** Whether the system has refused a call, or Node has not let it through. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  return code !== undefined && (syscall !== undefined || code === NOT_PERMITTED)
}
