// The program beside a tool's program in its sandbox: connections to 127.0.0.1 → tunnels over inherited descriptors. It judges nothing: the tool's
// program could do the same. After a change: npm run generate. Usage: node -e FORWARDER -- FD_OF_READY FIRST_FD COUNT LINGER_MS COMMAND ARG…
import { spawn } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import { constants } from 'node:os'
import { Lane, PROXY_PORT, PROXY_VARIABLES, pump, READY } from './lane.ts'

const [, readyFd = '', firstFd = '', count = '', lingerMs = '', command = '', ...args] = process.argv
const last = Number(firstFd) + Number(count) - 1

const lanes: Lane[] = []
for (let fd = Number(firstFd); fd <= last; fd++) {
  const stream = new Socket({ fd, readable: true, writable: true })
  lanes.push(new Lane(stream, { begin: () => NONE, moved: () => {} }))
}

/** Only this end begins tunnels. */
const NONE = { piece: () => {}, ended: () => {}, lost: () => {} }

const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
  socket.on('error', () => {})
  // Who says nothing takes no lane.
  socket.once('data', first => {
    const lane = lanes.find(({ isFree }) => isFree)
    if (lane === undefined) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
      socket.resume()
      return
    }
    lane.begin(pump(lane, socket, { answersEnd: true, lingerMs: Number(lingerMs) }))
    lane.send(first)
  })
})

server.listen(PROXY_PORT, '127.0.0.1', () => {
  writeSync(Number(readyFd), READY)
  closeSync(Number(readyFd))
  // It has to handle these itself, and may take its time.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const child = spawn(command, args, {
    env: { ...process.env, ...PROXY_VARIABLES },
    stdio: ['inherit', 'inherit', 'inherit', ...Array<'ignore'>(last - 2).fill('ignore')],
  })
  child.on('error', (error: NodeJS.ErrnoException) => {
    writeSync(2, `${command}: ${error.code}\n`)
    process.exit(error.code === 'ENOENT' ? 127 : 126)
  })
  // As a shell says it.
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  )
})
