// Works out which programs a set of tools starts, and what each may reach on this host. Pure.
import { join } from 'node:path'
import type { SandboxLimits, SandboxProfile } from '../model/sandbox.ts'
import type { Tool } from '../model/tools.ts'
import { readCapability } from '../policy/capability.ts'
import { capabilityFamily } from '../policy/families/index.ts'
import { plainFolder } from '../policy/folder.ts'
import { transportKind } from '../tools/transports/index.ts'

/** Bounds of each process, but for memory, which an operator may raise. */
export const SANDBOX_LIMITS: SandboxLimits = { memoryMb: 2048, processes: 128, fileMb: 4096, openFiles: 1024 }

/** What a program needs: of a tool, or of an agent itself. */
export interface ProgramNeeds {
  readonly capabilities: readonly string[]
  readonly rlp?: { readonly memoryMb?: number | undefined }
}

/**
 * A tool is exposed only if policy.caps and its overrides grant everything that it lists, so what it lists is the intersection of all three.
 * `fs` reads: some readers let it write, and the narrowest meaning decides.
 *
 * @param home for grants that begin with `~/`
 */
export function profileOf(
  { capabilities, rlp }: ProgramNeeds,
  home: string,
  memoryMb: number = SANDBOX_LIMITS.memoryMb,
): SandboxProfile {
  const reads = new Set<string>()
  const writes = new Set<string>()
  const hosts = new Set<string>()
  for (const text of capabilities) {
    const capability = readCapability(text)
    if ('problem' in capability) continue
    const { family, scope } = capability
    const { opens } = capabilityFamily(family)
    if (opens === 'read') reads.add(folderAt(scope, home))
    if (opens === 'write') writes.add(folderAt(scope, home))
    if (opens === 'host') hosts.add(scope ?? '')
  }
  return {
    reads: [...reads].filter(path => !writes.has(path)).sort(),
    writes: [...writes].sort(),
    hosts: [...hosts].sort(),
    limits: { ...SANDBOX_LIMITS, memoryMb: Math.min(memoryMb, rlp?.memoryMb ?? memoryMb) },
  }
}

/** Without a folder a capability means the whole disk. */
function folderAt(scope: string | undefined, home: string): string {
  const path = plainFolder(scope ?? '/')
  const whole = path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
  return whole.length > 1 && whole.endsWith('/') ? whole.slice(0, -1) : whole
}

/** Their paths as written; a program of several tools appears several times. */
export function programsOf(tools: readonly Pick<Tool, 'transport'>[]): readonly string[] {
  return tools.flatMap(({ transport }) => transportKind(transport).record.program(transport)?.command ?? [])
}
