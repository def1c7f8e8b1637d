// Target: folders inside an agent, some with a manifest of their own. What is read is what is outside of those, and each of those is an
// agent that is found and read by itself.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readTree } from '../../../src/io/read/read-tree.ts'
import { RlpError } from '../../../src/model/error.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'

const FOLDERS = ['variants', 'pro', 'bin', 'schemas', 'a', 'manifest']
const FILES = [
  'manifest.toml',
  'notes.md',
  'policy.caps',
  'tools.json',
  'manifest.tom',
  '.hidden',
  'manifest.toml.txt',
]

export const NESTED_TARGET: Target = {
  name: 'nested-agents',
  share: 80,
  make: random => Buffer.from(pathsOf(random).join('\n')),
  answer: judge,
}

function pathsOf(random: Random): string[] {
  const paths = Array.from({ length: random.between(1, 12) }, () =>
    [...Array.from({ length: random.below(4) }, () => random.pick(FOLDERS)), random.pick(FILES)].join('/'),
  )
  return [...new Set(['manifest.toml', ...paths])]
}

async function judge(input: Uint8Array, folder: string): Promise<string> {
  const paths = new TextDecoder().decode(input).split('\n')
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), path)
  }
  const agents = paths.flatMap(path => (path.endsWith('/manifest.toml') ? dirname(path) : []))
  await same(folder, '', paths, agents)
  for (const agent of agents) await same(join(folder, agent), `${agent}/`, paths, agents)
  return agents.length === 0 ? 'one agent' : 'several agents'
}

/** @param below the agent's folder, with a slash, or empty */
async function same(
  folder: string,
  below: string,
  paths: readonly string[],
  agents: readonly string[],
): Promise<void> {
  const inner = agents.filter(agent => `${agent}/` !== below && `${agent}/`.startsWith(below))
  const wanted = paths
    .filter(path => path.startsWith(below) && !inner.some(agent => path.startsWith(`${agent}/`)))
    .map(path => path.slice(below.length))
    .filter(path => !path.split('/').some(segment => segment.startsWith('.')))
  const read = await readTree(folder, 'agent', { as: 'source', digest: 'all' }).catch((error: unknown) => {
    if (error instanceof RlpError) return undefined
    throw error
  })
  demand(read !== undefined, `the agent in "${below}" cannot be read`)
  const found = read.list.map(({ path }) => path)
  demand(
    JSON.stringify(found.toSorted()) === JSON.stringify(wanted.toSorted()),
    `"${below}" has ${found.toSorted().join()} and should have ${wanted.toSorted().join()}`,
  )
}
