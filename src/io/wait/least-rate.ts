// Bytes as they come and go → whether they are fewer than the least rate over a time that moves along.

/** So often is the rate looked at in that time. */
const LOOKS = 6

export class LeastRate {
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
