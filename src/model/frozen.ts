// What is handed out → the same, unchangeable down to its leaves. What was verified must not be changed by one holder before another uses it.

/**
 * Freezes a value and everything in it. What is frozen already is taken to be so to its leaves, because nothing else in this program freezes.
 *
 * @throws TypeError for what `Object.freeze` leaves open: a Map or Set (hand out a {@link FixedMap}), bytes (hand out copies), a Date
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (isOpen(value)) throw new TypeError(`a ${value.constructor.name} cannot be frozen`)
  Object.freeze(value)
  // Neither loop makes a list or an iterator: what is handed out has tens of thousands of members.
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) frozen(value[index])
  else for (const name in value) if (Object.hasOwn(value, name)) frozen(value[name])
  return value
}

function isOpen(value: object): boolean {
  // Nearly all are plain, and a document has ten thousand.
  const kind: unknown = Object.getPrototypeOf(value)
  if (kind === Object.prototype || kind === Array.prototype) return false
  return value instanceof Map || value instanceof Set || value instanceof Date || ArrayBuffer.isView(value)
}

/** A map that cannot be changed, nor what is in it: `Object.freeze` leaves a Map open. */
export class FixedMap<K, V> implements ReadonlyMap<K, V> {
  readonly #map: ReadonlyMap<K, V>

  constructor(entries: Iterable<readonly [K, V]>) {
    this.#map = new Map(entries)
    for (const value of this.#map.values()) frozen(value)
    Object.freeze(this)
  }
  get size(): number {
    return this.#map.size
  }
  get(key: K): V | undefined {
    return this.#map.get(key)
  }
  has(key: K): boolean {
    return this.#map.has(key)
  }
  forEach(each: (value: V, key: K, map: ReadonlyMap<K, V>) => void, self?: unknown): void {
    for (const [key, value] of this.#map) each.call(self, value, key, this)
  }
  entries(): MapIterator<[K, V]> {
    return this.#map.entries()
  }
  keys(): MapIterator<K> {
    return this.#map.keys()
  }
  values(): MapIterator<V> {
    return this.#map.values()
  }
  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#map.entries()
  }
}
