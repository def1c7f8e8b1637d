import { MANIFEST_FILE } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import { entryKeyFor, isEntry, OWN_TABLES } from '../meant-names.ts'
import type { BundleRule, ReportProblem } from '../rule.ts'

/** A table or list of the manifest, and what holds it. A key may hold a dot, and then it is one step. */
interface Spot {
  readonly value: object
  readonly step: string | number
  /** Undefined for the root. */
  readonly above: Spot | undefined
}

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
    if (typeof root !== 'object' || root === null) return
    // Iterative, so that it does not depend on the parser's bound on depth.
    const pending: Spot[] = [{ value: root, step: '', above: undefined }]
    for (let spot = pending.pop(); spot !== undefined; spot = pending.pop()) {
      const value = spot.value as Readonly<Record<string, unknown>>
      if (isFree(spot)) continue
      for (const key in value) {
        if (!Object.hasOwn(value, key)) continue
        if ((key === 'path' || key === 'blake3') && !isKnown(spot)) reportStray(spot, key, report)
        const child = own(value, key)
        if (typeof child === 'object' && child !== null)
          pending.push({ value: child, step: Array.isArray(value) ? Number(key) : key, above: spot })
      }
    }
  },
}

/** `[schemas.with]` is a JSON Schema: a property may have any name there. No verdict depends on `[lint]`. */
function isFree({ step, above }: Spot): boolean {
  if (above === undefined) return false
  if (above.above === undefined) return step === 'schemas' || step === 'lint'
  return step === 'files' && isTop(above, 'artifacts')
}

/** Whether it names a file that readers look at. */
function isKnown({ step, above }: Spot): boolean {
  if (above === undefined) return false
  if (step === 'entry_wasm' || step === 'entry_native')
    return above.above === undefined || isTop(above, 'agent')
  return (step === 'tools' || step === 'policy') && isTop(above, 'artifacts')
}

/** Whether it is the table of this name at the top level. */
function isTop({ step, above }: Spot, name: string): boolean {
  return step === name && above !== undefined && above.above === undefined
}

function reportStray(spot: Spot, key: string, report: ReportProblem): void {
  const at = stepsTo(spot)
  const name = at.join('.')
  report({
    file: MANIFEST_FILE,
    place: { pointer: [...at, Array.isArray(spot.value) ? Number(key) : key], part: 'key' },
    message: `${name === '' ? 'The top level' : `[${name}]`} is not a table that may hold "${key}"`,
    fix: fixFor(at, spot.value as Readonly<Record<string, unknown>>),
  })
}

function stepsTo(spot: Spot): (string | number)[] {
  const steps: (string | number)[] = []
  for (let at = spot; at.above !== undefined; at = at.above) steps.unshift(at.step)
  return steps
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
