// The answer of `tool list` for one agent: the tools that may be called, and those that may not. The command prints what the function returns.
import type { SafetyFacts } from '../caps/safety.ts'
import type { Tool } from '../model/tools.ts'
import type { DeniedTool } from '../verify/load.ts'
import { bundleIdentity } from '../version/reference.ts'
import { type OpenAgent, safetyOf } from './callable.ts'

export interface ListedTools {
  /** As the caller called it. */
  readonly target: string
  /** `name` or `name@variant`; null for a folder whose manifest does not say. */
  readonly agent: string | null
  /** As its manifest states it. */
  readonly version: string | null
  /** `blake3:…` of its manifest; null for a folder that an author works in, which is not verified. */
  readonly identity: string | null
  readonly isTrusted: boolean
  /** Those that may be called, in the order of tools.json. */
  readonly tools: readonly Tool[]
  /** Those that may not, with the reasons. */
  readonly denied: readonly DeniedTool[]
  /** The safety facts of interfaces.json, by the id of the tool. */
  readonly safety: Readonly<Record<string, SafetyFacts>>
}

export function listedTools({ target, agent, isTrusted }: OpenAgent): ListedTools {
  const { reference, version, bundle, tools, denied } = agent
  return {
    target: target.label,
    agent: reference,
    version,
    identity: bundle === null ? null : bundleIdentity(bundle),
    isTrusted,
    tools,
    denied,
    safety: Object.fromEntries(safetyOf(agent)),
  }
}
