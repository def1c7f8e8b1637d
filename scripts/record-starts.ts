// One `agent verify` of a small signed bundle → scripts/starts.json, the functions that it calls, by module: what the build has compiled
// when the program is read (scripts/eager.ts). Kept with the sources, so that a build does not depend on what a machine did meanwhile;
// recorded again when many of them have changed. Usage: npm run record-starts
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { makeSigned } from './bench/inputs.ts'

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { count: number }[]
    }[]
  }[]
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(root)
mkdirSync('.tests', { recursive: true })
// In the project, so that packages are found; one file for each module, so that it is known where a function is from.
const folder = mkdtempSync(join(root, '.tests/starts-'))
try {
  writeModules()
  cpSync('package.json', join(folder, 'package.json'))
  const { bundle, home } = makeSigned(folder)
  const coverage = join(folder, 'coverage')
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'src/cli/bin.js'), 'agent', 'verify', bundle],
    { env: { HOME: home, RUNLOOP_HOME: home, NODE_V8_COVERAGE: coverage }, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`verify ended with exit ${status}: ${stderr}`)
  const called = Object.fromEntries(calledIn(coverage))
  writeFileSync('scripts/starts.json', `${JSON.stringify(called, null, 2)}\n`)
  console.log(`${Object.values(called).flat().length} functions of ${Object.keys(called).length} modules`)
} finally {
  rmSync(folder, { recursive: true })
}

function writeModules(): void {
  for (const path of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    const target = join(folder, 'src', path)
    if (path.endsWith('.js')) writeText(target, readFileSync(join('src', path), 'utf8'))
    if (!path.endsWith('.ts') || path.endsWith('.d.ts')) continue
    const { code } = transformSync(readFileSync(join('src', path), 'utf8'), { loader: 'ts' })
    writeText(
      target.replace(/\.ts$/, '.js'),
      code.replace(/(\bfrom |\bimport\(|\bimport )(["'])(\.[^"']*)\.ts\2/g, '$1$2$3.js$2'),
    )
  }
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Modules of ours and of packages, by path from the root, each with the names of its functions that ran. */
function* calledIn(coverage: string): Generator<[module: string, names: string[]]> {
  const [file = ''] = readdirSync(coverage)
  const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as Coverage
  const modules = result.filter(({ url }) => url.startsWith('file:'))
  for (const { url, functions } of modules.sort((a, b) => (a.url < b.url ? -1 : 1))) {
    const path = fileURLToPath(url)
    const module = path.startsWith(folder)
      ? relative(folder, path).replace(/\.js$/, path.includes('generated') ? '.js' : '.ts')
      : relative(root, path)
    const names = functions
      .filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => functionName)
    if (names.length > 0) yield [module, [...new Set(names)].sort()]
  }
}
