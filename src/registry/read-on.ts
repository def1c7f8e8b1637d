// The bytes of a stored blob, for who takes them in pieces: one reading goes on from piece to piece, so that nothing is fetched twice.
import type { Descriptor } from '../model/oci.ts'
import type { OpenFrom, Store } from './store.ts'

/** @param onRead told how many bytes have been read */
export function readOn(
  store: Store,
  blob: Descriptor,
  onRead: (bytes: number) => void = () => undefined,
): { readonly open: OpenFrom; readonly close: () => Promise<void> } {
  let reading: AsyncIterator<Uint8Array> | undefined
  /** The chunk that was read last, and where it begins: a piece can end in its middle. */
  let last = new Uint8Array()
  let start = 0
  const close = async () => {
    await reading?.return?.()
    reading = undefined
  }
  const next = async (): Promise<boolean> => {
    reading ??= store.read(blob)[Symbol.asyncIterator]()
    const { done, value } = await reading.next()
    if (done === true) return false
    start += last.length
    // The reader may use its buffer again.
    last = Uint8Array.from(value)
    onRead(start + last.length)
    return true
  }
  const open: OpenFrom = async function* (from) {
    if (from < start) {
      await close()
      last = new Uint8Array()
      start = 0
    }
    do {
      if (from < start + last.length) {
        const rest = last.subarray(Math.max(0, from - start))
        from = start + last.length
        yield rest
      }
    } while (await next())
  }
  return { open, close }
}
