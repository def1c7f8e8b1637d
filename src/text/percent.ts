/** Decodes `%2F` and the like as UTF-8. Undefined if an escape is broken. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
