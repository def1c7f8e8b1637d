// The requests of one client that have no answer yet. A client may write its requests and close its end at once, as `printf … | rlp tool
// serve` does, so the end of the input ends nothing that came before it.

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
