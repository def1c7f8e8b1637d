// Hosts that exist only in a test: a TLS server on the loopback, which every public address leads to, and the names that lead to them.
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Internet } from '../../src/net/internet.ts'
import { makeAuthority, makeCertificate } from './certificate.ts'
import { serveTls } from './http-tool.ts'

/** The addresses of each name, of each time that it is looked up; the last ones stay. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>

export const ADDRESS = '93.184.215.14'

export interface GrantedWorld {
  /** PEM, which every user may read. */
  readonly ca: string
  readonly port: number
  readonly internet: Internet
  /** `address:port`. */
  readonly dialled: string[]
  readonly asked: string[]
  /** What was dialled: how much was sent is known when it is over. */
  readonly sockets: Socket[]
}

/**
 * @param folder one that may be granted
 * @param names of the certificate too
 */
export async function grantedWorld(t: TestContext, folder: string, names: Names): Promise<GrantedWorld> {
  const authority = makeAuthority('an authority of a test')
  const certificate = makeCertificate(authority, [...Object.keys(names), '127.0.0.1'])
  const port = await serveTls(t, certificate, (request, response) => {
    if (request.url?.startsWith('/slow') === true) return
    response.end(`hello ${request.headers.host}`)
  })
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, authority.cert, { mode: 0o644 })
  const dialled: string[] = []
  const asked: string[] = []
  const sockets: Socket[] = []
  const internet: Internet = {
    lookup: async host => {
      const times = names[host] ?? []
      const found = times[Math.min(asked.filter(one => one === host).length, times.length - 1)]
      asked.push(host)
      if (found === undefined) throw Object.assign(new Error('there is no such name'), { code: 'ENOTFOUND' })
      return found.map(address => ({ address }))
    },
    dial: (address, toPort) => {
      dialled.push(`${address}:${toPort}`)
      const socket = connect({ host: '127.0.0.1', port })
      sockets.push(socket)
      return socket
    },
  }
  return { ca, port, internet, dialled, asked, sockets }
}
