// Debian's registry as a process of its own, and what counts the requests on the way to it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, createServer as listen } from 'node:net'
import { join } from 'node:path'
import { CannotRun, endOne, start } from './process.ts'

export interface Registry {
  readonly host: string
  readonly port: number
  /** Everything that is stored is gone. */
  forget(): void
  stop(): void
}

export async function startRegistry(folder: string): Promise<Registry> {
  const data = join(folder, 'data')
  mkdirSync(data)
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const file = join(folder, 'registry.yml')
  writeFileSync(
    file,
    `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${data}}}\nhttp: {addr: "${host}", secret: bench}\n`,
  )
  const child = start('docker-registry', ['serve', file])
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 100) throw new CannotRun('docker-registry does not answer')
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return {
    host,
    port,
    forget: () => rmSync(join(data, 'docker'), { recursive: true, force: true }),
    stop: () => endOne(child),
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const asked = request({ port, host: '127.0.0.1', path: '/v2/' }, answer => {
      answer.resume()
      resolve(true)
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}

async function freePort(): Promise<number> {
  const server = listen()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

export interface Counter {
  readonly host: string
  /** Requests; those of them that ask whether a server on this machine speaks http; bytes of the bodies of answers. */
  readonly seen: { requests: number; settling: number; bytes: number }
  stop(): void
}

/** Passes requests on to a port of this machine. */
export async function countRequests(port: number): Promise<Counter> {
  const seen = { requests: 0, settling: 0, bytes: 0 }
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked
    seen.requests++
    if (url === '/v2/') seen.settling++
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, from => {
      answer.writeHead(from.statusCode ?? 502, from.headers)
      from.on('data', (chunk: Buffer) => {
        seen.bytes += chunk.length
      })
      from.pipe(answer)
    })
    passed.on('error', error => answer.destroy(error))
    asked.pipe(passed)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${own}`,
    seen,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
