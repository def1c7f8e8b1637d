// Linked schemas → copies that ajv can compile: every reference is a plain pointer, and no keyword is left that ajv reads differently.
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import type { LinkedSchemas, LinkTarget } from './link.ts'
import { isDataOf } from './target.ts'

const NAMES = ['$id', '$anchor', '$dynamicAnchor']

/**
 * Keywords that are already resolved (`$id`, anchors, references), or that only ajv understands: `$async` would make the validator return
 * a promise, which every caller takes for "yes"; `id` and `$recursive…` belong to older drafts.
 */
const DROPPED = [
  ...NAMES,
  '$ref',
  '$dynamicRef',
  '$schema',
  '$vocabulary',
  '$async',
  'id',
  '$recursiveRef',
  '$recursiveAnchor',
]

type Copy = Record<string, unknown>

/** The name under which ajv knows the document at an index. */
export function documentKey(index: number): string {
  return `document:${index}`
}

/** One copy for each linked document, in the same order. */
export function rewrite({ documents, links }: LinkedSchemas): JsonSchema[] {
  const copies = documents.map(({ schema }) => structuredClone(schema) as JsonSchema)
  // All are found before any is changed: pointers may lead through a dropped keyword.
  const subschemas = documents.flatMap(({ subschemas }, index) =>
    subschemas.map(({ pointer }) => ({ copy: copyAt(copies[index], pointer), pointer })),
  )
  const holders = links.map(({ document, found }) => copyAt(copies[document], found.pointer.slice(0, -1)))
  for (const { copy, pointer } of subschemas) clean(copy, pointer)
  const schemas = new Set<unknown>(subschemas.map(({ copy }) => copy))
  for (const copy of copies) removeNames(copy, schemas)
  for (const [index, { document, target }] of links.entries()) addRef(holders[index], document, target)
  for (const [index, copy] of copies.entries()) {
    if (typeof copy === 'object') Object.assign(copy, { $id: documentKey(index) })
  }
  return copies
}

function clean(copy: Copy | undefined, pointer: Pointer): void {
  if (copy === undefined) return
  for (const keyword of DROPPED) delete copy[keyword]
  if (pointer.some(step => Object.hasOwn(Object.prototype, step))) hideValues(copy)
  // ajv refuses to compile nullable anywhere else.
  if (copy['nullable'] !== true || copy['type'] === undefined) delete copy['nullable']
}

/** Below a property named "constructor" ajv takes values for schemas, and their members for names. It does not look into lists. */
function hideValues(copy: Copy): void {
  delete copy['default']
  if (typeof copy['const'] !== 'object') return
  const hidden = { enum: [copy['const']] }
  delete copy['const']
  copy['allOf'] = [...((copy['allOf'] as unknown[] | undefined) ?? []), hidden]
}

/** ajv looks for names of schemas below unknown keywords too, and fails on names that are invalid or appear twice. */
function removeNames(root: unknown, schemas: ReadonlySet<unknown>): void {
  const open = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const here = next as Copy
    for (const name of NAMES) if (typeof own(here, name) === 'string') delete here[name]
    for (const [key, value] of Object.entries(here)) if (!isDataOf(schemas, here, key)) open.push(value)
  }
}

/** An entry of the runtime's registry is not known here: any value may fit. */
function addRef(holder: Copy | undefined, document: number, target: LinkTarget | undefined): void {
  if (holder === undefined || target === undefined) return
  const pointer = target.pointer.map(step => `/${token(String(step))}`).join('')
  // ajv finds a document under its own name only if it was added before.
  const base = target.document === document ? '' : documentKey(target.document)
  const $ref = pointer === '' && base !== '' ? base : `${base}#${pointer}`
  // $ref and $dynamicRef may be in one schema.
  if (holder['$ref'] === undefined) holder['$ref'] = $ref
  else holder['allOf'] = [...((holder['allOf'] as unknown[] | undefined) ?? []), { $ref }]
}

function token(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function copyAt(root: unknown, pointer: Pointer): Copy | undefined {
  let here = root
  for (const step of pointer) here = own(here as Copy, step)
  return typeof here === 'object' && here !== null ? (here as Copy) : undefined
}
