// Text → standard output or standard error of this process. The stream that Node makes of a pipe costs 2 ms at start, and most commands
// say little: it is written at once as far as that needs no waiting, and only more goes through the stream.
import { withoutWaiting, writeNow } from '../io/write-now.ts'

/** An empty socket takes this much. */
const AT_ONCE_BYTES = 16 * 1024

export interface Output {
  readonly isTTY: boolean
  /** Of the terminal; undefined when it is none. */
  readonly columns: number | undefined
  /** Bytes that are written and that the reader has not taken yet. */
  readonly unread: number
  write(text: string | Uint8Array): void
}

/**
 * After the first failure nothing more is written: what is there is the beginning, with no hole in it. A reader that closed its end
 * (`rlp agent list | head -1`) has what it wanted: the rest is dropped without a word.
 *
 * @param onError told, once, of anything else that keeps text from being written
 */
export function openOutput(fd: 1 | 2, onError: (error: NodeJS.ErrnoException) => void): Output {
  let isOver = false
  const fail = (error: NodeJS.ErrnoException) => {
    if (isOver) return
    isOver = true
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') onError(error)
  }
  const direct = withoutWaiting(fd)
  let left = direct === undefined ? 0 : AT_ONCE_BYTES
  let opened: NodeJS.WriteStream | undefined
  const stream = () => {
    if (opened === undefined) {
      opened = fd === 1 ? process.stdout : process.stderr
      opened.on('error', fail)
    }
    return opened
  }
  const atOnce = (bytes: Uint8Array): Uint8Array => {
    try {
      return direct === undefined ? bytes : writeNow(direct, bytes)
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
      return new Uint8Array()
    }
  }
  if (left === 0) stream()
  return {
    isTTY: opened?.isTTY === true,
    columns: opened?.columns,
    get unread() {
      return isOver ? 0 : (opened?.writableLength ?? 0)
    },
    write(text) {
      if (isOver) return
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      left = opened === undefined && bytes.length <= left ? left - bytes.length : 0
      const rest = left > 0 ? atOnce(bytes) : bytes
      if (rest.length > 0) stream().write(rest)
    },
  }
}
