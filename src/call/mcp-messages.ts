// Carries messages of JSON-RPC over two streams of lines. Requests that came before the end of the input are still answered. A message
// that an earlier reader may have understood otherwise is refused (duplicate keys, `__proto__`, 1e400).
import { boundedLines } from '../io/read/bounded.ts'
import { closingQuote, holdsMoreValues } from '../json/count.ts'
import { findJsonProblem } from '../json/scan.ts'
import { byteLimit, MESSAGE_LIMITS } from '../model/limits.ts'
import { MethodRefused } from './methods/method.ts'

/** The two directions, in bytes. */
export interface Streams {
  readonly input: AsyncIterable<Uint8Array>
  /** What it returns is waited for before more of the input is read. */
  readonly output: (text: string) => unknown
  /** Bytes of the output that the other side has not read yet, if that is known. */
  readonly unread?: () => number
  /** Ends the server. */
  readonly signal: AbortSignal
  /** Reports protocol errors, for people. */
  readonly trouble: (message: string) => void
}

/** How a message is written as a line. */
interface LineFormat<Message> {
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
  #sent: unknown
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
        await this.#sent
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
    if (line === undefined) return
    this.#sent = output(line)
    await this.#sent
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

/** The members of a JSON-RPC message that say which request it is, or which it answers. */
interface RpcMessage {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: unknown
}

/** A request that is answered when the connection closes. */
const LASTING = 'subscriptions/listen'

/** How long to wait for the answer to a request that nothing works on any more, in milliseconds. */
const IDLE_MS = 5_000

const CONNECTION_CLOSED = -32000

export class Unanswered<Message extends object> {
  readonly #theirs = new Set<unknown>()
  readonly #ours = new Set<unknown>()
  readonly #isBusy: () => boolean
  #hasEnded = false
  #changed: () => void = () => {}

  /** @param isBusy whether a call is under way. A request without an answer is given up once no call is */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy
  }

  /** Notes a message of the client. */
  received(message: Message): void {
    const { id, method, params } = message as RpcMessage
    if (method === undefined) this.#ours.delete(id)
    else if (id !== undefined && method !== LASTING) this.#theirs.add(id)
    else if (method === 'notifications/cancelled') this.#done((params as { requestId?: unknown })?.requestId)
  }

  /** Notes a message to the client. Returns the answer to use instead of sending it, if it is a request and no one can answer it. */
  sent(message: Message): Message | undefined {
    const { id, method } = message as RpcMessage
    if (id === undefined) return undefined
    if (method === undefined) this.#done(id)
    else if (this.#hasEnded) return unanswerable(id)
    else this.#ours.add(id)
    return undefined
  }

  /**
   * Notes that the input has ended.
   * @returns an answer to each of our requests, which no one can answer any more
   */
  ended(): Message[] {
    this.#hasEnded = true
    return [...this.#ours].map(unanswerable<Message>)
  }

  /** Resolves when each request of the client has its answer. */
  async answered(): Promise<void> {
    while (this.#theirs.size > 0) {
      let timer: NodeJS.Timeout | undefined
      const isIdle = await new Promise<boolean>(resolve => {
        this.#changed = () => resolve(false)
        timer = setTimeout(() => resolve(!this.#isBusy()), IDLE_MS)
      })
      clearTimeout(timer)
      if (isIdle) return
    }
  }

  #done(id: unknown): void {
    if (this.#theirs.delete(id)) this.#changed()
  }
}

function unanswerable<Message>(id: unknown): Message {
  const message = 'The input ended, so the client can answer nothing'
  return { jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message } } as unknown as Message
}

const PARSE_ERROR = -32700
const INTERNAL_ERROR = -32603
/** The value of an id, or of nothing that could be one. */
const SCALAR = /^\s*:\s*("[^"\\]{0,200}"|-?[0-9]{1,15}(?=\s*[,}]))?/

/** @param read reads a message loosely */
export function strictly<Message extends object>(read: (line: string) => Message): (line: string) => Message {
  return line => {
    const problem = messageProblem(line)
    if (problem === undefined) return read(line)
    // Only a request waits for an answer.
    const id = requestIdIn(line)
    if (id === undefined) throw new Error(problem)
    const error = { code: PARSE_ERROR, message: `The message could not be read: ${problem}` }
    throw new RefusedMessage(problem, { jsonrpc: '2.0', id, error })
  }
}

function messageProblem(line: string): string | undefined {
  const { jsonValues } = MESSAGE_LIMITS
  if (holdsMoreValues(line, jsonValues))
    return `More than ${jsonValues} JSON values in one message; send several messages`
  return findJsonProblem(line)?.message
}

/** The replacement for an answer that is too long. Other messages need none: no one waits for them. */
export function tooLong<Message extends object>(message: Message, problem: string): Message | undefined {
  if (!('id' in message) || message.id === undefined || 'method' in message) return undefined
  const error = { code: INTERNAL_ERROR, message: `The answer cannot be sent: ${problem}` }
  return { jsonrpc: '2.0', id: message.id, error } as unknown as Message
}

/** What a connection refuses to send, where each answer has a response of its own. @throws MethodRefused */
export function sendable<Answer extends object>(answer: Answer): Answer {
  const { bytes } = MESSAGE_LIMITS
  if (Buffer.byteLength(JSON.stringify(answer)) <= bytes) return answer
  const problem = `the message is longer than ${byteLimit(bytes)}: ask for less at once`
  throw new MethodRefused('internal_error', `The answer cannot be sent: ${problem}`)
}

/**
 * The id that the answer to an unparsed line needs. Undefined for anything but a request, for a message with two ids, and for an id that is long or not a scalar: such a line gets no
 * answer.
 */
function requestIdIn(line: string): string | number | undefined {
  let depth = 0
  let isRequest = false
  let id: string | undefined
  for (let at = 0; at < line.length; at++) {
    const c = line.charAt(at)
    if (c === '{' || c === '[') depth++
    else if (c === '}' || c === ']') depth--
    if (c !== '"') continue
    const end = closingQuote(line, at)
    const name = depth === 1 && end - at < 10 ? line.slice(at + 1, end) : ''
    at = end
    if (name === 'method') isRequest ||= SCALAR.test(line.slice(end + 1, end + 20))
    if (name !== 'id') continue
    const value = SCALAR.exec(line.slice(end + 1, end + 300))
    if (value === null) continue
    if (id !== undefined) return undefined
    id = value[1] ?? ''
  }
  return id === undefined || id === '' || !isRequest ? undefined : (JSON.parse(id) as string | number)
}
