import { MANIFEST_KEYS } from '../../../agent/manifest-keys.ts'
import { valueAt } from '../../../json/pointer.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import { isTable, own } from '../../../model/own.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import { isEntry } from '../meant-names.ts'
import type { Rule } from '../rule.ts'

export const manifestUnknownKey: Rule = {
  id: 'manifest/unknown-key',
  severity: 'warning',
  scope: 'source',
  summary: 'a table or key of the manifest that no reader knows',
  why: 'Readers keep it and look at nothing in it: "verson" gives no version, and tools below [tools] are no tools.',
  fix: 'Write the key that was meant; begin a key of your own with "x-".',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    const root = agent.documents.get(MANIFEST_FILE)?.value
    let compared = 0
    for (const [table, known] of MANIFEST_KEYS) {
      const at = table === '' ? [] : table.split('.')
      const value = valueAt(root, at)
      if (!isTable(value)) continue
      for (const [key, content] of Object.entries(value)) {
        if (known.includes(key) || key.startsWith('x-')) continue
        const isCompared = ++compared <= MOST_COMPARED
        const list = `known ${table === '' ? 'at the top level' : `in [${table}]`}: ${known.join(', ')}`
        report({
          file: MANIFEST_FILE,
          place: { pointer: [...at, key], part: 'key' },
          message: `No reader looks at the ${isTable(content) ? 'table' : 'key'} ${quoteText(key)}${table === '' ? '' : ` in [${table}]`}`,
          fix: `${(isCompared && meaningOf(key, table, value, root)) || 'Remove it'}, or begin its name with "x-"; ${list}`,
        })
      }
    }
  },
}

/** The most unknown keys that are compared with the known ones: a hostile file can have very many. */
const MOST_COMPARED = 200

/** Where a key may have been meant to be. */
const OTHERS = ['agent', 'artifacts', 'ports', 'caps']

/** Undefined if it resembles no key. What is there already was not meant. */
function meaningOf(key: string, table: string, value: object, root: unknown): string | undefined {
  const missing = (MANIFEST_KEYS.get(table) ?? []).filter(known => !Object.hasOwn(value, known))
  const near = probablyMeant(key, missing)
  if (near !== undefined) return `Did you mean ${near}? Write that`
  if (missing.includes('blake3') && /^(?:digest|hash|sum|checksum|blake3sum|sha256)$/.test(key))
    return 'Did you mean blake3? Write that'
  if (table === 'caps' && key === 'path' && missing.includes('file')) return 'Did you mean file? Write that'
  if (table === 'agent' && isEntry(key)) return 'Name the entry as entry_wasm or entry_native'
  const twin = isTable(own(value as Readonly<Record<string, unknown>>, key))
    ? probablyMeant(key, MANIFEST_KEYS.get(table) ?? [])
    : undefined
  if (twin !== undefined) return `Did you mean ${twin}? Move what is in it there`
  for (const other of OTHERS) {
    const known = other === table ? [] : (MANIFEST_KEYS.get(other) ?? [])
    const meant = known.includes(key) ? key : probablyMeant(key, known)
    if (meant === undefined) continue
    const there = valueAt(root, [other])
    const isThere = isTable(there) && Object.hasOwn(there, meant)
    return `Did you mean ${meant} in [${other}]? ${isThere ? 'That exists already, so remove this' : 'Write that'}`
  }
  return undefined
}
