// Two streams of lines → messages of a protocol, in both directions. The end of the input is the end of the connection.
import { linesIn } from './lines-in.ts'

/** The two directions, in bytes. */
export interface Streams {
  readonly input: AsyncIterable<Uint8Array>
  readonly output: (text: string) => void
  /** Ends the server. */
  readonly signal: AbortSignal
  /** What goes wrong with the protocol, for people. */
  readonly trouble: (message: string) => void
}

/** How a message is a line. */
export interface LineFormat<Message> {
  /** @throws for a line that is no message, {@link Refused} for one that has to be answered */
  read(line: string): Message
  /** With its newline. */
  write(message: Message): string
}

/** A message that is not passed on: whoever sent it waits for an answer. */
export class Refused<Message> extends Error {
  readonly answer: Message

  constructor(problem: string, answer: Message) {
    super(problem)
    this.answer = answer
  }
}

/** Bytes of one message; a longer one ends the connection. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

/** As the protocol's package wants a transport to be. */
export class LineTransport<Message> {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: Message) => void
  readonly #streams: Pick<Streams, 'input' | 'output'>
  readonly #format: LineFormat<Message>
  #isClosed = false

  constructor(streams: Pick<Streams, 'input' | 'output'>, format: LineFormat<Message>) {
    this.#streams = streams
    this.#format = format
  }

  async start(): Promise<void> {
    void this.#receive()
  }

  async #receive(): Promise<void> {
    try {
      for await (const line of linesIn(this.#streams.input, MAX_MESSAGE_BYTES)) {
        if (this.#isClosed) return
        this.#deliver(line)
      }
    } catch (error) {
      // What was closed from this side ends as if it were broken.
      if (!this.#isClosed) this.onerror?.(error as Error)
    }
    await this.close()
  }

  #deliver(line: string): void {
    let message: Message
    try {
      message = this.#format.read(line)
    } catch (error) {
      // The next line may be a message.
      this.onerror?.(error as Error)
      if (error instanceof Refused) void this.send(error.answer as Message)
      return
    }
    this.onmessage?.(message)
  }

  async send(message: Message): Promise<void> {
    if (!this.#isClosed) this.#streams.output(this.#format.write(message))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
  }
}
