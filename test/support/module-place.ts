// A folder with an agent that a user works in, whose module is one of fixtures/wasi or made by a test, and `rlp agent run` of it.
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentTree, type Tree, writeTree } from './agent.ts'
import { IS_ROOT, NOBODY, type Ran, type RunOptions, rlp } from './run.ts'

export type Who = 'root' | 'user'

export interface ModulePlace {
  readonly cwd: string
  /** Without a user: root, or the one who runs the tests. */
  readonly options: RunOptions
  /** `rlp agent run` of the folder, with arguments for the module behind `--`. */
  run(args: readonly string[], more?: Partial<RunOptions>): Promise<Ran>
}

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
  return {
    cwd,
    options,
    run(args, more = {}) {
      if (uid !== undefined) own(cwd, uid)
      return rlp(['agent', 'run', './mini', '--unverified', ...args], { ...options, ...more })
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
