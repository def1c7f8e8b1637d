// What is put before a server over HTTP for a client that knows no token: it adds the token, and its own name becomes the server's.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function gateway(url: string, token: string): Promise<{ url: string; close(): void }> {
  const { host: upstream } = new URL(url)
  let own = ''
  const server = createServer((given, answer) => {
    const { host, ...headers } = given.headers
    const passed = {
      ...headers,
      // Another name is passed on: what becomes of it is the server's matter.
      host: host === own ? upstream : host,
      authorization: `Bearer ${token}`,
    }
    const sent = request(
      new URL(given.url ?? '/', url),
      { method: given.method, headers: passed },
      response => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      },
    )
    sent.on('error', () => answer.destroy())
    answer.on('close', () => sent.destroy())
    given.pipe(sent)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${own}${new URL(url).pathname}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
