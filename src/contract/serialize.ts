// A JSON value → compact JSON with the keys of every object in code-unit order.

type Open =
  | { readonly source: readonly unknown[]; readonly end: ']'; next: number }
  | { readonly source: object; readonly keys: readonly string[]; readonly end: '}'; next: number }

/**
 * Compact JSON, keys sorted by code unit at every level, slashes not escaped. Members without a JSON form are
 * left out (null in arrays), as in `JSON.stringify`, and so are bytes and streams; `toJSON` is not called.
 *
 * Iterative, because a tool's result can be nested to any depth.
 * @throws TypeError for a bigint, and for an object that contains itself
 */
export function serialize(value: unknown): string {
  const parts: string[] = []
  const open: Open[] = []
  const ancestors = new Set<unknown>()

  const write = (item: unknown): void => {
    if (typeof item !== 'object' || item === null) {
      parts.push(scalar(item))
      return
    }
    if (ancestors.has(item)) throw new TypeError('Cannot write JSON: the value holds itself')
    ancestors.add(item)
    if (Array.isArray(item) && isFlat(item)) {
      parts.push(JSON.stringify(item))
      ancestors.delete(item)
    } else if (Array.isArray(item)) {
      parts.push('[')
      open.push({ source: item, end: ']', next: 0 })
    } else {
      parts.push('{')
      open.push({ source: item, keys: writableKeys(item), end: '}', next: 0 })
    }
  }

  write(value)
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const length = top.end === ']' ? top.source.length : top.keys.length
    if (top.next === length) {
      parts.push(top.end)
      ancestors.delete(top.source)
      open.pop()
      continue
    }
    if (top.next > 0) parts.push(',')
    const index = top.next++
    if (top.end === ']') {
      write(top.source[index])
    } else {
      const key = top.keys[index] ?? ''
      parts.push(JSON.stringify(key), ':')
      write(Reflect.get(top.source, key))
    }
  }
  return parts.join('')
}

/**
 * Whether there are no keys to sort. Then the engine writes a million numbers in the time that this loop
 * needs for some thousand.
 */
function isFlat(items: readonly unknown[]): boolean {
  return (
    !('toJSON' in items) &&
    items.every(item => (typeof item !== 'object' || item === null) && typeof item !== 'bigint')
  )
}

function scalar(value: unknown): string {
  if (typeof value === 'bigint') throw new TypeError('Cannot write JSON: bigint has no JSON form')
  return JSON.stringify(value) ?? 'null'
}

function writableKeys(source: object): string[] {
  return Object.entries(source)
    .filter(([, value]) => hasForm(value))
    .map(([key]) => key)
    .sort()
}

function hasForm(value: unknown): boolean {
  if (typeof value !== 'object') return !['undefined', 'function', 'symbol'].includes(typeof value)
  const isBytes = ArrayBuffer.isView(value) || value instanceof ArrayBuffer
  return value === null || (!isBytes && !(Symbol.asyncIterator in value))
}
