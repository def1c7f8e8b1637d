// Widens policy.caps in place: lists get their new entries at the end, and everything else stays as it is written.
import { isDeepStrictEqual } from 'node:util'
import { valueAt } from '../json/pointer.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import type { Policy } from '../model/policy.ts'
import { changeToml, type TomlChange } from '../toml/edit.ts'
import { capabilityFamily } from './families/index.ts'
import { readPolicy } from './read.ts'
import { changedKeys, type PolicyKey, policyLine, policyValue } from './write.ts'

/**
 * @param document policy.caps that its schema accepts
 * @param after what it grants now and the new grants, as `grant` makes it
 * @throws RlpError NOT_EDITABLE if the file's form has no place for an entry; the hint names what to grant by hand
 */
export function editPolicy(document: Document, after: Policy): string {
  const keys = changedKeys(readPolicy(document.value), after)
  if (keys.length === 0) return document.text
  const edits = keys.flatMap(key => editsFor(document, after, key))
  const result = changeToml(document, edits)
  if (isDeepStrictEqual(readPolicy(result.value), after)) return result.text
  throw new RlpError(
    'NOT_EDITABLE',
    `Cannot edit ${document.path}: the result would not grant what was meant`,
    { hint: `Grant it by hand, under [capabilities]: ${keys.join(', ')}` },
  )
}

function editsFor({ value }: Document, after: Policy, key: PolicyKey): TomlChange[] {
  const path = ['capabilities', key]
  const before = valueAt(value, path)
  if (key === 'net' && isTable(before)) {
    const hosts = own(before, 'hosts')
    const added: TomlChange = { path: [...path, 'hosts'], append: addedAt(key, hosts, after.net.hosts) }
    const isFree = after.net.allowHttp && own(before, 'allow_http') !== true
    return isFree ? [{ path: [...path, 'allow_http'], set: true }, added] : [added]
  }
  const granted = policyValue(after, key)
  if (typeof granted === 'boolean') return [{ path, set: granted }]
  if (Array.isArray(granted)) return [{ path, append: addedAt(key, before, granted) }]
  return [{ path, literal: policyLine(after, key).slice(`${key} = `.length) }]
}

/** What is granted after and not before, as it is written: a list may have entries that grant nothing. */
function addedAt(key: PolicyKey, before: unknown, after: readonly string[]): string[] {
  const old = Array.isArray(before)
    ? (before as string[]).flatMap(entry => capabilityFamily(key).entries.granted(entry) ?? [])
    : []
  return after.slice(old.length)
}
