// A list → two equal members, in time that grows with the list. ajv compares every pair of objects, which would take hours for an answer
// of a few megabytes.

/** ajv reads the error from the function itself. */
type Judge = {
  (isWanted: boolean, list: readonly unknown[]): boolean
  errors?: { keyword: string; params: Twins }[]
}

const judge: Judge = (isWanted, list) => {
  const twins = isWanted ? twinsIn(list) : undefined
  if (twins !== undefined) judge.errors = [{ keyword: 'uniqueItems', params: twins }]
  return twins === undefined
}

/** Replaces ajv's own keyword. */
export const UNIQUE_ITEMS = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: judge,
} as const

interface Twins {
  readonly i: number
  readonly j: number
}

/** Each member is compared with all after it. */
const FEW = 16

/** Whether two members are equal. To find out of a few texts and numbers makes nothing. */
export function hasTwins(list: readonly unknown[]): boolean {
  if (list.length > FEW) return twinsIn(list) !== undefined
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    if (typeof item === 'object' && item !== null) return twinsIn(list) !== undefined
    if (list.includes(item, index + 1)) return true
  }
  return false
}

/** The first repeated member: its index, and that of its first occurrence. */
export function twinsIn(list: readonly unknown[]): Twins | undefined {
  const scalars = new Map<unknown, number>()
  const others = new Map<string, number>()
  for (const [i, item] of list.entries()) {
    const isScalar = typeof item !== 'object' || item === null
    const j = isScalar ? scalars.get(item) : others.get(spelled(item))
    if (j !== undefined) return { i, j }
    if (isScalar) scalars.set(item, i)
    else others.set(spelled(item), i)
  }
  return undefined
}

/** Equal data give equal text, whatever the order of keys. */
function spelled(value: unknown): string {
  // JSON cannot write infinity; and 0 equals -0.
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`
  const members = Object.keys(value).sort()
  return `{${members.map(name => `${JSON.stringify(name)}:${spelled(Reflect.get(value, name))}`).join(',')}}`
}
