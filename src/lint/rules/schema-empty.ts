// A schema → whether everything fits it.

/** Keywords for people only. */
const SILENT = ['$schema', '$id', '$comment', '$anchor', 'title', 'description', 'examples', 'default']

export function isEmpty(schema: unknown): boolean {
  if (schema === true) return true
  return (
    typeof schema === 'object' && schema !== null && Object.keys(schema).every(key => SILENT.includes(key))
  )
}
