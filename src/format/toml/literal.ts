// Document + lists and tables as TOML text → the file's new text. `editToml` sets single values; this sets values that contain others.
import type { Document, Pointer } from '../../model/document.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import { doubleQuoted } from '../text/double-quoted.ts'
import { applySplices, type Splice } from '../text/splice.ts'
import { editToml, type ReadAgain, type TomlEdit } from './edit.ts'
import { parseToml } from './parse.ts'
import { listLiteral } from './write.ts'

/** A change of one value. `path` is the keys from the root. */
export type LiteralEdit =
  | { readonly path: readonly string[]; readonly literal: string }
  | { readonly path: readonly string[]; readonly append: readonly string[] }
  | TomlEdit

/**
 * Applies all edits at once. A list keeps its form and gets its new items at the end. The caller checks the result.
 * @throws RlpError NOT_EDITABLE as `editToml`, and if a value cannot be written at its place
 */
export function editLiterals(
  document: Document,
  edits: readonly LiteralEdit[],
  read: ReadAgain = parseToml,
): string {
  const places = edits.map((edit): TomlEdit | undefined => {
    if ('set' in edit || 'remove' in edit) return edit
    return valueAt(document, edit.path) === undefined ? { path: edit.path, set: false } : undefined
  })
  const ready = reread(
    document,
    editToml(
      document,
      places.filter(edit => edit !== undefined),
      read,
    ),
    read,
  )
  const splices = edits.flatMap(edit => {
    if ('literal' in edit) return { range: ready.locate(edit.path), text: edit.literal }
    return 'append' in edit ? listSplice(ready, edit.path, edit.append) : []
  })
  const text = applySplices(ready.text, splices)
  if (text !== undefined) return text
  throw refusal(document, 'two of the changes get in each other’s way')
}

function listSplice(document: Document, path: Pointer, added: readonly string[]): Splice {
  const list = valueAt(document, path)
  const old = Array.isArray(list) ? list.length : 0
  if (old === 0) return { range: document.locate(path), text: listLiteral(added) }
  const last = document.locate([...path, old - 1])
  const lead = /\n[ \t]*$/.exec(document.text.slice(0, last.start))?.[0] ?? ' '
  const text = added.map(item => `,${lead}${doubleQuoted(item)}`).join('')
  return { range: { start: last.end, end: last.end }, text }
}

function reread(document: Document, text: string, read: ReadAgain): Document {
  const parsed = read(document.path, new TextEncoder().encode(text))
  if (parsed.ok) return parsed.document
  throw refusal(document, parsed.problem.message)
}

function refusal(document: Document, seen: string): RlpError {
  return new RlpError('NOT_EDITABLE', `Cannot edit ${document.path}: ${seen}`, {
    hint: 'Edit the file by hand',
  })
}

function valueAt(document: Document, path: Pointer): unknown {
  let value: unknown = document.value
  for (const key of path) value = own(value as Readonly<Record<string | number, unknown>> | undefined, key)
  return value
}
