// Checks a tools.json of agentcli: the one error in agentcli's own words, and warnings of ours.
import { type Advice, adviseAgentcli } from '../agentcli/advice.ts'
import { type AgentcliDecoded, decodeAgentcli, isSpelling } from '../agentcli/decode.ts'
import { agentcliDocument } from '../agentcli/document.ts'
import { wellFormed } from '../agentcli/go-json.ts'
import { type AgentcliPlace, loadDecoded } from '../agentcli/load.ts'
import { parseJson } from '../json/parse.ts'
import type { Agent } from '../model/agent.ts'
import type { TextProblem } from '../model/document.ts'
import type { Finding, Problem } from '../model/finding.ts'
import { detectToolsKind, type ToolsKind } from '../tools/detect-tools.ts'
import { lint } from './lint.ts'
import { AGENTCLI_RULES } from './rules/agentcli.ts'
import { type Rule, UNPREPARED } from './rules/rule.ts'

/** UTF-16 code units of an error, which can quote a name of any length. */
const MAX_ERROR = 2000

export interface AgentcliFile extends AgentcliPlace {
  /** The file's name in findings. */
  readonly path: string
  /** Name of its folder in messages. */
  readonly label: string
  readonly bytes: Uint8Array
}

export interface LintedAgentcli {
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
  return { agent, findings: lint(agent, UNPREPARED, rules) }
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
