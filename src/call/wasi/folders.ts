// What policy.caps grants of files, after overrides → what the sandbox opens, and the folders that a module finds. WASI preview 1 hands a
// module folders that are open before it starts, each by its own path.

import { kindAt } from '../../io/find/search-folders.ts'
import { runloopHome, userHome } from '../../io/home.ts'
import type { Setting } from '../../io/setting.ts'
import type { Policy } from '../../model/policy.ts'
import type { SandboxProfile } from '../../model/sandbox.ts'
import { policyGrants } from '../../policy/ceiling.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { plainFolder } from '../../policy/folder.ts'

/** Capabilities as a tool would list them; nothing of the network. What is in the folder of rlp itself is opened for no program. */
export function fileGrants(policy: Policy, { env }: Pick<Setting, 'env'>): readonly string[] {
  return folderGrants(policy)
    .filter(({ scope }) => !isOwn(scope, env))
    .map(({ text }) => text)
}

/** Grants that {@link fileGrants} leaves out although there is something. */
export function keptBack(policy: Policy, { env }: Pick<Setting, 'env'>): readonly string[] {
  return folderGrants(policy)
    .map(({ scope }) => scope)
    .filter(path => isOwn(path, env) && kindAt(whole(path)) !== undefined)
}

function folderGrants(policy: Policy) {
  return policyGrants(policy).flatMap(({ family, scope, text }) =>
    scope !== undefined && capabilityFamily(family).scope === 'folder' ? { scope, text } : [],
  )
}

function isOwn(path: string, env: Setting['env']): boolean {
  // Also the usual place, where another one is named: keys may be there too.
  return [runloopHome(env), runloopHome({})].some(home => `${whole(path)}/`.startsWith(`${home}/`))
}

function whole(path: string): string {
  const plain = plainFolder(path)
  return plain.startsWith('~/') ? `${userHome()}${plain.slice(1)}` : plain
}

export interface OpenedFolders {
  /** By the path that the module knows. */
  readonly folders: Readonly<Record<string, string>>
  /** Granted, and no folder. */
  readonly left: readonly string[]
}

export function openedFolders({ reads, writes }: SandboxProfile): OpenedFolders {
  const paths = [...reads, ...writes].sort()
  const isFolder = (path: string) => kindAt(path) === 'folder'
  return {
    folders: Object.fromEntries(paths.filter(isFolder).map(path => [path, path])),
    left: paths.filter(path => !isFolder(path)),
  }
}
