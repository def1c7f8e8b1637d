// Reads and lints a large tools.json, against `JSON.parse` of the same text.

import { read } from '../../src/format/agent/read-agent.ts'
import { lint } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { agentTree } from '../../test/support/agent.ts'
import { memoryFiles } from '../../test/support/memory.ts'
import type { Context } from './group.ts'
import { toolFiles } from './inputs.ts'
import { alternate } from './measure.ts'
import { CannotRun } from './process.ts'
import { type Row, timesAsLong } from './row.ts'

const TOOLS = 5000
const MOST = 15

export async function measureTools({ rounds }: Context): Promise<Row[]> {
  const tree = agentTree({ files: toolFiles(TOOLS) })
  const text = String(tree['tools.json'])
  const files = memoryFiles(tree)
  const found = await alternate(rounds, {
    lint: () => {
      const [finding] = lint(read(files, 'mini'), UNPREPARED, undefined, new Date())
      if (finding !== undefined) throw new CannotRun(`lint finds ${finding.rule}: ${finding.message}`)
    },
    parse: () => JSON.parse(text),
  })
  const what = `lint of 5,000 tools, ${(text.length / 1e6).toFixed(1)} MB, warm`
  return [timesAsLong({ what, own: found.lint, other: found.parse, name: 'JSON.parse' }, MOST)]
}
