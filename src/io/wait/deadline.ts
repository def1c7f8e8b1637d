// How long one operation waits for a registry: one clock over all its requests, and one signal that reaches each of them. The clock runs
// only while the registry is waited for, not while a person answers or a disk writes. config.toml may state another time.

import type { FetchTimes, RegistryAccess } from '../../model/carried.ts'
import { FETCH_LIMITS } from '../../model/limits.ts'
import type { OciReference } from '../../model/oci.ts'
import { ownMembers } from '../../model/own.ts'
import { operatorConfig } from '../config.ts'
import { runloopHome } from '../home.ts'
import { anySignal } from './any-signal.ts'
import type { Reach } from './reach.ts'

/** Why nothing is waited for any more. */
export type Over =
  | { readonly why: 'cancelled' }
  | { readonly why: 'late'; readonly ms: number; readonly part: string | undefined }
  | { readonly why: 'slow'; readonly ms: number; readonly bytesPerSecond: number }

/** A part of an operation that may take less time than all of it. */
interface Part {
  readonly of: Deadline
  readonly ms: number
  /** What it is for, in messages. */
  readonly what: string
}

const USUAL: FetchTimes = {
  operationMs: FETCH_LIMITS.seconds * 1000,
  slowMs: FETCH_LIMITS.slowSeconds * 1000,
  bytesPerSecond: FETCH_LIMITS.bytesPerSecond,
  attachedMs: FETCH_LIMITS.attachedSeconds * 1000,
}

export class Deadline {
  /** Aborted when the caller gives up, and when the time is over. */
  readonly signal: AbortSignal
  readonly times: FetchTimes
  readonly #caller: AbortSignal
  readonly #part: Part | undefined
  readonly #stop = new AbortController()
  #over: Over | undefined
  /** How many waits are open, and since when there is one. */
  #open = 0
  #since = 0
  #waited = 0
  /** Of the whole operation; its parts have none. */
  readonly #rate: LeastRate | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(caller: AbortSignal, times: Partial<FetchTimes> = {}, part?: Part) {
    this.#caller = caller
    this.#part = part
    this.times = { ...USUAL, ...times }
    const { slowMs, bytesPerSecond } = this.times
    if (part === undefined) this.#rate = new LeastRate(bytesPerSecond, slowMs)
    this.signal = anySignal(part?.of.signal ?? caller, this.#stop.signal)
  }

  /** A part of the same operation, which ends with it or earlier. Its time is time of the whole. */
  within(ms: number, what: string): Deadline {
    return new Deadline(this.#caller, this.times, { of: this, ms, what })
  }

  /** Undefined while there is time. */
  get over(): Over | undefined {
    return this.#caller.aborted ? { why: 'cancelled' } : (this.#over ?? this.#part?.of.over)
  }

  /**
   * Waits for what another program or machine does, at most until the time is over.
   * @throws the reason of {@link signal}, and what `work` throws
   */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted()
    let leave: (() => void) | undefined
    const over = new Promise<never>((_, reject) => {
      leave = () => reject(this.signal.reason)
      this.signal.addEventListener('abort', leave, { once: true })
    })
    this.#begin()
    try {
      // What does not hear the signal must not hold the caller.
      return await Promise.race([work(), over])
    } finally {
      this.#end()
      if (leave !== undefined) this.signal.removeEventListener('abort', leave)
    }
  }

  /** Lets time pass. @throws the reason of {@link signal} */
  async pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    try {
      await this.waiting(
        () =>
          new Promise<void>(resolve => {
            timer = setTimeout(resolve, ms)
          }),
      )
    } finally {
      clearTimeout(timer)
    }
  }

  /** Bytes that came from a registry, or that it took. */
  moved(bytes: number): void {
    this.#rate?.moved(bytes)
    this.#part?.of.moved(bytes)
  }

  #begin(): void {
    if (this.#part !== undefined) this.#part.of.#begin()
    if (this.#open++ === 0) this.#since = performance.now()
    this.#arm()
  }

  #end(): void {
    if (this.#part !== undefined) this.#part.of.#end()
    if (--this.#open === 0) this.#waited += performance.now() - this.#since
  }

  get #limit(): number {
    return this.#part?.ms ?? this.times.operationMs
  }

  #arm(): void {
    if (this.#timer !== undefined || this.signal.aborted) return
    const next = Math.min(this.#limit, this.#rate?.nextAt ?? this.#limit)
    this.#timer = setTimeout(() => this.#look(), Math.max(1, Math.ceil(next - this.#now())))
    // What is waited for keeps the process alive, and the clock does not.
    this.#timer.unref()
  }

  #now(): number {
    return this.#waited + (this.#open > 0 ? performance.now() - this.#since : 0)
  }

  #look(): void {
    this.#timer = undefined
    const now = this.#now()
    const { slowMs, bytesPerSecond } = this.times
    if (now >= this.#limit) this.#stopFor({ why: 'late', ms: this.#limit, part: this.#part?.what })
    else if (this.#rate?.isSlow(now)) this.#stopFor({ why: 'slow', ms: slowMs, bytesPerSecond })
    if (this.#open > 0) this.#arm()
  }

  #stopFor(over: Over): void {
    if (this.#over !== undefined || this.signal.aborted) return
    this.#over = over
    this.#stop.abort()
  }
}

/**
 * @param usual instead of ten minutes where config.toml states no time
 * @throws RlpError USAGE for a config.toml that is malformed; NO_PERMISSION for one that others may write
 */
export async function operationTimes(
  { env, home = runloopHome(env), times }: RegistryAccess,
  usual: Partial<FetchTimes> = {},
): Promise<Partial<FetchTimes>> {
  const { registryTimeout } = await operatorConfig({ home })
  const stated = registryTimeout === undefined ? {} : { operationMs: registryTimeout.value * 1000 }
  return { ...usual, ...stated, ...times }
}

/** The same for an operation at these places. A layout folder is not waited for, so config.toml is not read for it alone. */
export async function timesAt(
  places: readonly OciReference['place'][],
  access: RegistryAccess,
  usual: Partial<FetchTimes> = {},
): Promise<Partial<FetchTimes>> {
  const isFar = places.some(place => place.in === 'registry')
  return isFar ? operationTimes(access, usual) : { ...usual, ...access.times }
}

/** So often is the rate looked at in that time. */
const LOOKS = 6

class LeastRate {
  readonly #overMs: number
  readonly #least: number
  #bytes = 0
  /** How many bytes there were at the last looks. */
  #before: readonly number[] = [0]
  /** When to look again. */
  nextAt: number

  constructor(bytesPerSecond: number, overMs: number) {
    this.#overMs = overMs
    this.#least = (bytesPerSecond * overMs) / 1000
    this.nextAt = overMs / LOOKS
  }

  moved(bytes: number): void {
    this.#bytes += bytes
  }

  /** Whether the whole time has passed, with less than the least. */
  isSlow(now: number): boolean {
    if (now < this.nextAt) return false
    // After a pause of this process one look is missed, rather than one too many taken: what came meanwhile is not counted yet.
    this.nextAt = now + this.#overMs / LOOKS
    const [first = 0] = this.#before
    const isSlow = this.#before.length >= LOOKS && this.#bytes - first < this.#least
    this.#before = [...this.#before.slice(1 - LOOKS), this.#bytes]
    return isSlow
  }
}

/** The same for one operation, whose time has begun. */
export interface TimedReach extends Omit<Reach, 'signal'> {
  readonly deadline: Deadline
}

/** Begins an operation. One time counts for all its places: the slowest one decides. */
export async function timed(
  reach: Reach,
  ...references: readonly Pick<OciReference, 'place'>[]
): Promise<TimedReach> {
  const { access, signal, onProgress } = ownMembers(reach)
  const places = references.map(({ place }) => place)
  return { access, onProgress, deadline: new Deadline(signal, await timesAt(places, access)) }
}
