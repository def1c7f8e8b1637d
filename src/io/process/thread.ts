// Threads of this program: started, given messages, and let go. Every message is a value that can be copied.
import { dirname, join } from 'node:path'
import { parentPort, Worker, workerData } from 'node:worker_threads'

export interface Thread {
  post(message: unknown): void
  /** Ends it. Its end is not waited for: a thread that waits for a disk cannot be ended. */
  letGo(): void
}

/**
 * @param program path of the file that it runs
 * @param given what it may look at; a `SharedArrayBuffer` is not copied
 * @param young megabytes for what lives shortly: by Node's own choice two threads hold 70 MB more
 * @param on `lost` is told once when it ends by itself, and why
 */
export function startThread(
  program: string,
  given: unknown,
  young: number,
  on: { message(message: unknown): void; lost(cause: unknown): void },
): Thread {
  const worker = new Worker(program, {
    workerData: given,
    resourceLimits: { maxYoungGenerationSizeMb: young },
  })
  let isOver = false
  const lost = (cause: unknown) => {
    if (isOver) return
    isOver = true
    on.lost(cause)
  }
  worker.on('message', message => {
    if (!isOver) on.message(message)
  })
  worker.on('error', lost)
  worker.on('exit', code => lost(`it ended with ${code}`))
  return {
    post: message => worker.postMessage(message),
    letGo() {
      isOver = true
      worker.unref()
      void worker.terminate()
    },
  }
}

/** The file of a thread's program, beside the one that starts it: in the sources and in what is built. */
export function besideFile(filename: string, name: string): string {
  return join(dirname(filename), `${name}.${filename.endsWith('.ts') ? 'ts' : 'cjs'}`)
}

/** The other end, in the thread: what it was given, and its messages, which are answered one after another. */
export function inThread(answer: (given: unknown) => (message: unknown) => Promise<unknown>): void {
  const port = parentPort
  if (port === null) throw new TypeError('it is a thread and no program')
  const one = answer(workerData)
  let last: Promise<unknown> = Promise.resolve()
  port.on('message', message => {
    last = last.then(async () => port.postMessage(await one(message)))
  })
}

/** The same for messages that wait for other things than the processor: each is answered when its answer is there. */
export function inThreadAtOnce(answer: (given: unknown) => (message: unknown) => Promise<unknown>): void {
  const port = parentPort
  if (port === null) throw new TypeError('it is a thread and no program')
  const one = answer(workerData)
  port.on('message', async message => port.postMessage(await one(message)))
}
