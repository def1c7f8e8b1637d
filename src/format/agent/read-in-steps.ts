// Files → Agent. Every relevant text is parsed strictly, once. A problem in one file never stops the others from being read.
import { type Agent, MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'
import type { Candidate, Outline } from '../../model/bundle.ts'
import type { Document, Parsed, Pointer, ShapeProblem } from '../../model/document.ts'
import type { FileEntry, Files } from '../../model/files.ts'
import { byteLimit, PARSE_LIMITS } from '../../model/limits.ts'
import { own } from '../../model/own.ts'
import { type LoadingSteps, needed, onDemand, type Steps } from '../../model/steps.ts'
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { parseJsonInSteps } from '../json/parse.ts'
import { isWrittenWhole } from '../json/whole-number.ts'
import { checkShapeInSteps, type ShapeKind } from '../schema/check.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { parseTomlInSteps } from '../toml/parse-in-steps.ts'
import { withoutLint } from './lint-table.ts'
import { readManifest } from './manifest.ts'

/** What reads the files beside the manifest, which of a stranger's bundle are not parsed. */
export const CONTENTS = onDemand(() => import('./contents.ts'))

const SCHEMA_FILE = /^schemas\/.*\.json$/

function syntaxOf(path: string): 'json' | 'toml' | undefined {
  if (path === MANIFEST_FILE || path === POLICY_FILE) return 'toml'
  return path === TOOLS_FILE || path === INTERFACES_FILE || SCHEMA_FILE.test(path) ? 'json' : undefined
}

/**
 * @param label name of this folder or bundle in messages
 * @param form `source` is a folder an author works in, `bundle` a packed or unpacked bundle
 * @returns the agent, in steps that are cut after each document and in long ones
 */
export function readInSteps(
  files: Files,
  label: string,
  form: Agent['form'] = 'source',
): LoadingSteps<Agent> {
  return readSome(files, label, form, { entries: files.list, budget: new ParseBudget() })
}

/** A bundle's manifest alone, before the rest is read. */
export function* outlineInSteps(candidate: Candidate): LoadingSteps<Outline> {
  const { files, label } = candidate
  const manifest = files.get(MANIFEST_FILE)
  const budget = new ParseBudget()
  const agent = yield* readSome(files, label, 'bundle', {
    entries: manifest === undefined ? [] : [manifest],
    budget,
  })
  let whole: Agent | undefined
  return {
    ...candidate,
    agent,
    *whole() {
      whole ??= yield* readSome(files, label, 'bundle', { entries: files.list, budget, before: agent })
      return whole
    },
  }
}

interface Reading {
  /** The files that are read if they are documents. */
  readonly entries: readonly FileEntry[]
  readonly budget: ParseBudget
  /** What was already read of the same files. */
  readonly before?: Agent
}

function* readSome(
  files: Files,
  label: string,
  form: Agent['form'],
  { entries, budget, before }: Reading,
): LoadingSteps<Agent> {
  const documents = new Map(before?.documents)
  const unreadable = [...(before?.unreadable ?? [])]
  const shapes = new Map<string, readonly ShapeProblem[]>()
  const known = new Set([...documents.keys(), ...unreadable.map(({ path }) => path)])
  for (const entry of entries) {
    const syntax = syntaxOf(entry.path)
    if (syntax === undefined || known.has(entry.path)) continue
    yield
    const parsed = yield* parse(entry, syntax, budget)
    if (parsed.ok) documents.set(entry.path, parsed.document)
    else unreadable.push({ path: entry.path, syntax, problem: parsed.problem, text: parsed.text })
  }
  function* shaped(path: string, shape: ShapeKind): Steps<Document | undefined> {
    const document = documents.get(path)
    if (document === undefined) return undefined
    const { value, dates } = document
    const judged = shape === 'manifest' ? withoutLint(value) : value
    const problems = yield* checkShapeInSteps(shape, judged, dates)
    if (path === MANIFEST_FILE) problems.push(...fractions(document, ['artifacts', 'tools', 'version']))
    shapes.set(path, problems)
    return problems.length === 0 ? document : undefined
  }
  const manifest = documents.get(MANIFEST_FILE)
  yield* shaped(MANIFEST_FILE, 'manifest')
  const of = { label, form, files, documents, unreadable, shapes }
  const facts = { ...of, manifest: manifest && readManifest(manifest.value) }
  if (![POLICY_FILE, TOOLS_FILE, INTERFACES_FILE].some(path => documents.has(path)))
    return { ...facts, policy: undefined, tools: undefined }
  const { checkRecords, readPolicy, toolsVersionOf } = yield* needed(CONTENTS)
  const policy = yield* shaped(POLICY_FILE, 'policy')
  const toolsDocument = documents.get(TOOLS_FILE)
  const version = toolsDocument && toolsVersionOf(toolsDocument)
  const interfaces = documents.get(INTERFACES_FILE)
  // Beside tools of a newer version records may be anything.
  if (interfaces && version?.is !== 'newer') shapes.set(INTERFACES_FILE, checkRecords(interfaces.value))
  const tools = version?.is === 'known' ? yield* shaped(TOOLS_FILE, version.row.shape) : undefined
  return {
    ...facts,
    policy: policy && readPolicy(policy.value),
    tools: tools && version?.is === 'known' ? version.row.read(tools.value) : undefined,
  }
}

/** A whole number must not be written as `1.0`. */
function fractions(document: Document, pointer: Pointer): ShapeProblem[] {
  const value = pointer.reduce<unknown>(
    (table, key) => own(table as Readonly<Record<string, unknown>> | undefined, key),
    document.value,
  )
  if (typeof value !== 'number' || !Number.isInteger(value) || isWrittenWhole(document, pointer)) return []
  const message = `${pointer.join('.')} must be written as a whole number`
  return [{ pointer, part: 'value', message, fix: `Write ${value}`, keyword: 'type' }]
}

function* parse(entry: FileEntry, syntax: 'json' | 'toml', budget: ParseBudget): LoadingSteps<Parsed> {
  if (entry.bytes === undefined) {
    const message = `The file has ${entry.size} bytes; one such text has at most ${byteLimit(PARSE_LIMITS.textBytes)}, all together ${byteLimit(PARSE_LIMITS.allTextBytes)}`
    return { ok: false, problem: { code: 'too-large', message } }
  }
  const { path, bytes } = entry
  return syntax === 'json'
    ? yield* parseJsonInSteps(path, bytes, budget)
    : yield* parseTomlInSteps(path, bytes, budget)
}
