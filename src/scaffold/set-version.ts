// Sets the version in an agent's manifest, and changes nothing else.

import { join } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { writePath } from '../text/shell-words.ts'
import { editToml } from '../toml/edit.ts'
import { isOlder, isVersion, parseVersion } from '../version/version.ts'

export const BUMPS = ['patch', 'minor', 'major'] as const

interface NewVersion {
  readonly before: string
  readonly after: string
  /** Of manifest.toml. */
  readonly text: string
}

/**
 * @param how `patch`, `minor`, `major`, or the version itself
 * @throws UsageError for another word, and for a version that is not newer; RlpError LINT_FAILED, NOT_EDITABLE
 */
function newVersion(agent: Agent, how: string): NewVersion {
  const document = agent.documents.get(MANIFEST_FILE)
  const before = agent.manifest?.version
  if (document === undefined || before === undefined || !isVersion(before)) {
    throw new RlpError(
      'LINT_FAILED',
      `Cannot set the version of "${agent.label}": ${MANIFEST_FILE} has none`,
      {
        hint: `Run rlp agent lint ${writePath(agent.label)}, which shows how to put it right`,
      },
    )
  }
  const after = nextVersion(before, how)
  if (!isOlder(before, after)) {
    throw new UsageError(`Cannot set the version of "${agent.label}" to ${after}: it is ${before} now`, {
      field: 'version',
      hint: 'Name a newer one: where a version was installed, an older one is refused',
    })
  }
  return { before, after, text: editToml(document, [{ path: ['agent', 'version'], set: after }]) }
}

/** Whether {@link newVersion} knows the word. */
export function isNewVersion(how: string): boolean {
  return (BUMPS as readonly string[]).includes(how) || isVersion(how)
}

/** A pre-release becomes its release, if that is as far as the word goes: 1.2.0-rc.1 and `minor` are 1.2.0. */
function nextVersion(before: string, how: string): string {
  const at = (BUMPS as readonly string[]).indexOf(how)
  if (at === -1) {
    if (isVersion(how)) return how
    throw new UsageError(`Cannot set the version to ${JSON.stringify(how)}: it is no version`, {
      field: 'version',
      expected: `${BUMPS.join(', ')}, or a version such as 1.2.0`,
    })
  }
  const { numbers = [], before: parts = [] } = parseVersion(before) ?? {}
  const [major = 0, minor = 0, patch = 0] = numbers
  const isReached = parts.length > 0
  if (at === 0) return `${major}.${minor}.${isReached ? patch : patch + 1}`
  if (at === 1) return `${major}.${isReached && patch === 0 ? minor : minor + 1}.0`
  return `${isReached && minor === 0 && patch === 0 ? major : major + 1}.0.0`
}

export interface VersionResult {
  /** As the caller called it. */
  readonly agent: string
  readonly before: string
  readonly after: string
  /** True: a version that is not newer is refused. */
  readonly changed: boolean
}

export async function versionAgent(target: Target, version: string, io: Setting): Promise<VersionResult> {
  const agent = await readSourceFolder(target, 'held', io)
  const { before, after, text } = newVersion(agent, version)
  await replaceFile(join(target.path, MANIFEST_FILE), text, {
    label: `${target.label}/${MANIFEST_FILE}`,
    before: agent.files.get(MANIFEST_FILE)?.bytes,
    signal: io.signal,
  })
  return { agent: target.label, before, after, changed: true }
}
