// What everything was measured with: machine, Node, and the tools that were compared with.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { freeBytes } from './disk.ts'
import type { Context } from './group.ts'
import { mcpbVersion } from './mcpb.ts'
import { ROUNDS } from './measure.ts'
import { runtimes } from './nodes.ts'
import { versionOf } from './process.ts'
import { programOf } from './rlp.ts'

/** Taken before anything is measured: the load is that of the others. */
export async function setting({ folder, dist, rounds }: Context): Promise<string> {
  const [cpu] = cpus()
  const load = loadavg()[0]?.toFixed(2)
  const nodes = await Promise.all(runtimes().map(({ path }) => versionOf(path)))
  const tools = [
    await shown('b3sum'),
    await shown('tar'),
    withName('npm', await versionOf('npm')),
    withName('mcpb', mcpbVersion()),
    // Its name and number, without the day on which it was made.
    (await shown('openssl', 'version')).split(' ').slice(0, 2).join(' '),
  ]
  return [
    `${cpus().length} x ${cpu?.model.trim() ?? 'unknown processor'}, ${gib(totalmem())} memory, load ${load} at the start`,
    `${process.platform} ${release()} ${process.arch}, ${gib(freeBytes(folder))} free for temporary files`,
    `rlp ${await versionOf(programOf({ dist }))}, native BLAKE3 ${await nativeVersion()}`,
    `Node ${nodes.join(', ')}`,
    tools.join(', '),
    `medians of ${rounds}${rounds < ROUNDS ? `: too few to count, the default is ${ROUNDS}` : ''}`,
  ].join('\n')
}

async function shown(program: string, ask?: string): Promise<string> {
  return (await versionOf(program, ask)) ?? `no ${program}`
}

function withName(name: string, version: string | undefined): string {
  return version === undefined ? `no ${name}` : `${name} ${version}`
}

/** Loaded here as `rlp` loads it, and not through its code, which would then use it in this process too. */
async function nativeVersion(): Promise<string> {
  try {
    await import('@napi-rs/blake-hash')
  } catch {
    return 'not in use: not installed, or not for this machine'
  }
  const about = createRequire(import.meta.url).resolve('@napi-rs/blake-hash/package.json')
  return `@napi-rs/blake-hash ${(JSON.parse(readFileSync(about, 'utf8')) as { version: string }).version}`
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(0)} GiB`
}
