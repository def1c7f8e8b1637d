// A call of the system → its value, or the code of its refusal: for places where a refusal is an answer like any other.

export type Said<T> =
  | { readonly value: T; readonly code?: undefined }
  | { readonly code: string; readonly value?: undefined }

/** Throws what is no refusal of the system: that is our bug. */
export async function systemSays<T>(promise: Promise<T>): Promise<Said<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string') throw error
    return { code }
  }
}
