// Reads an agent at once. The parts that read-in-turns.ts loads on demand are imported here.
import type { Agent } from '../model/agent.ts'
import type { Files } from '../model/files.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { readTomlBy } from '../toml/read.ts'
import * as syntax from '../toml/syntax.ts'
import { AgentReading } from './agent-reading.ts'
import * as contents from './contents.ts'

/**
 * @param label name of this folder or bundle in messages
 * @param form `source` is a folder an author works in, `bundle` a packed or unpacked bundle
 */
export function read(files: Files, label: string, form: Agent['form'] = 'source'): Agent {
  const reading = new AgentReading(files, label, form, { entries: files.list, budget: new ParseBudget() })
  for (let next = reading.next(); next !== false; next = reading.next())
    if (next !== true) reading.add(next.path, readTomlBy(syntax, next))
  return reading.agent(reading.hasContents ? contents : undefined)
}
