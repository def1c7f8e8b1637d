// An ssh agent of the system with keys in it, and a socket that plays one.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'

export interface RealAgent {
  readonly socket: string
  stop(): void
  /** Runs `ssh-add`, with what it reads as a passphrase. */
  add(args: readonly string[], passphrase?: string): string
}

/** @param env for the agent itself: with it, it asks for confirmations */
export async function realAgent(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RealAgent> {
  const socket = join(folder, 'agent')
  const agent: ChildProcess = spawn('ssh-agent', ['-D', '-a', socket], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
  })
  for (let tries = 0; !existsSync(socket) && tries < 500; tries++) await wait(10)
  return {
    socket,
    stop: () => void agent.kill(),
    add: (args, passphrase = '') =>
      execFileSync('ssh-add', args, {
        env: {
          PATH: process.env['PATH'],
          SSH_AUTH_SOCK: socket,
          DISPLAY: 'none',
          SSH_ASKPASS_REQUIRE: 'force',
          SSH_ASKPASS: join(folder, 'passphrase'),
          PASSPHRASE: passphrase,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
      }),
  }
}

/** Answers each connection with the bytes that the list has next, and says nothing after its end. */
export async function playedAgent(path: string, answers: readonly (Uint8Array | 'close')[]): Promise<Server> {
  const left = [...answers]
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      const next = left.shift()
      if (next === 'close') socket.destroy()
      else if (next !== undefined) socket.write(next)
    })
  })
  after(() => server.close())
  await new Promise<void>(resolve => void server.listen(path, resolve))
  server.unref()
  return server
}

/** With its length before it. */
export function framed(...parts: readonly Uint8Array[]): Buffer {
  return sized(Buffer.concat(parts))
}

/** Bytes as a text of the protocol: with their length before them. */
export function sized(bytes: Uint8Array | string): Buffer {
  const body = Buffer.from(bytes as Uint8Array)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
