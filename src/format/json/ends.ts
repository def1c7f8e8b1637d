// Where the large arrays and objects of a JSON text end: noted by the pass that judges the text, so that whoever looks for a place in it
// need not read what lies between.

/** Of shorter ones nothing is kept: they are read faster than found. In UTF-16 code units. */
const LARGE = 256

export class ContainerEnds {
  /** Ascending, as they are opened; for each its end. */
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** Which of them are still open. */
  readonly #open: number[] = []

  open(start: number): void {
    this.#open.push(this.#starts.length)
    this.#starts.push(start)
    this.#ends.push(start)
  }

  /** @param end the offset after the bracket that closes what was opened last and is still open */
  close(end: number): void {
    const at = this.#open.pop() ?? 0
    if (end - (this.#starts[at] ?? 0) >= LARGE) this.#ends[at] = end
    else {
      // What is small holds nothing large, so it is the last that was noted.
      this.#starts.pop()
      this.#ends.pop()
    }
  }

  /** The offset after the array or object that begins at `start`; undefined for one that is small. */
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
