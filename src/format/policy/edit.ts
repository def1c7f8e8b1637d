// policy.caps + a wider policy → the file's new text: lists get their new entries at the end, everything else stays as written.
import { isDeepStrictEqual } from 'node:util'
import type { Document, Pointer } from '../../model/document.ts'
import { RlpError } from '../../model/error.ts'
import { isTable } from '../../model/own.ts'
import type { Policy } from '../../model/policy.ts'
import { capabilityFamily } from '../capability/families/index.ts'
import { valueAt } from '../pointer.ts'
import { doubleQuoted } from '../text/double-quoted.ts'
import { applySplices, type Splice } from '../text/splice.ts'
import { editToml } from '../toml/edit.ts'
import { parseToml } from '../toml/parse.ts'
import { readPolicy } from './read.ts'
import { changedKeys, type PolicyKey, policyLine, policyValue } from './write.ts'

type Table = { readonly [key: string]: unknown }

/**
 * @param document policy.caps that its schema accepts
 * @param after what it grants now and the new grants, as `grant` makes it
 * @throws RlpError NOT_EDITABLE if the file's form has no place for an entry; the hint names what to grant by hand
 */
export function editPolicy(document: Document, after: Policy): string {
  const keys = changedKeys(readPolicy(document.value), after)
  if (keys.length === 0) return document.text
  const refuse = (seen: string) =>
    new RlpError('NOT_EDITABLE', `Cannot edit ${document.path}: ${seen}`, {
      hint: `Grant it by hand, under [capabilities]: ${keys.join(', ')}`,
    })
  const ready = withPlaces(document, after, keys, refuse)
  const splices = keys.flatMap(key => spliceFor(ready, after, key) ?? [])
  const text = applySplices(ready.text, splices)
  if (text === undefined) throw refuse('two of the changes get in each other’s way')
  const result = reread(document.path, text)
  if (result === undefined || !isDeepStrictEqual(readPolicy(result.value), after))
    throw refuse('the result would not grant what was meant')
  return text
}

/** Adds an empty value at each missing key; the TOML editor knows how to add a key to a table. */
function withPlaces(
  document: Document,
  after: Policy,
  keys: readonly PolicyKey[],
  refuse: (seen: string) => RlpError,
): Document {
  const edits = keys.flatMap(key => {
    const path = ['capabilities', key]
    const net = key === 'net' ? tableAt(document, path) : undefined
    if (net === undefined) {
      const isSwitch = policyValue(after, key) === true
      return isSwitch || !has(document, path) ? [{ path, set: isSwitch }] : []
    }
    return [
      ...(after.net.allowHttp && net['allow_http'] !== true
        ? [{ path: [...path, 'allow_http'], set: true }]
        : []),
      ...('hosts' in net ? [] : [{ path: [...path, 'hosts'], set: false }]),
    ]
  })
  if (edits.length === 0) return document
  const ready = reread(document.path, editToml(document, edits))
  if (ready === undefined) throw refuse('the result could not be read')
  return ready
}

/** Undefined if the value is already there. */
function spliceFor(document: Document, after: Policy, key: PolicyKey): Splice | undefined {
  const path = ['capabilities', key]
  const net = key === 'net' ? tableAt(document, path) : undefined
  if (net !== undefined)
    return listSplice(document, [...path, 'hosts'], net['hosts'], addedAt(key, net['hosts'], after.net.hosts))
  const value = policyValue(after, key)
  if (typeof value === 'boolean') return undefined
  if (Array.isArray(value)) {
    const before = valueAt(document.value, path)
    return listSplice(document, path, before, addedAt(key, before, value))
  }
  return { range: document.locate(path), text: policyLine(after, key).slice(`${key} = `.length) }
}

/** What is granted after and not before, as it is written: a list may have entries that grant nothing. */
function addedAt(key: PolicyKey, before: unknown, after: readonly string[]): string[] {
  const old = Array.isArray(before)
    ? (before as string[]).flatMap(entry => capabilityFamily(key).entries.granted(entry) ?? [])
    : []
  return after.slice(old.length).map(doubleQuoted)
}

function listSplice(document: Document, path: Pointer, before: unknown, added: readonly string[]): Splice {
  const old = Array.isArray(before) ? before.length : 0
  if (old === 0) return { range: document.locate(path), text: `[${added.join(', ')}]` }
  const last = document.locate([...path, old - 1])
  const lead = /\n[ \t]*$/.exec(document.text.slice(0, last.start))?.[0] ?? ' '
  return { range: { start: last.end, end: last.end }, text: added.map(entry => `,${lead}${entry}`).join('') }
}

function reread(path: string, text: string): Document | undefined {
  const parsed = parseToml(path, new TextEncoder().encode(text))
  return parsed.ok ? parsed.document : undefined
}

function has(document: Document, path: readonly string[]): boolean {
  return valueAt(document.value, path) !== undefined
}

function tableAt(document: Document, path: readonly string[]): Table | undefined {
  const value = valueAt(document.value, path)
  return isTable(value) ? (value as Table) : undefined
}
