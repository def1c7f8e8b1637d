// Reads an agent, and lets the event loop turn between the documents. Parts that few files need are loaded when the first one needs them.
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { Candidate, Outline } from '../model/bundle.ts'
import type { Files } from '../model/files.ts'
import { part } from '../model/part.ts'
import { type Turn, WITHOUT_TURNS } from '../model/turn.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { readTomlBy } from '../toml/read.ts'
import { AgentReading } from './agent-reading.ts'

/**
 * @param label name of this folder or bundle in messages
 * @param form `source` is a folder an author works in, `bundle` a packed or unpacked bundle
 */
export function readInTurns(files: Files, label: string, form: Agent['form'], turn: Turn): Promise<Agent> {
  const entries = files.list
  return readWhole(new AgentReading(files, label, form, { entries, budget: new ParseBudget() }), turn)
}

/** A bundle's manifest alone, before the rest is read. */
export async function outline(candidate: Candidate, turn: Turn = WITHOUT_TURNS): Promise<Outline> {
  const { files, label } = candidate
  const manifest = files.get(MANIFEST_FILE)
  const budget = new ParseBudget()
  const entries = manifest === undefined ? [] : [manifest]
  const agent = await readWhole(new AgentReading(files, label, 'bundle', { entries, budget }), turn)
  let whole: Promise<Agent> | undefined
  return {
    ...candidate,
    agent,
    whole(turn) {
      const rest = { entries: files.list, budget, before: agent }
      whole ??= readWhole(new AgentReading(files, label, 'bundle', rest), turn)
      return whole
    },
  }
}

const tomlSyntax = part(() => import('../toml/syntax.ts'))
const contentsPart = part(() => import('./contents.ts'))

async function readWhole(reading: AgentReading, turn: Turn): Promise<Agent> {
  for (let next = reading.next(); next !== false; next = reading.next()) {
    if (next !== true) reading.add(next.path, readTomlBy(await tomlSyntax(), next))
    const pause = turn()
    if (pause !== undefined) await pause
  }
  const agent = reading.agent(reading.hasContents ? await contentsPart() : undefined)
  // Shapes were compared in one piece.
  const pause = turn()
  if (pause !== undefined) await pause
  return agent
}
