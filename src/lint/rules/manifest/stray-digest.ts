import { MANIFEST_FILE } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import { entryKeyFor, isEntry, OWN_TABLES } from '../meant-names.ts'
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
            fix: fixFor(at, value as Readonly<Record<string, unknown>>),
          })
        pending.push({ value: child, at: inner })
      }
    }
  },
}

/** Where the file that a table names belongs. */
function fixFor(at: readonly (string | number)[], table: Readonly<Record<string, unknown>>): string {
  const path = own(table, 'path')
  const name = at.at(-1)
  if (at.length === 1 && name === 'caps' && own(table, 'file') === undefined) return 'Rename it to "file"'
  const around = at.length > 1 && !OUTER.includes(String(at[0])) && probablyMeant(String(at[0]), OUTER)
  if (around) return `Rename [${at[0]}] to [${around}]`
  const meant = typeof path === 'string' ? OWN_TABLES.get(path) : undefined
  if (meant !== undefined && name !== undefined) return `Rename the table to ${meant}`
  if (path === MANIFEST_FILE) return 'Remove the key: the manifest cannot hold its own digest'
  const entry = typeof path === 'string' && isEntry(name) ? entryKeyFor(path) : undefined
  if (entry !== undefined) return `Rename the key ${quoteText(String(name))} to ${entry}`
  const file = typeof path === 'string' ? ` as ${JSON.stringify(path.slice(0, 100))} = ""` : ''
  return `List the file under [artifacts.files]${file}, or rename the key`
}

/** The tables whose tables name files. */
const OUTER = ['agent', 'artifacts']
