// Lints a single file that is named on the command line: a tools.json of agentcli, or Agent Tool records. A file of agentcli has at most
// one error, in agentcli's own words, and warnings of ours.
import { basename, dirname } from 'node:path'
import { NO_FILES, overlay } from '../agent/overlay.ts'
import { read } from '../agent/read-agent.ts'
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { type Advice, adviseAgentcli } from '../agentcli/advice.ts'
import { agentcliDocument } from '../agentcli/agentcli-document.ts'
import { type AgentcliDecoded, decodeAgentcli } from '../agentcli/decode.ts'
import { isSpelling } from '../agentcli/entry.ts'
import { wellFormed } from '../agentcli/go-json.ts'
import { type AgentcliPlace, loadDecoded } from '../agentcli/load.ts'
import type { Target } from '../io/find/find-agents.ts'
import { readFile } from '../io/read/read-file.ts'
import { parseJson } from '../json/parse.ts'
import type { Agent } from '../model/agent.ts'
import type { TextProblem } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import type { Finding, Problem } from '../model/finding.ts'
import { byteLimit, PARSE_LIMITS } from '../model/limits.ts'
import { detectToolsKind, otherWords, type ToolsKind } from '../tools/detect-tools.ts'
import { lintAgent } from './lint.ts'
import type { LintTargetOptions } from './lint-target.ts'
import type { LintedTarget } from './linted.ts'
import { AGENTCLI_RULES } from './rules/agentcli.ts'
import { rulesOfRun } from './rules/index.ts'
import { type Rule, UNPREPARED } from './rules/rule.ts'
import { recordsTwice, toolsInterfaceRecord } from './rules/tools/interface-record.ts'
import { type RuleSetting, suppress } from './suppress.ts'

/** What strict texts may have. */
const MAX_BYTES = PARSE_LIMITS.textBytes

/** @throws RlpError WRONG_FILE_TYPE for a file in an agent’s folder, or one that mixes two formats; LIMIT_EXCEEDED */
export async function lintFile(target: Target, { now, settings }: LintTargetOptions): Promise<LintedTarget> {
  const { path, label } = target
  const bytes = await contentOf(target)
  const kind = toolsKindOf(bytes)
  // agentcli accepts an empty list, and has a message for an entry without a command.
  if (kind === 'agent-tool') {
    const file = { path: basename(path), label: dirname(label), bytes }
    const { agent, findings } = lintRecords(file, recordRules(settings))
    return linted(target, agent, suppress(agent, findings, { now, settings }))
  }
  if (kind !== 'agentcli' && kind !== 'not-json' && !(kind === 'unknown' && mayBeAgentcli(bytes))) {
    const { state, hint } = otherWords(kind) ?? OTHERS[kind] ?? IMPORTABLE
    throw new RlpError('WRONG_FILE_TYPE', `Cannot lint "${label}": ${state}`, { hint })
  }
  const platform = process.platform === 'win32' ? 'win32' : 'posix'
  const { agent, findings } = lintAgentcli({
    path: basename(path),
    label: dirname(label),
    bytes,
    manifestDir: dirname(path),
    platform,
  })
  return linted(target, agent, suppress(agent, findings, { now, settings }))
}

/** A file alone is never fixed: only an agent's files are. */
function linted({ path, label }: Target, agent: Agent, findings: LintedTarget['findings']): LintedTarget {
  return { label, agent, findings, folder: dirname(path), fixes: [], skipped: [] }
}

interface Refusal {
  readonly state: string
  readonly hint: string
}

const OTHERS: Readonly<Partial<Record<ToolsKind, Refusal>>> = {
  runloop: { state: 'it is one file of an agent', hint: 'Name the folder that holds it' },
  mixture: { state: 'it mixes two formats', hint: 'Keep the entries of one of the two' },
  unknown: {
    state: 'no tool in it has a command, which is how a tools.json of agentcli is told from others',
    hint: 'Name an agent’s folder, or give the tools of agentcli their "command": ["./tools/bin/NAME"]',
  },
}
const IMPORTABLE: Refusal = {
  state: 'it is another system’s list of tools',
  hint: 'Take its tools into an agent with rlp tool import, and lint that',
}

function contentOf({ path, label }: Target): Promise<Uint8Array> {
  const larger = (size: number) => {
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot lint "${label}": it has ${size} bytes; at most ${byteLimit(MAX_BYTES)} are read`,
      { hint: 'Split it into several files' },
    )
  }
  return readFile(path, { follow: true, label, most: MAX_BYTES, larger })
}

const RECORDS_TWICE: Rule = { ...toolsInterfaceRecord, looks: 'agent', needs: {}, check: recordsTwice }

function recordRules(settings: readonly RuleSetting[]): readonly Rule[] {
  return (
    rulesOfRun(settings)
      .filter(({ id }) => id.startsWith('json/') || id.startsWith('tools/interface-'))
      // Records of runs have no place in a bundle; in a file of their own they are what it is for.
      .map(rule => (rule === toolsInterfaceRecord ? RECORDS_TWICE : rule))
  )
}

interface RecordFile {
  /** The file's name, as findings have it. */
  readonly path: string
  /** What people call its folder. */
  readonly label: string
  readonly bytes: Uint8Array
}

/** Never throws, whatever the bytes. Findings are in the order of their places. */
function lintRecords(
  { path, label, bytes }: RecordFile,
  rules: readonly Rule[],
): { agent: Agent; findings: Finding[] } {
  const whole = read(overlay(NO_FILES, new Map([[INTERFACES_FILE, bytes]])), label)
  const document = whole.documents.get(INTERFACES_FILE)
  const agent: Agent = {
    ...whole,
    files: NO_FILES,
    documents: new Map(document && [[path, { ...document, path, locate: document.locate.bind(document) }]]),
    unreadable: whole.unreadable.map(one => ({ ...one, path })),
  }
  return {
    agent,
    findings: lintAgent(whole, UNPREPARED, rules).map(finding => ({ ...finding, file: path })),
  }
}

/** UTF-16 code units of an error, which can quote a name of any length. */
const MAX_ERROR = 2000

export interface AgentcliFile extends AgentcliPlace {
  /** The file's name in findings. */
  readonly path: string
  /** Name of its folder in messages. */
  readonly label: string
  readonly bytes: Uint8Array
}

interface LintedAgentcli {
  /** Only the file's text, for code frames: it is not an agent. */
  readonly agent: Agent
  readonly findings: readonly Finding[]
}

interface Found {
  readonly about: keyof typeof AGENTCLI_RULES
  readonly problem: Omit<Problem, 'file'>
}

/** The system that the bytes belong to; `not-json` if the content cannot tell. */
export function toolsKindOf(bytes: Uint8Array): ToolsKind | 'not-json' {
  const document = agentcliDocument('', decodeAgentcli(bytes))
  return document === undefined ? 'not-json' : detectToolsKind(document.value)
}

/**
 * Whether bytes without any system's marks are read as agentcli's: a list of tools without a version or an id, which is empty or has
 * entries without a command. Then agentcli's own message says what is missing.
 */
export function mayBeAgentcli(bytes: Uint8Array): boolean {
  const root: unknown = agentcliDocument('', decodeAgentcli(bytes))?.value
  if (typeof root !== 'object' || root === null || Array.isArray(root) || Object.hasOwn(root, 'version'))
    return false
  const [list] = Object.entries(root).flatMap(([key, value]) =>
    isSpelling(key, 'tools') ? [value as unknown] : [],
  )
  // `"tools": null` is an empty list there.
  return list === null || (Array.isArray(list) && !list.some(entry => Object.hasOwn(Object(entry), 'id')))
}

/** Never throws, whatever the bytes. Findings are in the order of their places. */
export function lintAgentcli(file: AgentcliFile): LintedAgentcli {
  const { path, bytes } = file
  const decoded = decodeAgentcli(bytes)
  const strict = parseJson(path, bytes)
  const problem = strict.ok ? undefined : strict.problem
  const agent = standIn(file, decoded, problem)
  const found: Found[] = []
  const failure = loadProblem(decoded, file)
  if (failure !== undefined) found.push(failure)
  if (agent.documents.size > 0 && problem !== undefined) found.push(textProblem(problem))
  if (decoded.ok) found.push(...adviseAgentcli(decoded, file.platform).map(adviceOf))
  const rules = Object.entries(AGENTCLI_RULES).map(
    ([name, rule]): Rule => ({
      ...rule,
      looks: 'agent',
      needs: {},
      check(_agent, report) {
        for (const { about, problem } of found) if (about === name) report({ ...problem, file: path })
      },
    }),
  )
  return { agent, findings: lintAgent(agent, UNPREPARED, rules) }
}

/** One at most, because agentcli stops at the first. */
function loadProblem(decoded: AgentcliDecoded, place: AgentcliPlace): Found | undefined {
  const loaded = loadDecoded(decoded, place)
  if (loaded.ok) return undefined
  const { error, at: pointer, offset } = loaded
  const message = error.length > MAX_ERROR ? `${wellFormed(error.slice(0, MAX_ERROR))}…` : error
  const fix = 'Correct this, then check again: agentcli stops at the first problem'
  if (pointer !== undefined) return { about: 'load', problem: { place: { pointer }, message, fix } }
  if (offset !== undefined) return { about: 'load', problem: { place: { offset }, message, fix } }
  return { about: 'load', problem: { message, fix } }
}

/** A problem for strict reading in a text that agentcli reads. */
function textProblem({ code, message, offset }: TextProblem): Found {
  const place = offset === undefined ? {} : { place: { offset } }
  return code === 'duplicate-key'
    ? { about: 'duplicate-key', problem: { ...place, message, fix: 'Remove one of the two' } }
    : { about: 'text', problem: { ...place, message, fix: 'Write a value that every reader reads alike' } }
}

function adviceOf({ about, at: pointer, part, message, fix }: Advice): Found {
  return { about, problem: { place: { pointer, ...(part && { part }) }, message, fix } }
}

function standIn(
  { path, label }: AgentcliFile,
  decoded: AgentcliDecoded,
  problem: TextProblem | undefined,
): Agent {
  const document = agentcliDocument(path, decoded)
  const { text } = decoded
  return {
    label,
    form: 'source',
    files: { list: [], oddities: [], get: () => undefined, open: nothing },
    documents: new Map(document && [[path, document]]),
    // Places outside any value are positions in the text.
    unreadable: problem === undefined ? [] : [{ path, syntax: 'json', problem, text }],
    shapes: new Map(),
    manifest: undefined,
    policy: undefined,
    tools: undefined,
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
