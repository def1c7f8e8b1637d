// An MCP client and a server in one process, joined by two pipes.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** Bytes that one side writes and the other reads. */
export class Pipe implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = []
  #isEnded = false
  #wake: () => void = () => {}

  write(text: string): void {
    this.#chunks.push(Buffer.from(text))
    this.#wake()
  }

  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (true) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) yield chunk
      else if (this.#isEnded) return
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
    }
  }
}

/** The client's end: it writes to `up` and reads from `down`. `lines` is everything that the server has said. */
export function clientEnd(up: Pipe, down: Pipe): { transport: Transport; lines: string[] } {
  const lines: string[] = []
  const transport: Transport = {
    async start() {
      void (async () => {
        let rest = ''
        for await (const chunk of down) {
          const parts = `${rest}${Buffer.from(chunk).toString()}`.split('\n')
          rest = parts.pop() ?? ''
          for (const line of parts) {
            lines.push(line)
            transport.onmessage?.(JSON.parse(line) as JSONRPCMessage)
          }
        }
      })()
    },
    async send(message) {
      up.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      up.end()
      transport.onclose?.()
    },
  }
  return { transport, lines }
}
