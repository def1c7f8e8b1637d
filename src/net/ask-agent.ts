// One question to an agent at a socket of this machine → its answer, bounded in bytes and in time.
import { connect } from 'node:net'

interface AgentQuestion {
  /** Of the socket. */
  readonly path: string
  /** With its length before it. */
  readonly request: Uint8Array
  /** Of the answer, without its length. */
  readonly mostBytes: number
  readonly mostMs: number
  readonly signal: AbortSignal
}

export type AgentSaid =
  | { readonly answer: Uint8Array }
  /** `late` and `aborted`: there was no answer so far. `cut`: the agent hung up in its answer. */
  | { readonly problem: 'late' | 'aborted' | 'cut' | 'too-long' | 'more-than-one' }
  /** There is no connection: the system's code. */
  | { readonly problem: 'no-connection'; readonly code: string | undefined }

/** Never throws for what an agent does. */
export function askAgent({ path, request, mostBytes, mostMs, signal }: AgentQuestion): Promise<AgentSaid> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let size = 0
    const socket = connect({ path })
    const end = (said: AgentSaid) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      resolve(said)
    }
    const timer = setTimeout(() => end({ problem: 'late' }), mostMs)
    const onAbort = () => end({ problem: 'aborted' })
    signal.addEventListener('abort', onAbort)
    socket.once('connect', () => socket.write(request))
    socket.on('data', chunk => {
      chunks.push(chunk)
      size += chunk.length
      const said = read(chunks, size, mostBytes)
      if (said !== undefined) end(said)
    })
    // Kept after the end: an error without a listener ends the process.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end(size > 0 ? { problem: 'cut' } : { problem: 'no-connection', code: error.code }),
    )
    socket.once('close', () => end({ problem: 'cut' }))
    if (signal.aborted) onAbort()
  })
}

const LENGTH_BYTES = 4

/** Undefined while more is to come. */
function read(chunks: readonly Buffer[], size: number, mostBytes: number): AgentSaid | undefined {
  if (size < LENGTH_BYTES) return undefined
  const length = Buffer.concat(chunks.slice(0, LENGTH_BYTES)).readUInt32BE(0)
  if (length > mostBytes) return { problem: 'too-long' }
  if (size < LENGTH_BYTES + length) return undefined
  const bytes = Buffer.concat(chunks)
  return bytes.length === LENGTH_BYTES + length
    ? { answer: new Uint8Array(bytes.subarray(LENGTH_BYTES)) }
    : { problem: 'more-than-one' }
}
