// What is in a folder now, against what was there before and what should be there after.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from './scenarios.ts'

/** Mode and content by path; folders have no content. */
export type Contents = Readonly<Record<string, string>>

export function contentsOf(folder: string): Contents {
  const all: Record<string, string> = {}
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const place = join(folder, path)
    const stat = lstatSync(place)
    const mode = (stat.mode & 0o7777).toString(8)
    all[path] = `${mode} ${stat.isFile() ? plain(readFileSync(place, 'latin1')) : '/'}`
  }
  return all
}

/** Neither when something happened is compared, nor the order of members in what rlp remembers. */
function plain(text: string): string {
  if (text.startsWith('{"version":1,"pinned":')) return text.replace(/"updated":"[^"]*"/, '"updated":""')
  if (text.startsWith('{"version":1,"since":')) return text.replace(/"since":"[^"]*"/, '"since":""')
  if (!/^\{\s*"version": [0-9]+,\s*"agent"/.test(text)) return text
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, inner]) => [key, key === 'at' ? '' : sorted(inner)]),
          )
        : value
  try {
    return JSON.stringify(sorted(JSON.parse(text)))
  } catch {
    // Cut off: then it is compared as it is, and found.
    return text
  }
}

/** Names of temporary files. */
const PASSING =
  /(?:^|\/)(?:\.[^/]*\.rlp-[^/]*|[^/]*\.lock(?:\.[^/]*)?|[^/]*\.rlp-lock(?:\.[^/]*)?|[^/]*\.new)(?:\/|$)|^home\/agents\/\.rlp(?:\/|$)/

/** A file that is neither the old one nor the new one. */
export function stateProblem(
  seen: Contents,
  before: Contents,
  after: Contents,
  { mayBeGone, mayDiffer, byChance }: Pick<Scenario, 'mayBeGone' | 'mayDiffer' | 'byChance'>,
): string | undefined {
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [now, old, next] = [seen[path], before[path], after[path]]
    if (PASSING.test(path) || isFolder(old ?? next)) continue
    if (now === old || now === next) continue
    if (now === undefined && mayBeGone?.test(path)) continue
    if (now === undefined) return `${path} is gone`
    if (byChance?.test(path) && isWholeKey(now, next ?? '')) continue
    if (mayDiffer?.test(path) && isJson(now)) continue
    return `${path} is neither the old nor the new: ${JSON.stringify(now.slice(0, 200))}`
  }
  return undefined
}

/** What is there and was neither before nor should be after. */
export function leftovers(seen: Contents, before: Contents, after: Contents): string[] {
  return Object.keys(seen).filter(path => before[path] === undefined && after[path] === undefined)
}

function isFolder(content: string | undefined): boolean {
  return content?.endsWith(' /') ?? false
}

function isJson(content: string): boolean {
  try {
    JSON.parse(content.slice(content.indexOf(' ') + 1))
    return true
  } catch {
    return false
  }
}

/** A key that opens, and that no other user may read. */
function isWholeKey(content: string, other: string): boolean {
  const [mode = '', pem = ''] = [
    content.slice(0, content.indexOf(' ')),
    content.slice(content.indexOf(' ') + 1),
  ]
  try {
    if (pem.includes('PRIVATE')) createPrivateKey(pem)
    else createPublicKey(pem)
  } catch {
    return false
  }
  return mode === other.slice(0, other.indexOf(' ')) && pem.endsWith('-----\n')
}
