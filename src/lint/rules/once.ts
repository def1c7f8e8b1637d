// Remembers what was found out about an agent or a part of it, so that a rule that is called for each tool looks up and does not search.

/** @param find called once for each object; its answer is kept as long as the object is */
export function once<K extends object, T extends object>(find: (about: K) => T): (about: K) => T {
  const known = new WeakMap<K, T>()
  return about => {
    const before = known.get(about)
    if (before !== undefined) return before
    const found = find(about)
    known.set(about, found)
    return found
  }
}
