// Compares what a command answers with --json with what the function of the library answers from the same files.
import assert from 'node:assert/strict'
import { serialize } from '../../src/contract/serialize.ts'
import { run } from './fake-terminal.ts'
import { portable } from './kept-calls.ts'
import { keep } from './put-back.ts'

/**
 * Runs a line in a folder with `--json`, puts the files of the folder back, and calls the function. The folder stays as the function left it.
 *
 * @returns what the command answered
 */
export async function sameAnswer(
  cwd: string,
  args: readonly string[],
  call: () => Promise<unknown>,
): Promise<Readonly<Record<string, unknown>>> {
  const kept = keep(cwd)
  const { stdout, stderr } = await run([...args, '--json'], undefined, { cwd, env: { ...process.env } })
  kept.putBack()
  const { result } = JSON.parse(stdout)
  assert.notEqual(result, undefined, `${args.join(' ')}: ${stdout}${stderr}`)
  const answer: unknown = JSON.parse(serialize(await call()))
  assert.deepEqual(portable(cwd, result), portable(cwd, answer), args.join(' '))
  return result
}
