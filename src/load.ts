// VerifiedBundle → what a runtime uses. Takes nothing that was not verified, and hands out the bytes that were.
import { notGranted } from './format/containment.ts'
import type { VerifiedBundle } from './model/bundle.ts'
import type { Policy } from './model/policy.ts'
import type { Report } from './model/report.ts'
import type { Tool } from './model/tools.ts'

/** A tool that policy.caps does not grant everything it needs. It is never exposed. */
export interface DeniedTool {
  readonly id: string
  /** The first need that is not granted, as a capability string. */
  readonly capability: string
  /** `cap_missing` (systems reference §3, "policy.caps"). */
  readonly reason: 'cap_missing'
}

/** An agent bundle that may be used. */
export interface LoadedBundle {
  readonly agent: {
    readonly name: string
    readonly version: string
    readonly variant?: string
    readonly kind: string
  }
  readonly policy: Policy
  /** The tools that policy.caps grants, in the order of tools.json. */
  readonly tools: readonly Tool[]
  readonly denied: readonly DeniedTool[]
  /** Paths of all packed files. */
  readonly paths: readonly string[]
  /**
   * The verified bytes of a packed file. There is no path to open again: what was checked is what is handed out.
   *
   * @throws RangeError when the bundle has no such file
   */
  bytes(path: string): Uint8Array
  readonly report: Report
}

/** @param bundle one whose bytes were kept (`keep: 'all'`) */
export function load(bundle: VerifiedBundle): LoadedBundle {
  const { agent, report } = bundle
  const { policy, tools } = agent
  if (policy === undefined || tools === undefined || report.agent === null) {
    throw new TypeError('a verified bundle always has a policy, tools and a name')
  }
  const exposed: Tool[] = []
  const denied: DeniedTool[] = []
  for (const tool of tools.tools) {
    const [missing] = notGranted(tool, policy)
    if (missing === undefined) exposed.push(tool)
    else denied.push({ id: tool.id, capability: missing.capability, reason: 'cap_missing' })
  }
  return {
    agent: report.agent,
    policy,
    tools: exposed,
    denied,
    paths: agent.files.list.map(({ path }) => path),
    bytes(path) {
      const entry = agent.files.get(path)
      if (entry?.bytes === undefined) throw new RangeError(`the bundle has no file ${JSON.stringify(path)}`)
      return entry.bytes
    },
    report,
  }
}
