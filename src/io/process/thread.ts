// Threads of this program: started, given messages, and let go. Every message is a value that can be copied.
import { dirname, join } from 'node:path'
import { parentPort, Worker, workerData } from 'node:worker_threads'

export interface Thread {
  post(message: unknown): void
  /** How many answers it has that did not arrive. It works on the message after those. */
  untold(): number
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
  const answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(program, {
    workerData: { given, answered } satisfies InThread,
    resourceLimits: { maxYoungGenerationSizeMb: young },
  })
  let arrived = 0
  let isOver = false
  const lost = (cause: unknown) => {
    if (isOver) return
    isOver = true
    on.lost(cause)
  }
  worker.on('message', (answers: readonly unknown[]) => {
    for (const answer of answers) {
      if (isOver) return
      arrived++
      on.message(answer)
    }
  })
  worker.on('error', lost)
  worker.on('exit', code => lost(`it ended with ${code}`))
  return {
    post: message => worker.postMessage(message),
    untold: () => Atomics.load(answered, 0) - arrived,
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

/** The data that a thread starts with. */
interface InThread {
  readonly given: unknown
  /** Counts its answers. They are shared one by one, and arrive together. */
  readonly answered: Int32Array
}

/** Waking the other side costs a tenth of judging a small bundle. So a thread posts this many answers together, or the answers of this time. */
const MOST_TOGETHER = 4
const TOGETHER_MS = 10

/**
 * The other end, in the thread: what it was given, and its messages, which are answered one after another. Their answers are posted
 * together.
 */
export function inThread(answer: (given: unknown) => (message: unknown) => Promise<unknown>): void {
  const port = parentPort
  if (port === null) throw new TypeError('it is a thread and no program')
  const { given, answered } = workerData as InThread
  const one = answer(given)
  let last: Promise<unknown> = Promise.resolve()
  let answers: unknown[] = []
  let since = 0
  const tell = () => {
    if (answers.length > 0) port.postMessage(answers)
    answers = []
  }
  port.on('message', message => {
    last = last.then(async () => {
      let result: unknown
      try {
        result = await one(message)
      } catch (error) {
        // It ends the thread, and not what was answered before it.
        tell()
        throw error
      }
      // Only now: while it was awaited, the list may have been posted.
      answers.push(result)
      Atomics.add(answered, 0, 1)
      if (answers.length === 1) {
        since = performance.now()
        // When nothing more is to be answered, or the next answer waits for a disk.
        setImmediate(tell)
      }
      if (answers.length >= MOST_TOGETHER || performance.now() - since >= TOGETHER_MS) tell()
    })
  })
}

/** The same for messages that wait for other things than the processor: each is answered when its answer is there. */
export function inThreadAtOnce(answer: (given: unknown) => (message: unknown) => Promise<unknown>): void {
  const port = parentPort
  if (port === null) throw new TypeError('it is a thread and no program')
  const { given, answered } = workerData as InThread
  const one = answer(given)
  port.on('message', async message => {
    const answer = await one(message)
    Atomics.add(answered, 0, 1)
    port.postMessage([answer])
  })
}
