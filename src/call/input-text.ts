// `{{input.<path>}}` and the arguments of a call → the text of the value. A value without a plain text is refused.

/** `field` is the path in the contract's form, `problem` the rest of a sentence in the preflight's words. */
type InputText = { readonly field: string } & (
  | { readonly text: string; readonly isNumber: boolean }
  | { readonly problem: string }
)

/**
 * Texts unchanged, numbers and booleans as in JSON. Only own members are followed, `__proto__` is a name like any other, and lists are
 * followed by index only.
 */
export function inputText(input: unknown, path: readonly string[]): InputText {
  let value = input
  let field = ''
  for (const name of path) {
    const inList = Array.isArray(value)
    field += inList && isIndex(name) ? `[${name}]` : `${field === '' ? '' : '.'}${name}`
    value = memberOf(value, name)
    // Null counts as missing, as in the preflight.
    if (value === undefined || value === null)
      return { field, problem: `Missing required property: ${field}` }
  }
  if (typeof value === 'string') return { field, text: value, isNumber: false }
  if (typeof value === 'number' || typeof value === 'boolean')
    return { field, text: JSON.stringify(value), isNumber: typeof value === 'number' }
  return { field, problem: `Property '${field}' must be a string, a number or a boolean` }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Array.isArray(value) && !isIndex(name) ? undefined : Reflect.get(value, name)
}

function isIndex(name: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(name)
}
