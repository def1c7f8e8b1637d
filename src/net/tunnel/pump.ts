// A tunnel and the socket at this end of it: bytes are passed both ways, and each side waits while the other is full.
import type { Socket } from 'node:net'
import type { Lane, Tunnel } from './lane.ts'

export interface PumpOptions {
  /** Whether the end of the other side is answered at once, so that the lane is free; else what the socket still says is passed on. */
  readonly answersEnd: boolean
  /** How long the socket may take to end after the other side has. */
  readonly lingerMs: number
}

export function pump(lane: Lane, socket: Socket, { answersEnd, lingerMs }: PumpOptions): Tunnel {
  const { stream } = lane
  let isOver = false
  const onDrain = () => void socket.resume()
  // Once only: later the lane may carry another tunnel. What the socket still says is read, and passed on to no other.
  const end = () => {
    if (isOver) return
    isOver = true
    stream.off('drain', onDrain)
    socket.resume()
    lane.end()
  }
  stream.on('drain', onDrain)
  socket.on('drain', () => void stream.resume())
  socket.on('data', piece => {
    if (!isOver && !lane.send(piece)) socket.pause()
  })
  socket.once('end', end)
  socket.once('close', () => {
    // It may have been waiting for this socket.
    stream.resume()
    end()
  })
  // `close` follows.
  socket.on('error', () => {})
  // It has been closed before anything was passed on.
  if (socket.destroyed) end()
  return {
    piece(bytes) {
      if (socket.writable && !socket.write(bytes)) stream.pause()
    },
    ended() {
      socket.end()
      setTimeout(() => socket.destroy(), lingerMs).unref()
      if (answersEnd) end()
    },
    lost: () => void socket.destroy(),
  }
}
