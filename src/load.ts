// VerifiedBundle → what a runtime uses. Takes nothing that was not verified, and hands out the bytes that were.
import { denials, effectivePolicy, type SoundOverride } from './effective.ts'
import type { DenialReason } from './format/capability/containment.ts'
import type { VerifiedBundle } from './model/bundle.ts'
import type { Policy } from './model/policy.ts'
import type { Report } from './model/report.ts'
import type { Tool } from './model/tools.ts'

/** A tool that policy.caps, or an override of it, does not grant everything it needs. It is never exposed. */
export interface DeniedTool {
  readonly id: string
  /** The first need that is not granted, as a capability string. */
  readonly capability: string
  /** In the words of the existing runtime (systems reference §3, "policy.caps"). */
  readonly reason: DenialReason
  /** Who does not grant it: `policy.caps`, or the override that takes it away; undefined for several of them together. */
  readonly by: string | undefined
}

/** An agent bundle that may be used. */
export interface LoadedBundle {
  readonly agent: {
    readonly name: string
    readonly version: string
    readonly variant?: string
    readonly kind: string
  }
  /** What overrides leave of policy.caps. */
  readonly policy: Policy
  /** The tools that it grants, in the order of tools.json. */
  readonly tools: readonly Tool[]
  readonly denied: readonly DeniedTool[]
  /** Paths of all packed files. */
  readonly paths: readonly string[]
  /**
   * The verified bytes of a packed file, a copy for each caller. There is no path to open again: what was checked is what is handed out.
   *
   * @throws RangeError when the bundle has no such file
   */
  bytes(path: string): Uint8Array
  readonly report: Report
}

/**
 * @param bundle one whose bytes were kept (`keep: 'all'`)
 * @param overrides the operator's, for this agent on this host; each only tightens
 */
export function load(bundle: VerifiedBundle, overrides: readonly SoundOverride[] = []): LoadedBundle {
  const { agent, report } = bundle
  const { policy, tools } = agent
  if (policy === undefined || tools === undefined || report.agent === null) {
    throw new TypeError('a verified bundle always has a policy, tools and a name')
  }
  const exposed: Tool[] = []
  const denied: DeniedTool[] = []
  const effective = effectivePolicy(policy, overrides)
  for (const tool of tools.tools) {
    const [missing] = denials(tool, effective)
    if (missing === undefined) exposed.push(tool)
    else {
      const { need, reason, by } = missing
      denied.push({ id: tool.id, capability: need.capability, reason, by })
    }
  }
  return {
    agent: report.agent,
    policy: effective.policy,
    tools: exposed,
    denied,
    paths: agent.files.list.map(({ path }) => path),
    bytes(path) {
      const entry = agent.files.get(path)
      if (entry?.content === undefined) throw new RangeError(`the bundle has no file ${JSON.stringify(path)}`)
      return entry.content.slice()
    },
    report,
  }
}
