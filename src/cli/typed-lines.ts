// Reads the lines that a person types. The terminal itself shows and edits a line until Enter.
import { Readable } from 'node:stream'
import { RlpError } from '../model/error.ts'

/** How long nothing may arrive before a line counts as an answer, in milliseconds. */
const QUIET_MS = 200

const CTRL_C = '\u0003'

/** Standard input. Only that of a terminal has a raw mode. */
type Input = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }

/** The error of a question that a person has left with Ctrl-C. */
export function leftQuestion(doing: string): RlpError {
  return new RlpError('CANCELLED', `Cannot ${doing}: it was cancelled, and nothing was written`)
}

export class TypedLines {
  readonly #input: Input
  readonly #doing: string
  readonly #signal: AbortSignal
  readonly #decoder = new TextDecoder()
  /** Text that has arrived and is not part of a returned line. */
  #read = ''
  #hasEnded = false

  /** @param doing for the error: `scaffold "mailer"` */
  constructor(chunks: AsyncIterable<Uint8Array>, doing: string, signal: AbortSignal) {
    this.#input = chunks instanceof Readable ? chunks : Readable.from(chunks)
    this.#doing = doing
    this.#signal = signal
  }

  /**
   * Returns the next line without its end; undefined after the last line.
   * @throws RlpError CANCELLED when the signal aborts
   */
  async next(): Promise<string | undefined> {
    for (;;) {
      const [whole, line] = /^([^\r\n]*)(?:\r?\n|\r)/.exec(this.#read) ?? []
      if (whole !== undefined) {
        this.#read = this.#read.slice(whole.length)
        return line
      }
      await this.#more()
      if (this.#hasEnded) return undefined
    }
  }

  /**
   * Shows a question and returns the line that is typed after it. Discards everything typed before that: the end of a command that was
   * typed too early must not answer a question before a person has read it.
   * @throws RlpError CANCELLED on Ctrl-C and when the signal aborts
   */
  async answerTo(show: () => void): Promise<string | undefined> {
    // In raw mode a terminal also hands over a line that has no end yet, and does not show what is discarded.
    this.#setRaw(true)
    try {
      show()
      do {
        this.#read = ''
        await this.#more(QUIET_MS)
        if (this.#read.includes(CTRL_C)) throw leftQuestion(this.#doing)
      } while (this.#read !== '')
    } finally {
      this.#setRaw(false)
    }
    return this.next()
  }

  #setRaw(isRaw: boolean): void {
    if (this.#input.isTTY) this.#input.setRawMode?.(isRaw)
  }

  /** Waits until something arrives, the input ends, or the time is over. The input is paused before and after. */
  #more(forMs?: number): Promise<void> {
    if (this.#input.readableEnded || this.#input.destroyed) this.#hasEnded = true
    if (this.#signal.aborted) return Promise.reject(leftQuestion(this.#doing))
    if (this.#hasEnded) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer)
        this.#signal.removeEventListener('abort', onAbort)
        this.#input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd).pause()
        settle()
      }
      const onData = (chunk: Uint8Array | string) => {
        // A prompt for a secret makes the input hand over texts.
        this.#read += typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true })
        done(resolve)
      }
      const onEnd = () => {
        this.#hasEnded = true
        done(resolve)
      }
      const onAbort = () => done(() => reject(leftQuestion(this.#doing)))
      const timer = forMs === undefined ? undefined : setTimeout(() => done(resolve), forMs)
      this.#signal.addEventListener('abort', onAbort, { once: true })
      this.#input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd).resume()
    })
  }
}
