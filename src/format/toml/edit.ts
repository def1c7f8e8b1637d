// Document + edits → the file's new text: only the set values and the added or removed lines differ.
import type { Document, Parsed } from '../../model/document.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { isSameData } from '../json/same-data.ts'
import type { TomlNode, TomlTable } from './node.ts'
import { parseToml, readTomlTree } from './parse.ts'
import { TomlPlan } from './plan.ts'
import type { TomlSettable } from './write.ts'

/** `path` is the keys from the root; elements of arrays cannot be reached. Of two edits with one path the later counts. */
export type TomlEdit =
  | { readonly path: readonly string[]; readonly set: TomlSettable }
  | { readonly path: readonly string[]; readonly remove: true }

type Values = { [key: string]: unknown }

/** Reads bytes as the document was read. A trust policy may be larger than other texts. */
export type ReadAgain = (path: string, bytes: Uint8Array) => Parsed

/**
 * The text of a TOML document with all edits applied. Comments, order, quoting, line ends and blank lines stay. A missing key is added to
 * its table in the way that the table is written, a missing table behind the tables that share most of its name. Removing a missing key
 * changes nothing; removing a table's last key leaves its header. The result is read again and compared.
 * @throws RlpError NOT_EDITABLE if an edit would set a table, or remove one that has more than one header, leads through a value or an
 * array, contradicts another edit, or if the result would not read back as expected. The hint proposes no text: it could be as wrong as the edit
 */
export function editToml(
  document: Document,
  edits: readonly TomlEdit[],
  read: ReadAgain = parseToml,
): string {
  const { path: file, text } = document
  const wanted = [...new Map(edits.map(edit => [JSON.stringify(edit.path), edit])).values()]
  const refuse = (seen: string, fix = 'Correct that by hand') =>
    new RlpError('NOT_EDITABLE', `Cannot edit ${file}: ${seen}`, {
      hint: `${fix}, then run the command again`,
    })

  const tree = readTomlTree(text)
  if ('code' in tree) throw refuse(tree.message)
  const plan = new TomlPlan(text, tree)
  for (const edit of wanted) {
    const obstacle = 'set' in edit ? plan.set(edit.path, edit.set) : plan.remove(edit.path)
    if (obstacle !== undefined) throw refuse(obstacle)
  }
  const result = plan.apply()
  if (result === undefined) throw refuse('two of the edits contradict each other')
  const parsed = read(file, new TextEncoder().encode(result))
  if (!parsed.ok)
    throw refuse(`the result could not be read (${parsed.problem.message})`, 'Shorten the file or the value')
  const expected = structuredClone(document.value) as Values
  for (const edit of wanted) if ('remove' in edit) removeValue(expected, tree.root, edit.path)
  for (const edit of wanted) if ('set' in edit) setValue(expected, edit.path, edit.set)
  if (!isSameData(parsed.document.value, expected)) throw refuse('the result would hold other values')
  return result
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
