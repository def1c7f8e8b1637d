// Two streams of lines → messages of a protocol, in both directions. After the end of the input what came before it is answered, then the
// connection ends.
import { boundedLines } from '../io/read/bounded-lines.ts'
import { byteLimit, MESSAGE_LIMITS } from '../model/limits.ts'
import type { Unanswered } from './unanswered.ts'

/** The two directions, in bytes. */
export interface Streams {
  readonly input: AsyncIterable<Uint8Array>
  readonly output: (text: string) => void
  /** Bytes of the output that the other side has not read yet, if that is known. */
  readonly unread?: () => number
  /** Ends the server. */
  readonly signal: AbortSignal
  /** Reports protocol errors, for people. */
  readonly trouble: (message: string) => void
}

/** How a message is written as a line. */
export interface LineFormat<Message> {
  /** @throws for a line that is not a message, {@link RefusedMessage} for one that needs an answer */
  read(line: string): Message
  /** With its newline. */
  write(message: Message): string
  /** Sent in place of a message that is too long; undefined to send nothing. */
  instead(message: Message, problem: string): Message | undefined
}

/** A message that is not passed on, although its sender waits for an answer. */
export class RefusedMessage<Message> extends Error {
  readonly answer: Message

  constructor(problem: string, answer: Message) {
    super(problem)
    this.answer = answer
  }
}

/** In the form that the protocol's package expects of a transport. */
export class LineTransport<Message extends object> {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: Message) => void
  readonly #streams: Pick<Streams, 'input' | 'output' | 'unread'>
  readonly #format: LineFormat<Message>
  readonly #unanswered: Unanswered<Message> | undefined
  #isClosed = false
  #closed: () => void = () => {}
  /** Resolves when the connection has ended, whatever the package does with {@link onclose}. */
  readonly closed: Promise<void> = new Promise(resolve => {
    this.#closed = resolve
  })

  /** @param unanswered what is waited for after the end of the input; nothing if it is left out */
  constructor(
    streams: Pick<Streams, 'input' | 'output' | 'unread'>,
    format: LineFormat<Message>,
    unanswered?: Unanswered<Message>,
  ) {
    this.#streams = streams
    this.#format = format
    this.#unanswered = unanswered
  }

  async start(): Promise<void> {
    void this.#receive()
  }

  async #receive(): Promise<void> {
    try {
      for await (const line of linesIn(this.#streams.input, MESSAGE_LIMITS.bytes)) {
        if (this.#isClosed) return
        this.#deliver(line)
      }
      if (!this.#isClosed) await this.#answerAll()
    } catch (error) {
      // A stream that this side closed ends with an error; ignore it.
      if (!this.#isClosed) this.onerror?.(error as Error)
    }
    await this.close()
  }

  async #answerAll(): Promise<void> {
    for (const answer of this.#unanswered?.ended() ?? []) this.onmessage?.(answer)
    await this.#unanswered?.answered()
  }

  #deliver(line: string): void {
    let message: Message
    try {
      message = this.#format.read(line)
    } catch (error) {
      // The next line may be a valid message.
      this.onerror?.(error as Error)
      if (error instanceof RefusedMessage) void this.send(error.answer as Message)
      return
    }
    this.#unanswered?.received(message)
    this.onmessage?.(message)
  }

  async send(message: Message): Promise<void> {
    if (this.#isClosed) return
    const answer = this.#unanswered?.sent(message)
    if (answer !== undefined) return queueMicrotask(() => this.onmessage?.(answer))
    const { output, unread } = this.#streams
    // A client that asks and never reads would fill the memory with its answers.
    if ((unread?.() ?? 0) > MESSAGE_LIMITS.unreadBytes) {
      this.onerror?.(
        new Error(
          `more than ${byteLimit(MESSAGE_LIMITS.unreadBytes)} of answers were not read, so the connection ends: read each answer before the next question`,
        ),
      )
      return await this.close()
    }
    const line = this.#bounded(message)
    if (line !== undefined) output(line)
  }

  #bounded(message: Message): string | undefined {
    const line = this.#format.write(message)
    if (Buffer.byteLength(line) <= MESSAGE_LIMITS.bytes) return line
    const problem = `the message is longer than ${byteLimit(MESSAGE_LIMITS.bytes)}: ask for less at once`
    const other = this.#format.instead(message, problem)
    this.onerror?.(new Error(`not sent: ${problem}`))
    return other && this.#format.write(other)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
    this.#closed()
  }
}

/**
 * Lines without their newline; an unfinished last line is dropped.
 * @param most bytes of a line
 * @throws RangeError for a longer one, before it is read to its end
 */
export async function* linesIn(input: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string> {
  for await (const { bytes, isWhole } of boundedLines(input, most)) {
    if (bytes === undefined)
      throw new RangeError(`a message is longer than ${byteLimit(most)}: send a shorter one`)
    if (isWhole) yield Buffer.from(bytes.buffer, 0, bytes.length).toString()
  }
}
