// What pipelines run all the time, on small agents and bundles → scripts/starts.json: the functions that they call, by module, which the
// build has compiled when the program is read (scripts/eager.ts) and leaves where they are (scripts/set-aside.ts). Kept with the sources,
// so that a build does not depend on what a machine did meanwhile; recorded again when many of them have changed.
// Usage: npm run record-starts
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { makeSigned } from './bench/inputs.ts'
import { BUNDLE, STEPS } from './main-job.ts'

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { count: number }[]
    }[]
  }[]
}

/** Of what the main job leaves behind: agents by name and by path, for people and for programs. */
const STARTS: readonly (readonly [command: string, ...starts: readonly (readonly string[])[]])[] = [
  ['verify', [BUNDLE], [BUNDLE, '--json']],
  ['lint', ['mailer'], ['agents/mailer', '--json']],
  ['digest', ['mailer'], ['agents/mailer', '--json']],
  ['pack', ['mailer', '--out-dir', 'again'], ['agents/mailer', '--out', 'again.agent.bundle', '--json']],
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(root)
mkdirSync('.tests', { recursive: true })
// In the project, so that packages are found; one file for each module, so that it is known where a function is from.
const folder = mkdtempSync(join(root, '.tests/starts-'))
const recorded = { NODE_V8_COVERAGE: join(folder, 'coverage') }
try {
  writeModules()
  cpSync('package.json', join(folder, 'package.json'))
  const { bundle, home } = makeSigned(folder)
  run(['agent', 'verify', bundle], { RUNLOOP_HOME: home, ...recorded })
  for (const [, args] of STEPS) {
    run(args, {})
    if (args[1] === 'scaffold') remark(join(folder, 'agents/mailer'))
  }
  const record = () => {
    for (const [command, ...starts] of STARTS)
      for (const args of starts) run(['agent', command, ...args], recorded)
  }
  record()
  // Where it was installed, a record says how new it was.
  run(['agent', 'install', BUNDLE, '--yes'], {})
  record()
  const called = sorted(calledFunctions())
  writeFileSync('scripts/starts.json', `${JSON.stringify(called, null, 2)}\n`)
  console.log(`${Object.values(called).flat().length} functions of ${Object.keys(called).length} modules`)
} finally {
  rmSync(folder, { recursive: true })
}

/** As people do. */
function remark(agent: string): void {
  for (const file of ['manifest.toml', 'policy.caps']) appendFileSync(join(agent, file), '# a comment\n')
}

/** In a folder of their own, and with a home there. */
function run(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'src/cli/bin.js'), ...args], {
    cwd: folder,
    env: { HOME: folder, RUNLOOP_HOME: join(folder, 'home'), ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with exit ${status}: ${stderr}`)
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
function calledFunctions(): Map<string, Set<string>> {
  const called = new Map<string, Set<string>>()
  for (const file of readdirSync(recorded.NODE_V8_COVERAGE)) {
    const { result } = JSON.parse(readFileSync(join(recorded.NODE_V8_COVERAGE, file), 'utf8')) as Coverage
    for (const { url, functions } of result.filter(({ url }) => url.startsWith('file:'))) {
      const ran = functions.filter(
        ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
      )
      const names = called.get(moduleAt(url)) ?? new Set()
      for (const { functionName } of ran) names.add(functionName)
      if (names.size > 0) called.set(moduleAt(url), names)
    }
  }
  return called
}

function sorted(
  called: ReadonlyMap<string, ReadonlySet<string>>,
): Readonly<Record<string, readonly string[]>> {
  const modules = [...called].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(modules.map(([module, names]) => [module, [...names].sort()]))
}

function moduleAt(url: string): string {
  const path = fileURLToPath(url)
  return path.startsWith(folder)
    ? relative(folder, path).replace(/\.js$/, path.includes('generated') ? '.js' : '.ts')
    : relative(root, path)
}
