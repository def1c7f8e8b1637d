// A system call → its value, or the code of its refusal. For callers to whom a refusal is a normal answer.

export type Said<T> =
  | { readonly value: T; readonly code?: undefined }
  | { readonly code: string; readonly value?: undefined }

/** Rethrows anything but a refusal of the system: that is our bug. */
export async function systemSays<T>(promise: Promise<T>): Promise<Said<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string') throw error
    return { code }
  }
}
