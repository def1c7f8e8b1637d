// Does work that waits for other machines beside the work on this one. Each server has a lane of its own, so that one that stalls holds up
// only its own work. Output waits for its reader, so that lines for a slow one do not fill the memory.
import { anySignal } from '../io/wait/any-signal.ts'
import { hostPortOf, readOciPrefix, readOciReference } from '../oci/reference.ts'

/** One server is asked for so many bundles at once, and so many in all are asked for. */
const AT_ONE = 4
const AT_ONCE = 64
/** More are not looked for meanwhile: a list may have no end. */
const MOST_WAITING = 10_000

/** @param signal of all lanes: ends what runs when another has failed */
type Run = (signal: AbortSignal) => Promise<void>

interface Lane {
  readonly server: string
  readonly waiting: Run[]
  running: number
}

/** The server that a bundle is fetched from, or that lists a prefix; undefined for what is on this machine. */
export function farServer(path: string): string | undefined {
  const prefix = readOciPrefix(path)
  if ('value' in prefix) return hostPortOf(prefix.value)
  const read = readOciReference(path)
  return 'value' in read && read.value.place.in === 'registry' ? hostPortOf(read.value.place) : undefined
}

export class FarLanes {
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #lanes = new Map<string, Lane>()
  #running = 0
  #waiting = 0
  #failure: { readonly error: unknown } | undefined
  #wake: (() => void)[] = []

  readonly #atOnce: number

  /** @param atOnce so many run at a time, of all lanes together */
  constructor(signal: AbortSignal, atOnce = AT_ONCE) {
    this.#atOnce = atOnce
    this.#signal = anySignal(signal, this.#stop.signal)
  }

  /** Waits only while too many others wait. @throws what another run has thrown */
  async add(server: string, run: Run): Promise<void> {
    while (this.#waiting >= MOST_WAITING && this.#failure === undefined) await this.#change()
    this.#lane(server)?.push(run)
    this.#begin(1)
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** For what a run itself has found. It comes before what waits, so that the finds of many runs do not wait together. */
  addFirst(server: string, runs: readonly Run[]): void {
    this.#lane(server)?.unshift(...runs)
    this.#begin(runs.length)
  }

  /** Undefined after a failure: nothing more is begun. */
  #lane(server: string): Run[] | undefined {
    if (this.#failure !== undefined) return undefined
    const lane = this.#lanes.get(server) ?? { server, waiting: [], running: 0 }
    this.#lanes.set(server, lane)
    return lane.waiting
  }

  #begin(count: number): void {
    if (this.#failure !== undefined) return
    this.#waiting += count
    this.#start()
  }

  /** Waits for all. @throws what the first one has thrown that failed */
  async settle(): Promise<void> {
    while (this.#running > 0 || this.#waiting > 0) await this.#change()
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Ends everything that waits and runs, because of what failed elsewhere. */
  async end(error: unknown): Promise<void> {
    this.#fail(error)
    await Promise.allSettled([this.settle()])
  }

  #start(): void {
    for (const lane of this.#lanes.values())
      while (lane.waiting.length > 0 && lane.running < AT_ONE && this.#running < this.#atOnce)
        void this.#next(lane)
  }

  async #next(lane: Lane): Promise<void> {
    const run = lane.waiting.shift()
    if (run === undefined) return
    this.#waiting--
    this.#running++
    lane.running++
    try {
      await run(this.#signal)
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#running--
      lane.running--
      if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(lane.server)
      this.#start()
      for (const wake of this.#wake.splice(0)) wake()
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    for (const lane of this.#lanes.values()) this.#waiting -= lane.waiting.splice(0).length
    this.#stop.abort()
    for (const wake of this.#wake.splice(0)) wake()
  }

  #change(): Promise<void> {
    return new Promise(resolve => this.#wake.push(resolve))
  }
}

/**
 * Works on each: what is here one after the other, and what is fetched meanwhile.
 * @returns the results in the order of the items
 */
export async function eachInLanes<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  {
    server,
    signal,
    atOnce,
  }: { server(item: T): string | undefined; readonly signal: AbortSignal; readonly atOnce?: number },
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const far = new FarLanes(signal, atOnce)
  let count = 0
  try {
    for await (const item of items) {
      const at = count++
      const run = async (until: AbortSignal) => {
        results[at] = await work(item, until)
      }
      const place = server(item)
      if (place === undefined) await run(signal)
      else await far.add(place, run)
    }
    await far.settle()
  } catch (error) {
    await far.end(error)
    throw error
  }
  return results
}

const MOST_UNREAD_BYTES = 1024 * 1024
const LOOK_AGAIN_MS = 5

export async function readerReady(output: { unread(): number; readonly signal: AbortSignal }): Promise<void> {
  while (output.unread() > MOST_UNREAD_BYTES && !output.signal.aborted)
    await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS))
}
