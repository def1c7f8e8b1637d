// A folder with one valid agent, mini/, and the question that most tests of bad input ask: this call, this exit, these words, nothing written.
import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentFacts, agentTree, writeTree } from './agent.ts'
import { snapshot } from './folder.ts'
import { type HereOptions, rlpHere } from './here.ts'
import type { Ran } from './run.ts'

/** Writes `mini/` into a folder. Everybody may write there, for tests that run as another user. */
export function project(folder: string, facts: AgentFacts = {}): string {
  chmodSync(folder, 0o777)
  writeTree(join(folder, 'mini'), agentTree(facts))
  return folder
}

export interface Refusal {
  readonly exit: number
  /** On standard output or standard error; every one of them. */
  readonly says: RegExp | readonly RegExp[]
}

/**
 * Runs the command in `cwd` and asserts how it ends, what it says, and that nothing below `cwd` has changed.
 *
 * @param how in this process, or `rlp`: in one of its own
 */
export async function assertRefused(
  args: readonly string[],
  { exit, says }: Refusal,
  options: HereOptions,
  how: (args: readonly string[], options: HereOptions) => Promise<Ran> = rlpHere,
): Promise<Ran> {
  const before = snapshot(options.cwd)
  const ran = await how(args, options)
  const said = ran.stdout + ran.stderr
  assert.deepEqual({ exit: ran.exit, signal: ran.signal }, { exit, signal: null }, said)
  for (const pattern of Array.isArray(says) ? says : [says]) assert.match(said, pattern)
  assert.doesNotMatch(said, /^\s+at /m, 'a stack')
  assert.deepEqual(snapshot(options.cwd), before)
  return ran
}

export interface Batch {
  readonly what: string
  /** Makes the valid agent in this folder, which is called mini, bad. */
  readonly harm: (mini: string) => unknown
  /** In the words with which pack refuses it. */
  readonly says: RegExp
}

/**
 * Agents that pack refuses, all in one call: exit 1, one failure for each, nothing written.
 *
 * @param how in this process, or `rlp`: in one of its own, for what could wait for ever
 * @returns what was said about each, in the order of the cases
 */
export async function packBatch(
  folder: string,
  cases: readonly Batch[],
  how: (args: readonly string[], options: HereOptions) => Promise<Ran> = rlpHere,
): Promise<string[]> {
  const labels: string[] = []
  for (const { harm } of cases) {
    const label = `${labels.length}/mini`
    writeTree(join(folder, label), agentTree())
    await harm(join(folder, label))
    labels.push(label)
  }
  const before = snapshot(folder)
  const ran = await how(['agent', 'pack', '--json', ...labels], { cwd: folder })
  assert.deepEqual(
    { exit: ran.exit, signal: ran.signal, stderr: ran.stderr },
    { exit: 1, signal: null, stderr: '' },
  )
  assert.deepEqual(snapshot(folder), before)
  const { bundles, failed } = JSON.parse(ran.stdout).result as {
    bundles: { agent: string }[]
    failed: { target: string; code: string; message: string }[]
  }
  assert.deepEqual(
    bundles.map(({ agent }) => cases[labels.indexOf(agent)]?.what),
    [],
    'packed',
  )
  return labels.map(label => {
    const { code, message } = failed.find(({ target }) => target === label) ?? { code: '', message: '' }
    assert.match(code, /^(?:LINT_FAILED|DIGEST_STALE)$/)
    return message
  })
}
