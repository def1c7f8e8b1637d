// An MCP client and a server in one process, joined by two pipes.
import { PassThrough, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** Bytes that one side writes and the other reads, each text by itself. */
export class Pipe extends PassThrough {
  constructor() {
    super({ readableObjectMode: true })
  }
}

/** A stream that hands on each text, for what a server says. */
export function writing(take: (text: string) => void = () => {}): Writable {
  return new Writable({
    write(chunk, _, done) {
      take(String(chunk))
      done()
    },
  })
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
