// A folder with an agent that a user works in, whose module is one of fixtures/wasi or made by a test, and `rlp agent run` of it.
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentTree, type Tree, writeTree } from './agent.ts'
import { type Ran as RanHere, run as runHere } from './fake-terminal.ts'
import { useUpUser } from './next-user.ts'
import { IS_ROOT, NOBODY, type Ran, type RunOptions, rlp } from './run.ts'

export type Who = 'root' | 'user'

export interface ModulePlace {
  readonly cwd: string
  /** Without a user: root, or the one who runs the tests. */
  readonly options: RunOptions
  /** Runs `rlp agent run` of the folder, with arguments for the module behind `--`. As root, every run is as another user. */
  run(args: readonly string[], more?: Partial<RunOptions>): Promise<Ran>
  /** The same in this process, for a user who need not be another. Standard input is empty. */
  here(args: readonly string[]): Promise<RanHere>
  /** Lets `attacks.wasm` make all these attempts in one run, and returns the lines that it answered. */
  each(attempts: readonly Attempt[], args?: readonly string[]): Promise<Ran & { answers: string[] }>
}

/** The name of an attempt in fixtures/wasi/attacks.c, and its arguments. */
export type Attempt = readonly string[]

export const ATTACKS: Uint8Array = fixture('attacks')

export function fixture(name: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, '../../fixtures/wasi', `${name}.wasm`))
}

/** @param cwd which programs may be granted a folder of */
export function modulePlace(
  cwd: string,
  { module = ATTACKS, caps = '', who = 'root', files = {} }: ModuleFacts = {},
): ModulePlace {
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  const all: Tree = { 'policy.caps': `[capabilities]\n${caps}`, 'bin/mini.wasm': module, ...files }
  writeTree(join(cwd, 'mini'), agentTree({ files: all }))
  const uid = who === 'user' && IS_ROOT ? NOBODY : undefined
  const env = { HOME: home, RUNLOOP_HOME: join(home, '.runloop') }
  const options: RunOptions = { cwd, env, ...(uid !== undefined && { uid }) }
  const line = (args: readonly string[]) => ['agent', 'run', './mini', '--unverified', ...args]
  const start: ModulePlace['run'] = async (args, more = {}) => {
    if (uid !== undefined) own(cwd, uid)
    else await useUpUser()
    return rlp(line(args), { ...options, ...more })
  }
  return {
    cwd,
    options,
    run: start,
    async here(args) {
      const { HOME: before, PATH } = process.env
      process.env['HOME'] = home
      try {
        return await runHere(line(args), undefined, { cwd, env: { PATH, ...env } })
      } finally {
        if (before === undefined) delete process.env['HOME']
        else process.env['HOME'] = before
      }
    },
    async each(attempts, args = []) {
      writeFileSync(join(cwd, 'attempts'), attempts.map(words => `${words.join('\t')}\n`).join(''))
      const ran = await start(['--input', 'attempts', ...args, '--', 'each'])
      return { ...ran, answers: ran.stdout.trimEnd().split('\n') }
    },
  }
}

interface ModuleFacts {
  readonly module?: Uint8Array
  readonly caps?: string
  readonly who?: Who
  readonly files?: Tree
}

/** Gives everything below it to a user. Root's own program runs as another one, who may write where all may. */
function own(path: string, uid: number): void {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return
  chownSync(path, uid, uid)
  if (!stats.isDirectory()) return
  for (const name of readdirSync(path)) own(join(path, name), uid)
}

/** A folder that every program may write, with a file in it. */
export function open(path: string): string {
  mkdirSync(path)
  chmodSync(path, 0o1777)
  return path
}
