// Lets a server listen at a port or a socket. A socket is for its owner alone, in a folder where no other user can put one in its place;
// what an earlier program left there is removed.

import { rmSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { ioError, ioNow } from '../../io/fail.ts'
import { refuseForeign, refuseForeignWay } from '../../io/owner/owner.ts'
import { Ways } from '../../io/owner/ways.ts'
import { entryOrNothing } from '../../io/read/entry.ts'
import { RlpError } from '../../model/error.ts'
import { type ListenAddress, refuseLongPath } from './listen-address.ts'

/**
 * @param address with an absolute path
 * @returns the port; 0 for a socket
 * @throws RlpError EXISTS if another one listens there or something else is there, NO_PERMISSION for a folder of others, USAGE, IO
 */
export async function listenAt(server: Server, address: ListenAddress): Promise<number> {
  if (address.is === 'tcp') {
    await listening(server, `${address.host} port ${address.port}`, {
      host: address.host,
      port: address.port,
    })
    const at = server.address()
    return typeof at === 'object' && at !== null ? at.port : address.port
  }
  const { path } = address
  refuseLongPath(path)
  await clearSocketPlace(path, () => answers(path))
  // The socket gets its mode as it is made: there is no moment in which others can connect.
  const before = process.umask(0o177)
  try {
    const done = listening(server, path, { path })
    process.umask(before)
    await done
  } finally {
    process.umask(before)
  }
  return 0
}

function listening(
  server: Server,
  where: string,
  options: { path: string } | { host: string; port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new RlpError('EXISTS', `Cannot listen at ${where}: another program does`, {
              hint: 'Stop it, or name another place',
            })
          : ioError(`listen at ${where}`, error),
      )
    server.once('error', failed)
    server.listen(options, () => {
      server.off('error', failed)
      resolve()
    })
  })
}

function answers(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // Whatever keeps it from being reached but its end: it is left alone.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
  })
}

/**
 * @param path absolute
 * @param isAlive whether a program answers there
 * @throws RlpError NO_PERMISSION if others may write the folder or lead the way to it elsewhere, EXISTS
 */
async function clearSocketPlace(path: string, isAlive: () => Promise<boolean>): Promise<void> {
  const folder = dirname(path)
  const doing = `listen in "${folder}"`
  refuseForeignWay(folder, new Ways())
  const stat = ioNow(doing, () => statSync(folder))
  refuseForeign(doing, folder, stat, 'private folder')
  const there = entryOrNothing(path)
  if (there === undefined) return
  const inTheWay = (state: string, hint: string) =>
    new RlpError('EXISTS', `Cannot listen at "${path}": ${state}`, { hint })
  if (!there.isSocket()) throw inTheWay('something else is there', 'Name another path')
  if (await isAlive()) throw inTheWay('another program does', 'Stop it, or name another path')
  ioNow(`replace "${path}"`, () => rmSync(path, { force: true }))
}
