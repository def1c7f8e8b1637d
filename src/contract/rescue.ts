// Misspelt keys → declared keys, if only one can be meant. Belongs to a later revision of the contract, so
// callers have to ask for it.
import type { Fields } from './json-text.ts'
import { unwrapped } from './unwrap.ts'

const WRAPPERS = ['properties', 'arguments']
const PATH_KEYS = ['filename', 'file_name', 'filepath', 'file_path', 'file']

/** The object with both wrappers opened and its keys corrected; the same object if nothing was wrong. */
export function rescued(given: Fields, declared: Fields): Fields {
  const fields = unwrapped(given, WRAPPERS, declared, true)
  const names = renames(fields, declared)
  if (names.size === 0) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names.get(name) ?? name, value]))
}

/** Sent key → declared key. */
function renames(fields: Fields, declared: Fields): Map<string, string> {
  const open = Object.keys(declared).filter(name => !Object.hasOwn(fields, name))
  const strange = Object.keys(fields).filter(name => !Object.hasOwn(declared, name))
  const found = new Map<string, string>()
  if (open.length === 0 || strange.length === 0) return found
  const wanted = byLooseName(open)
  const sent = byLooseName(strange)
  for (const [loose, names] of sent) {
    const [name, another] = names
    const [target, rival] = wanted.get(loose) ?? []
    if (name !== undefined && target !== undefined && another === undefined && rival === undefined)
      found.set(name, target)
  }
  const paths = strange.filter(name => PATH_KEYS.includes(name) && !found.has(name))
  const [path] = paths
  if (
    path !== undefined &&
    paths.length === 1 &&
    open.includes('path') &&
    ![...found.values()].includes('path')
  )
    found.set(path, 'path')
  return found
}

function byLooseName(names: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const loose = name.toLowerCase().replaceAll(/[_-]/g, '')
    const group = groups.get(loose)
    if (group === undefined) groups.set(loose, [name])
    else group.push(name)
  }
  return groups
}
