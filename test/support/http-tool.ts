// Tools of kind http, the servers they reach, and one run of one.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import type { TestContext } from 'node:test'
import { httpRunner } from '../../src/call/http/run.ts'
import type { RunOutcome, RunRequest } from '../../src/model/run.ts'
import type { Tool } from '../../src/model/tools.ts'
import { WIRE } from '../../src/net/connect.ts'
import type { Internet } from '../../src/net/internet.ts'
import type { Certificate } from './certificate.ts'

export interface HttpParts {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
}

export function httpTool({ method = 'GET', url, headers = {}, secrets = [] }: HttpParts): Tool {
  return {
    id: 'web.get',
    description: 'Gets',
    transport: { kind: 'http', method, url, headers },
    inputSchema: {},
    resultSchema: {},
    schemaRefs: {},
    capabilities: [],
    secrets,
    budget: undefined,
    requiresConfirmation: false,
    tags: [],
    rlp: { stdin: false, timeoutMs: undefined, env: [] },
  }
}

type Server_ = Server | TcpServer

/** Listens on the loopback until the test is over. @returns the port */
export async function listen(t: TestContext, server: Server_): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', socket => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A server of HTTP. @returns the port */
export function serve(t: TestContext, answer: RequestListener): Promise<number> {
  return listen(t, createServer(answer))
}

export function serveTls(t: TestContext, certificate: Certificate, answer: RequestListener): Promise<number> {
  return listen(t, createTlsServer({ ...certificate }, answer))
}

/** A server that says these bytes once the head of a request has come, and hangs up. @returns the port */
export function serveBytes(t: TestContext, ...chunks: readonly (string | Buffer)[]): Promise<number> {
  return listen(
    t,
    createTcpServer(socket => {
      socket.once('data', () => {
        for (const chunk of chunks) socket.write(chunk)
        socket.end()
      })
    }),
  )
}

export interface RunParts extends Partial<Omit<RunRequest, 'tool' | 'net' | 'secrets' | 'limits'>> {
  readonly hosts?: readonly string[]
  readonly allowHttp?: boolean
  readonly secrets?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly outputBytes?: number
  readonly internet?: Partial<Internet>
}

/** By default everything is granted that the url names. */
export function runTool(tool: Tool, parts: RunParts = {}): Promise<RunOutcome> {
  const url = tool.transport.kind === 'http' ? tool.transport.url : ''
  const authority = /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
  const { hosts = [authority], allowHttp = true, secrets = {}, internet = {}, input = {} } = parts
  const run = httpRunner({ ...WIRE, lookup: noLookup, ...internet })
  return run({
    tool,
    input,
    text: JSON.stringify(input),
    secrets: new Map(Object.entries(secrets)),
    variables: new Map(),
    hide: parts.hide ?? (text => text),
    programs: [],
    net: { hosts, allowHttp },
    limits: {
      timeoutMs: parts.timeoutMs ?? 10_000,
      outputBytes: parts.outputBytes ?? 65_536,
      errorBytes: 4096,
    },
    signal: parts.signal ?? new AbortController().signal,
  })
}

function noLookup(host: string): Promise<never> {
  throw new Error(`${host} was looked up`)
}

/** The whole content of a request. */
export async function contentOf(request: IncomingMessage): Promise<string> {
  let content = ''
  for await (const chunk of request) content += String(chunk)
  return content
}
