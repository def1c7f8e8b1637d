// Waits until what was written is read, so that lines for a slow reader do not fill the memory.

const MOST_UNREAD_BYTES = 1024 * 1024
const LOOK_AGAIN_MS = 5

export async function readerReady(output: { unread(): number; readonly signal: AbortSignal }): Promise<void> {
  while (output.unread() > MOST_UNREAD_BYTES && !output.signal.aborted)
    await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS))
}
