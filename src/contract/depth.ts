// How deep a JSON value is nested.

/** 0 for a scalar, 1 for an empty array or object, and so on. Iterative, because the depth is unbounded. */
export function depthOf(value: unknown): number {
  let depth = 0
  let level: unknown[] = [value]
  for (;;) {
    const inner: unknown[] = []
    let isNested = false
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      isNested = true
      for (const part of Object.values(item)) inner.push(part)
    }
    if (!isNested) return depth
    depth++
    level = inner
  }
}
