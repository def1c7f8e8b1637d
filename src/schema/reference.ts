// Where a `$ref` leads: the one place that resolves references. Nothing is fetched, and nothing but a path, an id or a pointer names a schema.

import { stepsOf } from '../json/pointer.ts'
import { TOOLS_FILE } from '../model/agent.ts'
import type { Pointer } from '../model/document.ts'
import { own } from '../model/own.ts'
import type { JsonSchema, SchemaRefs } from '../model/tools.ts'
import { pathProblem } from '../text/path.ts'
import { percentDecoded } from '../text/percent.ts'
import { isSchemaObject, type SchemaObject, type Subschema, subschemaAt } from './walk.ts'

/** What a reference names. `fragment` begins with `#`; `#` alone is the whole schema. */
type Ref = { readonly kind: 'local'; readonly fragment: string } | RefElsewhere | NoTarget

/** A reference to another document: by its id or its path. */
type RefElsewhere = RefById | { readonly kind: 'file'; readonly path: string; readonly fragment: string }

interface RefById {
  readonly kind: 'registry'
  readonly id: string
  readonly fragment: string
}

/** Why a reference has no target: the end of a sentence about it, and the edit. */
interface NoTarget {
  readonly is: 'remote' | 'invalid' | 'missing'
  readonly why: string
  readonly fix: string
  /** The file that is not there. */
  readonly path?: string
}

/** A schema of the bundle, as the caller knows its documents. */
interface Hit<D> extends Subschema {
  readonly is: 'found'
  readonly where: D
}

export type RefTarget<D> = Hit<D> | Elsewhere

/** What a reference leads to if that is no schema that is known here. */
type Elsewhere =
  | NoTarget
  /** Not in the bundle: it names an entry of the runtime's registry. */
  | { readonly is: 'registry'; readonly id: string }
  /** The file exists, and something else reports why it was not read. */
  | { readonly is: 'unread'; readonly path: string }

/** Finds the document of a reference to another one. @param from the file that holds the reference */
export type SchemaLookup<D> = (ref: RefElsewhere, from: string) => D | Elsewhere | undefined

/** Finds the documents of a bundle. `path` is the file that holds the schema, for its relative references. */
export type ResolveRef = SchemaLookup<{ readonly schema: unknown; readonly path: string }>

/** A reference and its place. */
export interface FoundRef {
  /** From the root to the reference's own value: ends in `$ref`. */
  readonly pointer: Pointer
  readonly ref: string
  /** The schema that has the reference as a keyword. */
  readonly holder: SchemaObject
}

/** Every `$ref` of a schema, by its subschemas. A property named `$ref` is not a reference. */
export function findRefs(nodes: readonly Subschema[]): FoundRef[] {
  const found: FoundRef[] = []
  for (const { pointer, schema: holder } of nodes) {
    const ref = isSchemaObject(holder) ? holder['$ref'] : undefined
    if (isSchemaObject(holder) && typeof ref === 'string')
      found.push({ pointer: [...pointer, '$ref'], ref, holder })
  }
  return found
}

/**
 * Follows a reference to the schema that it names.
 * @param from the document that holds it
 * @param path the file of that document
 */
export function followRef<D extends { readonly schema: unknown }>(
  text: string,
  from: D,
  path: string,
  lookUp: SchemaLookup<D>,
): RefTarget<D> {
  const ref = classifyRef(text, path)
  if ('is' in ref) return ref
  const where = ref.kind === 'local' ? from : (lookUp(ref, path) ?? absent(ref))
  if ('is' in where) return where as Elsewhere
  const found = namedIn(where.schema, ref.fragment)
  if (found !== undefined) return { is: 'found', where, ...found }
  return {
    is: 'missing',
    why: 'has no target',
    fix: 'Correct the reference, or add what it names, for example under $defs',
  }
}

/** The subschema that a fragment names; undefined if none. */
function namedIn(schema: unknown, fragment: string): Subschema | undefined {
  const tokens = fragmentTokens(fragment)
  return tokens && subschemaAt(schema, tokens)
}

function absent(ref: RefElsewhere): Elsewhere {
  if (ref.kind === 'registry') return { is: 'registry', id: ref.id }
  return {
    is: 'missing',
    why: 'names a file that is not there',
    fix: 'Add the file, or correct the path',
    path: ref.path,
  }
}

/**
 * The target that a reference names. An `$id` never changes where a file is looked for: relative paths start from the file that holds
 * them.
 * @param from path of that file inside the bundle; absent for `tools.json` and other files at the top
 */
export function classifyRef(ref: string, from = ''): Ref {
  const hash = `${ref}#`.indexOf('#')
  const target = ref.slice(0, hash)
  const fragment = ref.slice(hash) || '#'
  if (ref === '') return invalid('is empty')
  if (target === '') return { kind: 'local', fragment }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(target)?.[1]
  if (scheme === 'schema') {
    const id = target.slice('schema:'.length)
    const problem = pathProblem(id)
    // An id becomes a file name, schemas/<id>.json, which must not lead elsewhere.
    return problem === undefined ? { kind: 'registry', id, fragment } : invalid(`has an id that ${problem}`)
  }
  if ((scheme !== undefined && scheme.length > 1) || target.startsWith('//')) return REMOTE
  if (scheme !== undefined || target.startsWith('/')) return invalid('is an absolute path')
  const segments = from.split('/').slice(0, -1)
  for (const segment of target.split('/')) {
    if (segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return invalid('leads out of the bundle')
  }
  const path = segments.join('/')
  const problem = pathProblem(path)
  return problem === undefined ? { kind: 'file', path, fragment } : invalid(`names a path that ${problem}`)
}

const REMOTE: NoTarget = {
  is: 'remote',
  why: 'leads out of the bundle, and nothing is fetched',
  fix: 'Put a copy into schemas/ and refer to its path, for example schemas/address.v1.json',
}

function invalid(why: string): NoTarget {
  return {
    is: 'invalid',
    why,
    fix: 'Write schema:<id>, a path such as schemas/address.v1.json, or #/$defs/<name>',
  }
}

/** The tokens of `#/a/b~1c` (RFC 6901 §6): percent-decoded, then unescaped. Undefined if the fragment is not a JSON pointer. */
export function fragmentTokens(fragment: string): readonly string[] | undefined {
  if (fragment === '#') return []
  const pointer = percentDecoded(fragment.slice(1))
  if (pointer === undefined || !pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return stepsOf(pointer)
}

/** Whether a file of the bundle is read as a JSON Schema. */
export function isSchemaFile(path: string): boolean {
  return /^schemas\/.*\.json$/.test(path)
}

/** The file of a schema id, if there is one. */
export function schemaFileOf(id: string): string {
  return `schemas/${id}.json`
}

/** The id that an alias in `schema_refs` stands for. It is followed once, so that a tool may also call an id by its own name. */
export function idOfAlias(alias: string): string {
  return alias.replace(/^schema:/, '')
}

/**
 * An id is looked up in the tool's own `schema_refs`, then in `schemas/`; any other id names an entry of the runtime's registry.
 * @param entry the schema of the tool's own that an id names, or its alias
 * @param file the document of a file below `schemas/`
 */
export function lookUpIn<D>(
  entry: (id: string, ref: RefById, from: string) => D | string | undefined,
  file: (path: string) => D | Elsewhere | undefined,
): SchemaLookup<D> {
  return (ref, from) => {
    if (ref.kind === 'file')
      return isSchemaFile(ref.path)
        ? file(ref.path)
        : invalid('names a file outside schemas/, where no schema is read')
    const meant = entry(ref.id, ref, from) ?? ref.id
    if (typeof meant !== 'string') return meant
    const id = idOfAlias(meant)
    const problem = pathProblem(id)
    if (problem !== undefined) return invalid(`has an alias for an id that ${problem}`)
    return file(schemaFileOf(id)) ?? { is: 'registry', id }
  }
}

/**
 * Resolves as verification does (specification, D-11 and D-19): in a file, an entry of the tool counts if it is a schema that has what the
 * fragment names. An alias does not count there.
 *
 * @param schemaRefs of the tool whose schema is resolved; `{}` for a schema without a tool
 * @param fileAt the parsed JSON file of the bundle at a path; undefined if there is none
 */
export function resolverIn(schemaRefs: SchemaRefs, fileAt: (path: string) => unknown): ResolveRef {
  const document = (schema: unknown, path: string) => (schema === undefined ? undefined : { schema, path })
  return lookUpIn(
    (id, { fragment }, from) => {
      const meant: JsonSchema | string | undefined = own(schemaRefs, id)
      if (isSchemaFile(from) && namedIn(meant, fragment) === undefined) return undefined
      return typeof meant === 'string' ? meant : document(meant, TOOLS_FILE)
    },
    path => document(fileAt(path), path),
  )
}
