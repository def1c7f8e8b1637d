// The things that there are more and more of: files in one agent, bundles in a folder, agents in a folder.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './group.ts'
import { growth } from './growth.ts'
import { makeAgent, makeAgents, makeBundles } from './inputs.ts'
import type { Row } from './row.ts'

/** Beside these are the four that every agent has: 10,000 in all are as many as an agent may have. */
const FILE_COUNTS = [1, 10, 100, 1000, 9996]

export async function measureFiles(context: Context): Promise<Row[]> {
  const { folder } = context
  const text = 'A line of a small file, as there are many of them.\n'.repeat(4)
  const made = FILE_COUNTS.map(count => {
    const names = Array.from({ length: count }, (_, index) => `data/${String(index).padStart(4, '0')}.txt`)
    const files = Object.fromEntries(names.map((name, index) => [name, `${index} ${text}`]))
    const agent = makeAgent(folder, { name: `files_${count}`, files })
    const bundle = join(folder, `files_${count}-1.0.0.agent.bundle`)
    return { count, agent, bundle, bytes: () => statSync(bundle).size }
  })
  const pack = made.map(({ agent, bundle, ...size }) => ({
    ...size,
    args: ['agent', 'pack', agent, '--out', bundle, '--force'],
  }))
  const verify = made.map(({ agent: _, bundle, ...size }) => ({
    ...size,
    args: ['agent', 'verify', bundle, '--allow-unsigned'],
  }))
  return [
    ...(await growth(context, { what: 'pack', thing: 'file', sizes: pack })),
    ...(await growth(context, { what: 'verify', thing: 'file', sizes: verify })),
  ]
}

const COUNTS = [1, 10, 100, 1000]

export async function measureBundles(context: Context): Promise<Row[]> {
  const { folder } = context
  const { home, folders } = makeBundles(folder, COUNTS)
  const sizes = folders.map(({ count, path, bytes }) => ({
    count,
    args: ['agent', 'verify', path],
    bytes: () => bytes,
  }))
  return growth(context, { what: 'verify', thing: 'bundle', sizes, home, eachUnder: 1.5 })
}

export async function measureAgents(context: Context): Promise<Row[]> {
  const { folder } = context
  const sizes = COUNTS.map(count => ({
    count,
    args: ['agent', 'lint', makeAgents(join(folder, `agents-${count}`), count)],
    bytes: () => 0,
  }))
  return growth(context, { what: 'lint', thing: 'agent', sizes, eachUnder: 5 })
}
