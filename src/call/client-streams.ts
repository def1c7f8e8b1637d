// The two streams of a client that a program hands in. Text is written as fast as the stream takes it, and a stream that fails ends the call.
import type { Writable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import { anySignal } from '../io/wait/any-signal.ts'
import { untilAborted } from '../io/wait/within.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { kindName } from '../model/kind-name.ts'
import { byteLimit, MESSAGE_LIMITS } from '../model/limits.ts'
import type { Streams } from './mcp-messages.ts'

export interface ClientStreams extends Pick<Streams, 'input' | 'signal' | 'trouble'> {
  /** It stays open. */
  readonly output: Writable
}

/**
 * Returns when everything is written that `serve` had to say.
 * @throws UsageError for a chunk of the input that is not bytes; RlpError IO if a stream fails, or if too much waits to be read; what `serve` throws
 */
export async function serveStreams<T>(
  { input, output, signal, trouble }: ClientStreams,
  serve: (streams: Streams) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  const over = anySignal(signal, lost.signal)
  const notWritten = (state: string, cause?: unknown) =>
    lost.abort(new RlpError('IO', `Cannot write to the client: ${state}`, { cause }))
  const onError = (error: Error) => notWritten(error.message, error)
  const onClose = () => notWritten('its stream was closed')
  output.on('error', onError).on('close', onClose)
  let waiting = 0
  let written: Promise<unknown> = Promise.resolve()
  const write = (text: string) => new Promise<unknown>(resolve => output.write(text, resolve))
  const send = async (text: string): Promise<void> => {
    waiting += Buffer.byteLength(text)
    const { unreadBytes } = MESSAGE_LIMITS
    if (waiting > unreadBytes) notWritten(`more than ${byteLimit(unreadBytes)} of answers were not read`)
    // One after the other: the stream never holds more than one text.
    written = written.then(() => (over.aborted ? undefined : write(text)))
    await untilAborted(written, over)
    waiting -= Buffer.byteLength(text)
  }
  try {
    const chunks = chunksOf(input, error => lost.abort(error))
    const served = await serve({ input: chunks, output: send, signal: over, trouble })
    await untilAborted(written, over)
    lost.signal.throwIfAborted()
    return served
  } finally {
    // A write that is under way may still fail, and nothing else may listen.
    void written.then(error => error ?? output.off('error', onError).off('close', onClose))
  }
}

/** Ends where the input breaks off, which is no end of what the client says: the call ends at once. */
async function* chunksOf(
  input: AsyncIterable<Uint8Array>,
  onLost: (error: RlpError) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of input) {
      if (!isUint8Array(chunk))
        return onLost(
          new UsageError(`Cannot use input: a part of it is ${kindName(chunk)}`, {
            field: 'input',
            expected: 'parts that are Uint8Array',
            hint: 'Give a stream of bytes, without an encoding',
          }),
        )
      yield chunk
    }
  } catch (error) {
    const state = error instanceof Error ? error.message : String(error)
    onLost(new RlpError('IO', `Cannot read what the client writes: ${state}`, { cause: error }))
  }
}
