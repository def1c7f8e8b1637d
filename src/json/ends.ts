// Where the large arrays and objects of a JSON text end. The pass that judges the text records them, so that a search for a place can
// skip what is between.

/** Shorter ones are not recorded: reading them is faster. In UTF-16 code units. */
const LARGE = 256

export class ContainerEnds {
  /** Ascending, as they are opened, with the end of each. */
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** Those that are still open. */
  readonly #open: number[] = []

  open(start: number): void {
    this.#open.push(this.#starts.length)
    this.#starts.push(start)
    this.#ends.push(start)
  }

  /** @param end the offset after the bracket that closes the innermost open one */
  close(end: number): void {
    const at = this.#open.pop() ?? 0
    if (end - (this.#starts[at] ?? 0) >= LARGE) this.#ends[at] = end
    else {
      // A small one contains no large one, so it is the last entry.
      this.#starts.pop()
      this.#ends.pop()
    }
  }

  /** The offset after the array or object that begins at `start`; undefined for a small one. */
  endOf(start: number): number | undefined {
    let [low, high] = [0, this.#starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) < start) low = middle + 1
      else high = middle
    }
    return this.#starts[low] === start ? this.#ends[low] : undefined
  }
}
