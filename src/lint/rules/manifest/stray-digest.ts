import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

/** Steps with a slash after each. A key may hold a dot, and then it is one step. */
const KNOWN = /^(?:(?:agent\/)?entry_(?:wasm|native)|artifacts\/(?:tools|policy))\/$/
/** `[schemas.with]` is a JSON Schema: a property may have any name there. No verdict depends on `[lint]`. */
const FREE = /^(?:schemas|lint|artifacts\/files)\/$/

export const manifestStrayDigest: BundleRule = {
  id: 'manifest/stray-digest',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'an unknown table holds a path or a digest',
  why: 'It looks as if it protected a file, and no reader looks at it.',
  fix: 'Move the file to [artifacts.files], or give the key another name.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    const root = agent.documents.get(MANIFEST_FILE)?.value
    // Iterative, so that it does not depend on the parser's bound on depth.
    const pending: { value: unknown; at: (string | number)[] }[] = [{ value: root, at: [] }]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { value, at } = next
      if (typeof value !== 'object' || value === null) continue
      const steps = at.map(step => `${String(step).replaceAll('/', '//')}/`).join('')
      const name = at.join('.')
      if (FREE.test(steps)) continue
      for (const [key, child] of Object.entries(value)) {
        const inner = [...at, Array.isArray(value) ? Number(key) : key]
        if ((key === 'path' || key === 'blake3') && !KNOWN.test(steps))
          report({
            file: MANIFEST_FILE,
            place: { pointer: inner, part: 'key' },
            message: `${name === '' ? 'The top level' : `[${name}]`} is not a table that may hold "${key}"`,
            fix: 'List the file under [artifacts.files], or rename the key',
          })
        pending.push({ value: child, at: inner })
      }
    }
  },
}
