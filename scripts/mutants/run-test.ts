// A compiled test file → its first failure.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CompiledTree } from './compiled-tree.ts'
import { ROOT } from './rooms.ts'

const FAILED = /^\s*not ok \d+ - (.*)$/m

/**
 * It has its own folder for temporary files, because it is killed at the first failure, with what it started.
 *
 * @param name of a test, below test/
 * @param mostMs a change after which it goes on and on has been noticed
 * @param coverage folder for what V8 counts
 */
export function firstFailure(
  tree: CompiledTree,
  name: string,
  mostMs: number,
  coverage?: string,
): Promise<string | undefined> {
  const program = tree.pathOf(join('test', name))
  const seed = pathToFileURL(tree.pathOf('test/support/seed.ts')).href
  const temporary = mkdtempSync(join(tmpdir(), 'rlp-mutant-'))
  // Tests that become another user write here too.
  chmodSync(temporary, 0o1777)
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, ['--import', seed, '--test-reporter=tap', program], {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, TMPDIR: temporary, ...(coverage && { NODE_V8_COVERAGE: coverage }) },
    })
    let output = ''
    let found: string | undefined
    const stop = (seen: string) => {
      found ??= seen
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    }
    const clock = setTimeout(() => stop('it does not end'), mostMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const [, name] = FAILED.exec(output) ?? []
      if (name !== undefined) stop(name)
    })
    child.on('error', failed)
    child.on('close', exit => {
      clearTimeout(clock)
      rmSync(temporary, { recursive: true, force: true })
      done(exit === 0 ? found : (found ?? 'it ends early'))
    })
  })
}
