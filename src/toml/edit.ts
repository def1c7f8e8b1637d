// Edits a TOML text in place: only the changed values and the added or removed lines differ.

import { isSameData } from '../json/same-data.ts'
import type { Document, Parsed, Pointer } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import type { TomlNode, TomlTable, TomlTree } from './node.ts'
import { parseToml, readTomlTree } from './parse.ts'
import { TomlPlan, type TomlValueChange } from './plan.ts'
import type { TomlEntries, TomlSettable } from './write.ts'

/** `path` is the keys from the root; elements of arrays cannot be reached. Of two edits with one path the later counts. */
export type TomlEdit =
  | { readonly path: readonly string[]; readonly set: TomlSettable }
  | { readonly path: readonly string[]; readonly remove: true }

/**
 * A change that may also write lists and tables. A number in the path to a value leads to a table in a list. `tables` are added to a list;
 * a table that is alone becomes its first.
 */
export type TomlChange =
  | TomlEdit
  | ({ readonly path: Pointer } & TomlValueChange)
  | { readonly path: readonly string[]; readonly tables: readonly TomlEntries[] }

type Values = { [key: string]: unknown }

/** Reads bytes as the document was read. A trust policy may be larger than other texts. */
type ReadAgain = (path: string, bytes: Uint8Array) => Parsed

/**
 * The text of a TOML document with all edits applied. Comments, order, quoting, line ends and blank lines stay. A missing key is added to
 * its table in the way that the table is written, a missing table behind the tables that share most of its name. Removing a missing key
 * changes nothing; removing a table's last key leaves its header. The result is read again and compared.
 * @throws RlpError NOT_EDITABLE if an edit would set a table, or remove one that has more than one header, leads through a value or an
 * array, contradicts another edit, or if the result would not read back as expected. The hint proposes no text: it could be as wrong as the edit
 */
export function editToml(document: Document, edits: readonly TomlEdit[]): string {
  const wanted = [...new Map(edits.map(edit => [JSON.stringify(edit.path), edit])).values()]
  const tree = treeOf(document)
  const result = changed(document, tree, wanted, parseToml)
  const expected = structuredClone(document.value) as Values
  for (const edit of wanted) if ('remove' in edit) removeValue(expected, tree.root, edit.path)
  for (const edit of wanted) if ('set' in edit) setValue(expected, edit.path, edit.set)
  if (!isSameData(result.value, expected)) throw refusal(document, 'the result would hold other values')
  return result.text
}

/**
 * Returns the document with all changes applied. No two of them may be of the same place. The caller checks the values of the result.
 * @throws RlpError NOT_EDITABLE as {@link editToml}, and if a list is written in a way that cannot be extended
 */
export function changeToml(
  document: Document,
  changes: readonly TomlChange[],
  read: ReadAgain = parseToml,
): Document {
  return changed(document, treeOf(document), changes, read)
}

function changed(
  document: Document,
  tree: TomlTree,
  changes: readonly TomlChange[],
  read: ReadAgain,
): Document {
  const plan = new TomlPlan(document.text, tree)
  for (const change of changes) {
    const obstacle =
      'remove' in change
        ? plan.remove(change.path)
        : 'tables' in change
          ? plan.addTables(change.path, change.tables)
          : plan.set(change.path, change)
    if (obstacle !== undefined) throw refusal(document, obstacle)
  }
  const result = plan.apply()
  if (result === undefined) throw refusal(document, 'two of the edits contradict each other')
  const parsed = read(document.path, new TextEncoder().encode(result))
  if (parsed.ok) return parsed.document
  const seen = `the result could not be read (${parsed.problem.message})`
  throw refusal(document, seen, 'Shorten the file or the value')
}

function treeOf(document: Document): TomlTree {
  const tree = readTomlTree(document.text)
  if ('code' in tree) throw refusal(document, tree.message)
  return tree
}

function refusal({ path }: Document, seen: string, fix = 'Correct that by hand'): RlpError {
  return new RlpError('NOT_EDITABLE', `Cannot edit ${path}: ${seen}`, {
    hint: `${fix}, then run the command again`,
  })
}

function setValue(root: Values, path: readonly string[], value: TomlSettable): void {
  let table = root
  for (const key of path.slice(0, -1)) {
    const next = own(table, key)
    const inner = isTable(next) ? next : {}
    table[key] = inner
    table = inner
  }
  for (const key of path.slice(-1)) table[key] = typeof value === 'number' ? value + 0 : value
}

/** A table made only by dotted keys or longer headers disappears with the last of them; every other table stays, empty. */
function removeValue(root: Values, tree: TomlTable, path: readonly string[]): void {
  const way: { readonly values: Values; readonly key: string; readonly form: string | undefined }[] = []
  let values: unknown = root
  let table: TomlTable | undefined = tree
  for (const key of path) {
    if (!isTable(values) || !Object.hasOwn(values, key)) return
    way.push({ values, key, form: table?.form })
    values = own(values, key)
    const node: TomlNode | undefined = table?.entries.get(key)?.node
    table = node?.kind === 'table' ? node : undefined
  }
  for (const { values: holder, key, form } of way.reverse()) {
    delete holder[key]
    if ((form !== 'dotted' && form !== 'implied') || Object.keys(holder).length > 0) return
  }
}
