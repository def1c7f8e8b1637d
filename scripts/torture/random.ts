// Words → a stream of numbers that is the same in every run and on every machine: the only source of chance in the torture.

/** xorshift128 (Marsaglia 2003): small, fast, and good enough to choose what to break. */
export class Random {
  #a: number
  #b: number
  #c: number
  #d: number

  /** @param words what the stream belongs to: the seed, the campaign, the case. Other words, another stream. */
  constructor(...words: readonly (string | number)[]) {
    // FNV-1a, then a mixer, so that neighbouring cases have nothing in common.
    let hash = 0x811c9dc5
    for (const character of words.join('\0')) {
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
    }
    const part = () => {
      hash = (hash + 0x9e3779b9) | 0
      let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
      return mixed ^ (mixed >>> 16)
    }
    this.#a = part()
    this.#b = part()
    this.#c = part()
    // All four zero would stay zero.
    this.#d = part() | 1
  }

  /** 32 bits. */
  next(): number {
    let t = this.#d
    this.#d = this.#c
    this.#c = this.#b
    this.#b = this.#a
    t ^= t << 11
    t ^= t >>> 8
    this.#a = t ^ this.#a ^ (this.#a >>> 19)
    return this.#a >>> 0
  }

  /** A whole number from 0 up to `limit`, which is not reached. */
  below(limit: number): number {
    return limit < 1 ? 0 : this.next() % limit
  }

  /** Both ends are reached. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from')
    return list[this.below(list.length)] as T
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)))
  }

  /** A small number mostly, a large one sometimes. */
  size(most: number): number {
    return this.below(this.pick([2, 8, 64, most]) + 1)
  }

  shuffle<T>(list: readonly T[]): T[] {
    const all = [...list]
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      ;[all[i], all[j]] = [all[j] as T, all[i] as T]
    }
    return all
  }
}
