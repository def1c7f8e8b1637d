// Lints an agent with a large tools.json as published, in a process that has done it before, against `JSON.parse` of the same text.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { agentTree, writeTree } from '../../test/support/agent.ts'
import type { Context } from './group.ts'
import { toolFiles } from './inputs.ts'
import { alternate } from './measure.ts'
import { CannotRun } from './process.ts'
import { type Row, timesAsLong } from './row.ts'

const TOOLS = 5000
const MOST = 13

type Library = typeof import('../../src/library/generated/index.ts')

export async function measureTools({ folder, dist, rounds }: Context): Promise<Row[]> {
  const { lint } = (await import(pathToFileURL(join(dist, 'library/index.js')).href)) as Library
  const tree = agentTree({ files: toolFiles(TOOLS) })
  const agent = join(folder, 'mini')
  writeTree(agent, tree)
  const text = String(tree['tools.json'])
  const found = await alternate(rounds, {
    lint: async () => {
      const [finding] = (await lint(agent)).findings
      if (finding !== undefined) throw new CannotRun(`lint finds ${finding.rule}: ${finding.message}`)
    },
    parse: () => JSON.parse(text),
  })
  const what = `lint of 5,000 tools, ${(text.length / 1e6).toFixed(1)} MB, warm`
  return [timesAsLong({ what, own: found.lint, other: found.parse, name: 'JSON.parse' }, MOST)]
}
