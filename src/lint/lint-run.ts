// Runs the rules that an agent with broken documents can be asked about. A rule that reads a broken document would give wrong advice, such
// as to remove a grant that a tool of an unreadable tools.json needs.
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import type { Finding, RuleId } from '../model/finding.ts'
import { isTable } from '../model/own.ts'
import type { PlacedTool } from '../model/tools.ts'
import type { Turn } from '../model/turn.ts'
import { isSchemaFile } from '../schema/reference.ts'
import { toolsVersionOf } from '../tools/index.ts'
import type { SkippedRules } from './linted.ts'
import { rawTools } from './rules/agent-parts.ts'
import { RULES } from './rules/index.ts'
import { interfaceRecords } from './rules/interface-records.ts'
import type { Rule } from './rules/rule.ts'
import { type Knowing, RuleRun } from './run-rules.ts'
import { STAGES } from './stages.ts'
import { NEEDS_OF_LOOKS, type NeededState, type Needs, SCHEMA_FOLDER } from './subjects.ts'

interface Askable {
  /** The same agent, with the sound tools of a broken tools.json. */
  readonly agent: Agent
  readonly rules: readonly Rule[]
  readonly skipped: readonly SkippedRules[]
  /** Whether a rule is asked about everything that it looks at: if not, that it finds nothing means nothing. */
  seesAll(rule: RuleId): boolean
}

export function askable(given: Agent, rules: readonly Rule[]): Askable {
  const agent = withSoundTools(given)
  const states = new Map<string, NeededState | 'broken'>()
  const stateOf = (path: keyof Needs) => {
    const known = states.get(path) ?? stateIn(agent, path)
    states.set(path, known)
    return known
  }
  const skipped = new Map<string, Rule[]>()
  const asked = rules.filter(rule => {
    const missing = needsOf(rule).find(([path, state]) => RANK[stateOf(path)] < RANK[state])
    if (missing === undefined) return true
    const [path] = missing
    skipped.set(path, [...(skipped.get(path) ?? []), rule])
    return false
  })
  const isWhole = ([path, state]: Need) => state === 'readable' || stateOf(path) === 'sound'
  return {
    agent,
    rules: asked,
    skipped: [...skipped].map(([file, rules]) => ({ file, rules: rules.map(({ id }) => id) })),
    seesAll: id => {
      const rule = asked.find(one => one.id === id)
      return rule !== undefined && needsOf(rule).every(isWhole)
    },
  }
}

/** The run of the rules that can be asked. */
export function lintRun(given: Agent, rules: readonly Rule[], knowing?: Knowing): RuleRun {
  const { agent, rules: asked, seesAll } = askable(given, rules)
  return new RuleRun(agent, asked, STAGES, { ...knowing, known: RULES, seesAll })
}

type Need = readonly [path: keyof Needs, state: NeededState]

function needsOf({ looks, needs }: Rule): Need[] {
  return Object.entries({ ...NEEDS_OF_LOOKS[looks], ...needs }) as Need[]
}

const RANK: Readonly<Record<NeededState | 'broken', number>> = { broken: 0, readable: 1, parts: 2, sound: 3 }

function stateIn(agent: Agent, path: keyof Needs): NeededState | 'broken' {
  if (path === SCHEMA_FOLDER)
    return agent.unreadable.some(unread => isSchemaFile(unread.path)) ? 'broken' : 'sound'
  // Another rule reports a missing file, and no rule finds anything in it.
  if (agent.files.get(path) === undefined) return 'sound'
  const document = agent.documents.get(path)
  if (document === undefined) return 'broken'
  const isSound =
    path === TOOLS_FILE ? agent.tools !== undefined : (agent.shapes.get(path) ?? []).length === 0
  if (isSound) return 'sound'
  const parts = path === INTERFACES_FILE ? interfaceRecords(agent) : (agent.soundTools ?? [])
  return parts.length > 0 ? 'parts' : 'readable'
}

/** The agent itself if its tools.json is sound, or has no sound tool. */
function withSoundTools(agent: Agent): Agent {
  const soundTools = soundToolsIn(agent)
  return soundTools.length === 0 ? agent : { ...agent, soundTools }
}

function soundToolsIn({ documents, shapes, tools }: Agent): PlacedTool[] {
  const document = documents.get(TOOLS_FILE)
  const problems = shapes.get(TOOLS_FILE) ?? []
  if (document === undefined || tools !== undefined || !isTable(document.value)) return []
  // Where only the first problems are listed, the other tools may be wrong too.
  if (problems.length === 0 || problems.some(({ keyword }) => keyword === 'limit')) return []
  const version = toolsVersionOf(document)
  const entries: unknown = document.value['tools']
  if (version.is !== 'known' || !Array.isArray(entries)) return []
  const broken = new Set(problems.map(({ pointer: [list, index] }) => (list === 'tools' ? index : undefined)))
  return rawTools(document.value).flatMap((entry, index) => {
    if (broken.has(index)) return []
    const [tool] = version.row.read({ version: version.row.version, tools: [entry] }).tools
    return tool === undefined ? [] : [{ tool, index }]
  })
}

/** The same findings as `applyRules` gives. Takes a turn after each tool, schema and file. */
export function applyRulesInTurns(
  agent: Agent,
  rules: readonly Rule[],
  turn: Turn,
  knowing?: Knowing,
): Promise<Finding[]> {
  return lintRun(agent, rules, knowing).inTurns(turn)
}
