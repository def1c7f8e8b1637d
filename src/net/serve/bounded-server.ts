// A server over HTTP that gives no asker more than its limits: bytes of headers, times, connections.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { SERVICE_LIMITS } from '../../model/limits.ts'

export type AskRequest = IncomingMessage
export type AskResponse = ServerResponse
export type BoundedServer = Server

export type TakeRequest = (request: AskRequest, response: AskResponse) => void

/** What it cannot read as HTTP it hangs up on. */
export function boundedServer(take: TakeRequest): BoundedServer {
  const { headerBytes, headersMs, requestMs, idleMs, connections } = SERVICE_LIMITS
  const limits = {
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: 1000,
  }
  const server = createServer(limits, take)
  server.maxConnections = connections
  // A program that waits for 100 has not sent its body yet: it may be refused before.
  server.on('checkContinue', take)
  server.on('clientError', (_, socket) => void socket.destroy())
  server.on('upgrade', (_, socket) => void socket.destroy())
  return server
}
