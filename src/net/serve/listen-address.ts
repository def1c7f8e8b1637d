// What an operator writes → where a service listens: a socket in the file system, or a port of this machine alone.

import { UsageError } from '../../model/error.ts'
import { quoted } from '../../text/printable.ts'

export interface PortAddress {
  readonly is: 'tcp'
  readonly host: '127.0.0.1' | '::1'
  readonly port: number
}
export type ListenAddress = { readonly is: 'unix'; readonly path: string } | PortAddress

const TCP = /^(127\.0\.0\.1|\[::1\]):(0|[1-9][0-9]{0,4})$/
/** Of a socket's path: what the system's structure holds, with its end. */
const LONGEST_PATH = 103

/** @throws UsageError */
export function listenAddress(text: string): ListenAddress {
  const wrong = (state: string) =>
    new UsageError(`Cannot listen at ${quoted(text)}: ${state}`, {
      field: 'listen',
      hint: 'Write unix:PATH, 127.0.0.1:PORT or [::1]:PORT',
    })
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length)
    if (path === '') throw wrong('it names no path')
    return { is: 'unix', path }
  }
  const address = portAddress(text)
  if (address === undefined) throw wrong('it is no socket and no port of this machine alone')
  return address
}

/** Undefined for what is no port of this machine alone. */
export function portAddress(text: string): PortAddress | undefined {
  const [, host, port] = TCP.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535) return undefined
  return { is: 'tcp', host: host === '127.0.0.1' ? host : '::1', port: Number(port) }
}

/** @throws UsageError for an absolute path that no socket can have */
export function refuseLongPath(path: string): void {
  if (Buffer.byteLength(path) <= LONGEST_PATH) return
  throw new UsageError(
    `Cannot listen at "unix:${path}": the path of a socket has at most ${LONGEST_PATH} bytes`,
    {
      field: 'listen',
      hint: 'Name a shorter path, for example below /run',
    },
  )
}

/** What a request has to call it. */
export function hostHeader(address: ListenAddress, port: number): string {
  if (address.is === 'unix') return 'localhost'
  return `${address.host === '::1' ? '[::1]' : address.host}:${port}`
}
