// Text → standard output or standard error of this process. Node's stream for a pipe costs 2 ms at start, and most commands print little:
// text is written directly as long as that needs no waiting, and the rest goes through the stream.
import { firstEvent } from '../io/wait/first-event.ts'
import { withoutWaiting, writeNow } from '../io/write/write-now.ts'

/** An empty socket takes this much. */
const AT_ONCE_BYTES = 16 * 1024

export interface Output {
  readonly isTTY: boolean
  /** Of the terminal; undefined without one. */
  readonly columns: number | undefined
  readonly rows: number | undefined
  /** Bytes that were written and not yet taken by the reader. */
  readonly unread: number
  /** Whether writing has failed. */
  readonly isOver: boolean
  write(text: string | Uint8Array): void
  /** Waits until the reader has taken most of what was written. When the signal aborts first, the rest is dropped, and nothing more is written. */
  taken(signal: AbortSignal): Promise<void>
  /** Whether something was dropped that Node would still wait for. */
  readonly isDropped: boolean
}

/**
 * After the first failure nothing more is written, so that the output is a beginning without gaps. If the reader closed its end (`rlp
 * agent list | head -1`), the rest is dropped silently.
 * @param onError called once for any other error
 */
export function openOutput(fd: 1 | 2, onError: (error: NodeJS.ErrnoException) => void): Output {
  let isOver = false
  let isDropped = false
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
    rows: opened?.rows,
    get unread() {
      return isOver ? 0 : (opened?.writableLength ?? 0)
    },
    get isOver() {
      return isOver
    },
    write(text) {
      if (isOver) return
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      left = opened === undefined && bytes.length <= left ? left - bytes.length : 0
      const rest = left > 0 ? atOnce(bytes) : bytes
      if (rest.length > 0) stream().write(rest)
    },
    async taken(signal) {
      if (isOver || opened?.writableNeedDrain !== true) return
      await firstEvent(opened, ['drain', 'error', 'close'], signal)
      isDropped ||= opened.writableNeedDrain
      isOver ||= isDropped
    },
    get isDropped() {
      return isDropped
    },
  }
}
