// Sizes and counts of the package, of a start, and of a warm load.
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentTree, writeTree } from './agent.ts'
import { keptText, tried, writeKept } from './kept-data.ts'
import { ROOT } from './lint-fixtures.ts'
import { kilobytesOf, loadedIn } from './loaded.ts'
import { signedBundle, signer } from './signed.ts'

/** A number by its name. */
export type Numbers = ReadonlyMap<string, number>

/** Numbers that belong to one version of Node. */
const OF_NODE_20 = /^warm-load /
export const IS_NODE_20: boolean = process.versions.node.startsWith('20.')

const HEAD = `# What may differ: nothing if a line ends with "exact". "of Node 20" compares there alone. UPDATE_GOLDEN=1 keeps these words.
`
/** For numbers that are new. */
const usual = (name: string) =>
  `${/\bbytes\b/.test(name) ? 'within 1 %' : 'exact'}${OF_NODE_20.test(name) ? ', of Node 20' : ''}`

/** Lines such as \`name: number (exact)\`. */
function keptNumbers(): ReadonlyMap<string, { readonly number: number; readonly tolerance: string }> {
  const lines = keptText('numbers.txt').matchAll(/^([^#\n][^:]*): (\d+) \((.+)\)$/gm)
  return new Map(
    Array.from(lines, ([, name = '', number, tolerance = '']) => [
      name,
      { number: Number(number), tolerance },
    ]),
  )
}

export function writeNumbers(made: Numbers): void {
  const kept = keptNumbers()
  const lines = [...made].map(([name, number]) => {
    const before = kept.get(name)
    const { tolerance } = before ?? { tolerance: usual(name) }
    return `${name}: ${before && isSame(before, number) ? before.number : number} (${tolerance})\n`
  })
  writeKept('numbers.txt', HEAD + lines.join(''))
}

/** @returns what is different, one text each */
export function differingNumbers(made: Numbers): string[] {
  const kept = keptNumbers()
  return [...made].flatMap(([name, number]) => {
    const before = kept.get(name)
    if (before?.tolerance.endsWith('of Node 20') && !IS_NODE_20) return []
    if (before !== undefined && isSame(before, number)) return []
    return [
      `${name}: ${number}, and ${before?.number ?? 'nothing'} is kept (${before?.tolerance ?? 'a new name'})`,
    ]
  })
}

function isSame(kept: { readonly number: number; readonly tolerance: string }, now: number): boolean {
  const percent = Number(/^within (\d+) %/.exec(kept.tolerance)?.[1] ?? 0)
  return Math.abs(now - kept.number) * 100 <= percent * kept.number
}

/** The files of the package and their bytes, as npm unpacks them: package.json is that of the checkout without what publishing strips. */
export function packageNumbers(): Numbers {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const listed = manifest.files as string[]
  const named = listed.filter(name => !name.startsWith('!'))
  const excluded = listed.filter(name => name.startsWith('!')).map(name => name.slice(1))
  const left = (path: string) => excluded.some(name => path === name || path.startsWith(`${name}/`))
  const paths = [...named, 'LICENSE', 'README.md'].flatMap(filesBelow).filter(path => !left(path))
  const { scripts: _, devDependencies: __, ...packed } = manifest
  const sizes = paths.map(path => lstatSync(join(ROOT, path)).size)
  const own = Buffer.byteLength(`${JSON.stringify(packed, null, 2)}\n`)
  return new Map([
    ['package files', paths.length + 1],
    ['package bytes unpacked', sizes.reduce((sum, size) => sum + size, own)],
  ])
}

function filesBelow(path: string): string[] {
  const place = join(ROOT, path)
  if (!lstatSync(place).isDirectory()) return [path]
  return readdirSync(place).flatMap(name => filesBelow(`${path}/${name}`))
}

/** Measures the starts of test/product/start.test.ts, by day one of three. */
export async function startNumbers(folder: string): Promise<Numbers> {
  writeWorld(folder)
  writeTree(join(folder, 'mini'), agentTree())
  const starts = [
    ['--version'],
    ['agent', 'lint', 'mini'],
    ['agent', 'digest', 'mini'],
    ['key', 'list'],
    ['agent', 'verify', BUNDLE],
  ]
  const numbers = new Map<string, number>()
  for (const args of tried(starts, 3)) {
    const loaded = await loadedIn(folder, { RUNLOOP_HOME: folder }, ...args)
    const name = `start rlp ${args.slice(0, 2).join(' ')}`
    numbers.set(`${name}, files loaded`, loaded.files.length)
    numbers.set(`${name}, bytes of these files`, Math.round(kilobytesOf(loaded) * 1000))
  }
  return numbers
}

/** Nothing is collected or compiled anew in between, so that what is in use at the end is what was allocated. */
const MEASURED = [
  ...['--max-semi-space-size=512', '--min-semi-space-size=512', '--no-opt', '--no-sparkplug'],
  ...['--no-lazy-feedback-allocation', '--initial-old-space-size=1024'],
]

/** Measures a load of a small bundle after the first ones. */
export function warmLoadNumbers(): Numbers {
  // Not below TMPDIR: the folders above a trust policy are looked at, so that a path of another length costs other bytes.
  const folder = mkdtempSync('/tmp/rlp-warm-')
  try {
    writeWorld(folder)
    return measuredIn(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function measuredIn(folder: string): Numbers {
  const measured = (nodeArgs: readonly string[], what: string) => {
    const script = join(ROOT, 'test/support/warm-load.mjs')
    const args = [...nodeArgs, script, join(ROOT, 'dist/library/index.js'), folder, what]
    const { NODE_OPTIONS: _, ...env } = process.env
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env }))
  }
  const { calls } = measured([], 'calls') as { calls: Readonly<Record<string, number>> }
  const { bytes } = measured(MEASURED, 'bytes') as { bytes: number }
  const byName = Object.entries(calls).sort(([one], [other]) => (one < other ? -1 : 1))
  return new Map([
    ['warm-load bytes allocated', bytes],
    ...byName.map(([name, count]) => [`warm-load calls of ${name}`, count] as const),
  ])
}

const BUNDLE = 'mini-1.0.0.agent.bundle'

function writeWorld(folder: string): void {
  const key = signer(7)
  writeFileSync(join(folder, BUNDLE), signedBundle(agentTree(), key))
  const policy = `[anchors]\nus = "${key.anchor}"\n\n[rules]\nus = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`
  writeFileSync(join(folder, 'trust-policy.toml'), policy, { mode: 0o644 })
}
