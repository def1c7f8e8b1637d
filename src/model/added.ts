/**
 * The list with one more entry; made with it if there is none yet. Most of these lists hold one entry or are never needed, and for an entry
 * that is pushed into an empty list an engine reserves room for seventeen.
 */
export function added<T>(list: T[] | undefined, entry: T): T[] {
  if (list === undefined) return [entry]
  list.push(entry)
  return list
}
