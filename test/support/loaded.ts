// Lists what a start of the built program loads: files of the program, and parts of Node.
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtProgram } from './built.ts'
import { rlp } from './run.ts'

/** Says at the end which files of the program and which parts of Node were loaded since the hook. */
const HOOK = `
const before = new Set(process.moduleLoadList)
process.once('exit', () => {
  const files = Object.keys(require.cache).filter(path => path.includes('program'))
  const parts = process.moduleLoadList.filter(part => !before.has(part))
  require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify({ files, parts }))
})
`

export interface Loaded {
  readonly files: readonly string[]
  readonly parts: readonly string[]
}

/** @param folder where the program starts, and the hook writes */
export async function loadedIn(
  folder: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Loaded> {
  const [hook, out] = [join(folder, 'loaded.cjs'), join(folder, 'loaded.json')]
  writeFileSync(hook, HOOK)
  const { exit, stdout, stderr } = await rlp(args, {
    cwd: folder,
    program: builtProgram(),
    nodeArgs: ['--require', hook],
    env: { LOADED: out, ...env },
  })
  assert.equal(exit, 0, stdout + stderr)
  return JSON.parse(readFileSync(out, 'utf8')) as Loaded
}

export function kilobytesOf({ files }: Pick<Loaded, 'files'>): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0) / 1000
}
