// An agent's folder → the same with another version in its manifest, on disk.
import { join } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { type CallerOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { setVersion } from './set-version.ts'

export interface VersionResult {
  /** As the caller called it. */
  readonly agent: string
  readonly before: string
  readonly after: string
  /** True: a version that is not newer is refused. */
  readonly changed: boolean
}

/**
 * Sets the version in an agent's manifest, and touches nothing else in it.
 *
 * @param version `patch`, `minor`, `major`, or the version itself, which has to be newer
 *
 * @example
 * const { before, after } = await setVersion('agents/mailer', 'minor')
 * console.log(before, after)
 *
 * @throws {@link RlpError} `USAGE` for what is no version, or not newer; `LINT_FAILED`, `NOT_EDITABLE`, `CANCELLED`
 */
export async function setVersionPath(
  path: PathGiven,
  version: string,
  options: CallerOptions = {},
): Promise<VersionResult> {
  return runVerb('setVersion', options, (_, io) =>
    versionAgent(targetGiven(path, io, 'set the version of'), version, io),
  )
}

export async function versionAgent(target: Target, version: string, io: Setting): Promise<VersionResult> {
  const agent = await readSourceFolder(target, 'held', io)
  const { before, after, text } = setVersion(agent, version)
  await replaceFile(join(target.path, MANIFEST_FILE), text, {
    label: `${target.label}/${MANIFEST_FILE}`,
    before: agent.files.get(MANIFEST_FILE)?.bytes,
    signal: io.signal,
  })
  return { agent: target.label, before, after, changed: true }
}
