// The cases in tests/*.json of an agent (docs/authoring.md): reads and runs them, each as a call like any other, and records new ones.

import { join, resolve } from 'node:path'
import { readJson } from '../contract/json-text.ts'
import { serialize } from '../contract/serialize.ts'
import type { Target } from '../io/find/find-agents.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { readFile } from '../io/read/read-file.ts'
import { folderNames } from '../io/read/real-path.ts'
import type { Setting } from '../io/setting.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { appendAllToArray } from '../json/change.ts'
import { parseJson } from '../json/parse.ts'
import { closed, list, ReadProblem, text } from '../json/read.ts'
import { isSameData } from '../json/same-data.ts'
import { CASES_FOLDER } from '../model/agent.ts'
import type { Document } from '../model/document.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { byteLimit, PARSE_LIMITS } from '../model/limits.ts'
import { isTable, own } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'
import type { AnswerBody } from '../model/trace.ts'
import { compileSchema } from '../schema/compile.ts'
import { resolverIn } from '../schema/reference.ts'
import { pathProblem } from '../text/path.ts'
import type { CallRecord } from './context.ts'
import type { OpenAgent } from './open-agent.ts'
import { exchangesOf } from './replay.ts'
import { type CallSession, recordedCall } from './session.ts'
import { readFrame, readTrace, resultFrame } from './trace.ts'

export interface CaseResult {
  /** Below the agent's folder. */
  readonly file: string
  readonly name: string
  readonly tool: string
  /** One sentence without a full stop; undefined if the case is fulfilled. */
  readonly problem: string | undefined
  readonly durationMs: number
}

export interface TestedAgent {
  /** As the caller called it. */
  readonly agent: string
  readonly results: readonly CaseResult[]
}

/** One after the other, in the order of files and of the cases in them. @throws RlpError for a file that holds no cases */
export async function testAgent(
  target: Target,
  opened: OpenAgent,
  session: CallSession,
  signal: AbortSignal,
): Promise<TestedAgent> {
  const results: CaseResult[] = []
  for (const { path, cases } of await caseFilesOf(target)) {
    for (const one of cases) {
      if (signal.aborted) break
      const record = await callOnce(one, opened, session, signal)
      const { name, tool, expected } = one
      const problem = await problemOf(record, expected, opened)
      results.push({ file: path, name, tool, problem, durationMs: Math.round(record.durationMs) })
    }
  }
  return { agent: target.label, results }
}

async function callOnce(
  { tool, arguments: given }: Pick<ToolCase, 'tool' | 'arguments'>,
  opened: OpenAgent,
  session: CallSession,
  signal: AbortSignal,
): Promise<CallRecord> {
  return recordedCall(session, session.contextFor(opened), { tool, text: serialize(given), signal })
}

async function problemOf(
  { envelope: shown, whole }: CallRecord,
  expected: Expected,
  { agent }: OpenAgent,
): Promise<string | undefined> {
  const envelope = whole ?? shown
  if (expected.is === 'failure') {
    if (envelope.ok) return `it answered ${brief(envelope.result)}, and a failure is expected`
    const wrong = Object.entries(expected.members).find(([name, value]) => own(envelope, name) !== value)
    if (wrong === undefined) return undefined
    return `its failure has the ${wrong[0]} ${brief(own(envelope, wrong[0]))}, expected is ${brief(wrong[1])}: ${envelope.message}`
  }
  if (!envelope.ok) return `it failed (${envelope.kind}): ${envelope.message}`
  if (expected.is === 'answer') {
    if (isSameData(envelope.result, expected.value)) return undefined
    return `it answered ${brief(envelope.result)}, expected is ${brief(expected.value)}`
  }
  const compiled = await compileSchema(expected.schema, resolverIn({}, agent.fileAt))
  if (!compiled.ok) return `answer_schema cannot be used: ${compiled.problems[0]?.message ?? ''}`
  const violation = compiled.check(envelope.result)
  return violation && `its answer ${brief(envelope.result)} does not fit answer_schema: ${violation.message}`
}

/** More does not help in one line; `rlp tool call` shows all. */
const MOST = 160

function brief(value: unknown): string {
  const text = value === undefined ? 'nothing' : serialize(value)
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text
}

interface CaseFile {
  /** Below the agent's folder. */
  readonly path: string
  readonly cases: readonly ToolCase[]
}

/** @throws RlpError LINT_FAILED for a file that holds no cases, WRONG_FILE_TYPE for a link */
async function caseFilesOf(target: Target): Promise<CaseFile[]> {
  if (!hasFolder(target)) return []
  const names = folderNames(join(target.path, CASES_FOLDER)).filter(
    name => name.endsWith('.json') && !name.startsWith('.'),
  )
  const files: CaseFile[] = []
  for (const name of names) {
    const path = `${CASES_FOLDER}/${name}`
    files.push({ path, cases: (await readCaseFile(target, path)).cases })
  }
  return files
}

/**
 * Adds each case to the file of its tool, unless the file has one of the same arguments.
 * @param name of the cases; undefined to leave it out
 * @returns how many were added to each file, which is made where it is missing
 */
export async function addCases(
  target: Target,
  cases: readonly NewCase[],
  name: string | undefined,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const added = new Map<string, number>()
  hasFolder(target)
  for (const path of new Set(cases.map(({ tool }) => fileFor(tool)))) {
    const wanted = cases.filter(({ tool }) => fileFor(tool) === path)
    const place = join(target.path, path)
    const there = entryOrNothing(place) === undefined ? undefined : await readCaseFile(target, path)
    const known: Pick<ToolCase, 'tool' | 'arguments'>[] = [...(there?.cases ?? [])]
    const fresh = wanted.filter(one => {
      const isThere = known.some(
        other => other.tool === one.tool && isSameData(other.arguments, one.arguments),
      )
      known.push(one)
      return !isThere
    })
    added.set(path, fresh.length)
    if (fresh.length === 0) continue
    const entries = fresh.map(one => writeCase(one, name))
    const text =
      there === undefined
        ? `${JSON.stringify({ cases: entries }, null, 2)}\n`
        : appendAllToArray(there.document, ['cases'], entries)
    await makeParents(join(target.path, CASES_FOLDER))
    await replaceFile(place, text, { label: `${target.label}/${path}`, before: there?.bytes, signal })
  }
  return added
}

function fileFor(tool: string): string {
  const path = `${CASES_FOLDER}/${tool}.json`
  return pathProblem(path) === undefined && !tool.includes('/') ? path : `${CASES_FOLDER}/recorded.json`
}

/** @throws RlpError WRONG_FILE_TYPE for a link, which could lead out of the agent's folder */
function hasFolder({ path, label }: Target): boolean {
  const entry = entryOrNothing(join(path, CASES_FOLDER))
  if (entry === undefined || entry.isDirectory()) return entry !== undefined
  throw new RlpError('WRONG_FILE_TYPE', `Cannot use "${label}/${CASES_FOLDER}": it is no folder`, {
    hint: 'Cases are files in a folder of this name',
  })
}

async function readCaseFile(
  target: Target,
  path: string,
): Promise<{ bytes: Uint8Array; document: Document; cases: readonly ToolCase[] }> {
  const label = `${target.label}/${path}`
  const refuse = (problem: string) =>
    new RlpError('LINT_FAILED', `Cannot read the cases in "${label}": ${problem}`, {
      hint: 'docs/authoring.md says what a case has',
    })
  const most = PARSE_LIMITS.textBytes
  const larger = () => {
    throw refuse(`it has more than ${byteLimit(most)}`)
  }
  const bytes = await readFile(join(target.path, path), { follow: false, label, most, larger })
  try {
    const parsed = parseJson(path, bytes)
    if (!parsed.ok) throw refuse(parsed.problem.message)
    return { bytes, document: parsed.document, cases: readCases(parsed.document.value) }
  } catch (error) {
    throw error instanceof ReadProblem ? refuse(error.message) : error
  }
}

/** What counts as right. */
type Expected =
  | { readonly is: 'answer'; readonly value: unknown }
  | { readonly is: 'answer_schema'; readonly schema: JsonSchema }
  /** Members of the failure's envelope, `kind` among them. Others of it do not count. */
  | { readonly is: 'failure'; readonly members: Readonly<Record<string, string>> }

interface ToolCase {
  /** For people; the tool's id and a number where the file says nothing. */
  readonly name: string
  readonly tool: string
  readonly arguments: unknown
  readonly expected: Expected
}

type NewCase = Omit<ToolCase, 'name'>

const EXPECTED = ['answer', 'answer_schema', 'failure'] as const

/** @throws ReadProblem */
export function readCases(value: unknown): readonly ToolCase[] {
  const { cases } = closed(value, 'the file', ['cases', '$schema?'])
  return list((one, at) => readCase(one, at))(cases, 'cases').map((one, index) => ({
    ...one,
    name: one.name ?? `${one.tool} ${index + 1}`,
  }))
}

function readCase(value: unknown, at: string): NewCase & { readonly name: string | undefined } {
  const members = closed(value, at, ['name?', 'tool', 'arguments?', ...EXPECTED.map(word => `${word}?`)])
  const given = EXPECTED.filter(word => Object.hasOwn(members, word))
  const [is] = given
  if (is === undefined || given.length > 1)
    throw new ReadProblem(`${at} has to have one of ${EXPECTED.join(', ')}`)
  return {
    name: Object.hasOwn(members, 'name') ? text(members['name'], `${at}.name`) : undefined,
    tool: text(members['tool'], `${at}.tool`),
    arguments: Object.hasOwn(members, 'arguments') ? members['arguments'] : {},
    expected: readExpected(is, members[is], `${at}.${is}`),
  }
}

function readExpected(is: Expected['is'], value: unknown, at: string): Expected {
  if (is === 'answer') return { is, value }
  if (is === 'answer_schema') {
    if (typeof value === 'boolean' || isTable(value)) return { is, schema: value }
    throw new ReadProblem(`${at} is no JSON Schema`)
  }
  const members = closed(value, at, ['kind', 'field?', 'reason?', 'message?'])
  const texts = Object.entries(members).map(([name, one]) => [name, text(one, `${at}.${name}`)] as const)
  return { is, members: Object.fromEntries(texts) }
}

/** As the file has it. A name that is made of the tool's id is left out. */
export function writeCase({ tool, arguments: given, expected }: NewCase, name?: string): object {
  const { is } = expected
  const value = is === 'answer' ? expected.value : is === 'answer_schema' ? expected.schema : expected.members
  return { ...(name !== undefined && { name }), tool, arguments: given, [is]: value }
}

/** @param text the arguments. @throws UsageError for arguments that are no JSON */
export async function recordCall(
  tool: string,
  text: string,
  opened: OpenAgent,
  session: CallSession,
  signal: AbortSignal,
): Promise<NewCase> {
  const read = readJson(text)
  if (!read.ok) throw new UsageError('Cannot record a case: the arguments are no JSON', { field: 'args' })
  const record = await callOnce({ tool, arguments: read.value }, opened, session, signal)
  const { payload } = resultFrame(record)
  return { tool, arguments: read.value, expected: expectedOf(payload.whole ?? payload) }
}

/** Of the tools that the agent has; a call without an answer is left out. */
export async function recordTrace(
  file: string,
  { agent }: OpenAgent,
  io: Pick<Setting, 'cwd'>,
): Promise<NewCase[]> {
  const { frames } = await readTrace(resolve(io.cwd, file), file, readFrame)
  const ids = new Set([...agent.tools, ...agent.denied].map(({ id }) => id))
  try {
    return exchangesOf(frames).flatMap(({ call, result }) => {
      if (result === undefined || !ids.has(call.tool)) return []
      const given = call.given ?? call.arguments
      return [{ tool: call.tool, arguments: given, expected: expectedOf(result.whole ?? result) }]
    })
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    throw new RlpError('WRONG_FILE_TYPE', `Cannot read the trace "${file}": ${error.message}`, {
      hint: 'Use the file as it was written',
      cause: error,
    })
  }
}

/** Of a failure what does not depend on words. */
function expectedOf(answer: AnswerBody): Expected {
  if (answer.ok) return { is: 'answer', value: answer.result }
  const members = ['kind', 'field', 'reason'].flatMap(name => {
    const value = own(answer.error, name)
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return { is: 'failure', members: Object.fromEntries(members) }
}
