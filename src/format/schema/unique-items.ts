// A list → two members that are the same, in time that grows with the list. ajv compares objects each with each: an answer of a few
// megabytes would hold everything up for hours.

/** ajv takes what there is to say of an error from the function itself. */
type Judge = {
  (isWanted: boolean, list: readonly unknown[]): boolean
  errors?: { keyword: string; params: Twins }[]
}

const judge: Judge = (isWanted, list) => {
  const twins = isWanted ? twinsIn(list) : undefined
  if (twins !== undefined) judge.errors = [{ keyword: 'uniqueItems', params: twins }]
  return twins === undefined
}

/** Takes the place of ajv's own keyword. */
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

/** The first member that was there before: its place, and where it was. */
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

/** Equal data, equal text, in whatever order its keys stand. */
function spelled(value: unknown): string {
  // JSON has no word for what is too large; and 0 is -0.
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`
  const members = Object.keys(value).sort()
  return `{${members.map(name => `${JSON.stringify(name)}:${spelled(Reflect.get(value, name))}`).join(',')}}`
}
