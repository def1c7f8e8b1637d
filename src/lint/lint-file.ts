// A file named on the command line to what lint says about it, when it is a tools.json of agentcli or holds Agent Tool records.
import { basename, dirname } from 'node:path'
import { NO_FILES, overlay } from '../agent/overlay.ts'
import { read } from '../agent/read-agent.ts'
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import type { Target } from '../io/find/find-agents.ts'
import { readFile } from '../io/read/read-file.ts'
import type { Agent } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { byteLimit, PARSE_LIMITS } from '../model/limits.ts'
import type { ToolsKind } from '../tools/detect-tools.ts'
import { otherWords } from '../tools/other-documents.ts'
import { lint } from './lint.ts'
import { lintAgentcli, mayBeAgentcli, toolsKindOf } from './lint-agentcli.ts'
import type { LintTargetOptions } from './lint-target.ts'
import type { LintedTarget } from './linted.ts'
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
    findings: lint(whole, UNPREPARED, rules).map(finding => ({ ...finding, file: path })),
  }
}
