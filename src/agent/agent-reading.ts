// Reads the files of an agent. Every relevant text is parsed strictly, once. A problem in one file never stops the others from being read.

import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { isWrittenWhole, parseJson } from '../json/parse.ts'
import { valueAt } from '../json/pointer.ts'
import { type Agent, MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { Document, Parsed, Pointer, ShapeProblem } from '../model/document.ts'
import type { FileEntry, Files } from '../model/files.ts'
import { byteLimit, PARSE_LIMITS } from '../model/limits.ts'
import { checkShape, type ShapeKind } from '../schema/check.ts'
import type { ParseBudget } from '../text/parse-budget.ts'
import { type NeedsParser, readToml } from '../toml/read.ts'
import { withoutLint } from './lint-table.ts'
import { readManifest } from './manifest.ts'

const SCHEMA_FILE = /^schemas\/.*\.json$/

function syntaxOf(path: string): 'json' | 'toml' | undefined {
  if (path === MANIFEST_FILE || path === POLICY_FILE) return 'toml'
  return path === TOOLS_FILE || path === INTERFACES_FILE || SCHEMA_FILE.test(path) ? 'json' : undefined
}

/** The files that are read, and what they may hold together. */
interface Reading {
  /** The files that are read if they are documents. */
  readonly entries: readonly FileEntry[]
  readonly budget: ParseBudget
  /** The agent with the documents of these files that were read before. */
  readonly before?: Agent
}

/** The readers of the files beside the manifest. A stranger's bundle does not need them, because its contents are not parsed. */
type Contents = typeof import('./contents.ts')

/** Reads the documents of an agent, one for each call of {@link next}. */
export class AgentReading {
  readonly #files: Files
  readonly #label: string
  readonly #form: Agent['form']
  readonly #budget: ParseBudget
  readonly #left: FileEntry[]
  readonly #documents: Map<string, Document>
  readonly #unreadable: Agent['unreadable'][number][]
  readonly #shapes = new Map<string, readonly ShapeProblem[]>()

  constructor(files: Files, label: string, form: Agent['form'], { entries, budget, before }: Reading) {
    this.#files = files
    this.#label = label
    this.#form = form
    this.#budget = budget
    this.#documents = new Map(before?.documents)
    this.#unreadable = [...(before?.unreadable ?? [])]
    const known = new Set([...this.#documents.keys(), ...this.#unreadable.map(({ path }) => path)])
    this.#left = entries.filter(({ path }) => syntaxOf(path) !== undefined && !known.has(path)).reverse()
  }

  /** Reads one document. @returns whether there was one; a text that needs the parser of TOML, which {@link add} then takes */
  next(): boolean | NeedsParser {
    const entry = this.#left.pop()
    if (entry === undefined) return false
    const parsed = this.#parse(entry)
    if (parsed.ok === 'needs parser') return parsed
    this.add(entry.path, parsed)
    return true
  }

  add(path: string, parsed: Parsed): void {
    const syntax = syntaxOf(path) ?? 'json'
    if (parsed.ok) this.#documents.set(path, parsed.document)
    else this.#unreadable.push({ path, syntax, problem: parsed.problem, text: parsed.text })
  }

  /** Whether something beside the manifest and schemas was read, for which {@link agent} needs its reader. */
  get hasContents(): boolean {
    return [POLICY_FILE, TOOLS_FILE, INTERFACES_FILE].some(path => this.#documents.has(path))
  }

  /** @param contents undefined if there are none */
  agent(contents: Contents | undefined): Agent {
    const documents = this.#documents
    const manifest = documents.get(MANIFEST_FILE)
    this.#shaped(MANIFEST_FILE, 'manifest')
    const facts = {
      label: this.#label,
      form: this.#form,
      files: this.#files,
      documents,
      unreadable: this.#unreadable,
      shapes: this.#shapes,
      manifest: manifest && readManifest(manifest.value),
    }
    if (contents === undefined) return { ...facts, policy: undefined, tools: undefined }
    const { checkRecords, readPolicy, toolsVersionOf } = contents
    const policy = this.#shaped(POLICY_FILE, 'policy')
    const toolsDocument = documents.get(TOOLS_FILE)
    const version = toolsDocument && toolsVersionOf(toolsDocument)
    const interfaces = documents.get(INTERFACES_FILE)
    // Beside tools of a newer version records may be anything.
    if (interfaces && version?.is !== 'newer')
      this.#shapes.set(INTERFACES_FILE, checkRecords(interfaces.value))
    const tools = version?.is === 'known' ? this.#shaped(TOOLS_FILE, version.row.shape) : undefined
    return {
      ...facts,
      policy: policy && readPolicy(policy.value),
      tools: tools && version?.is === 'known' ? version.row.read(tools.value) : undefined,
    }
  }

  #parse({ path, bytes, size }: FileEntry): Parsed | NeedsParser {
    if (bytes === undefined) {
      const message = `The file has ${size} bytes; one such text has at most ${byteLimit(PARSE_LIMITS.textBytes)}, all together ${byteLimit(PARSE_LIMITS.allTextBytes)}`
      return { ok: false, problem: { code: 'too-large', message } }
    }
    return syntaxOf(path) === 'json'
      ? parseJson(path, bytes, this.#budget)
      : readToml(path, bytes, this.#budget)
  }

  #shaped(path: string, shape: ShapeKind): Document | undefined {
    const document = this.#documents.get(path)
    if (document === undefined) return undefined
    const { value, dates } = document
    const judged = shape === 'manifest' ? withoutLint(value) : value
    const problems = checkShape(shape, judged, dates)
    if (path === MANIFEST_FILE) problems.push(...fractions(document, ['artifacts', 'tools', 'version']))
    this.#shapes.set(path, problems)
    return problems.length === 0 ? document : undefined
  }
}

/** A whole number must not be written as `1.0`. */
function fractions(document: Document, pointer: Pointer): ShapeProblem[] {
  const value = valueAt(document.value, pointer)
  if (typeof value !== 'number' || !Number.isInteger(value) || isWrittenWhole(document, pointer)) return []
  const message = `${pointer.join('.')} must be written as a whole number`
  return [{ pointer, part: 'value', message, fix: `Write ${value}`, keyword: 'type' }]
}
