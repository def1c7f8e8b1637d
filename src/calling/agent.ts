// A verified bundle, or a folder that somebody vouches for → the agent whose tools may be called.

import type { SoundOverride } from '../effective.ts'
import { type EffectivePolicy, exposure } from '../effective.ts'
import { load } from '../load.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { VerifiedBundle } from '../model/bundle.ts'
import type { CallableAgent } from './context.ts'

/** @param overrides the operator's, for this agent on this host */
export function callableBundle(bundle: VerifiedBundle, overrides: readonly SoundOverride[]): CallableAgent {
  const { agent, tools, denied, policy, report } = load(bundle, overrides)
  const { name, variant, version } = agent
  return {
    name: `${name}${variant === undefined ? '' : `@${variant}`} ${version}`,
    bundle: report.manifestDigest,
    tools,
    denied,
    net: policy.net,
    fileAt: path => bundle.agent.documents.get(path)?.value,
  }
}

/**
 * Undefined when tools.json cannot be read.
 *
 * @param effective what policy.caps and the overrides of it grant
 */
export function callableSource(
  { label, tools, documents }: Agent,
  effective: EffectivePolicy,
): CallableAgent | undefined {
  if (tools === undefined) return undefined
  const { exposed, denied } = exposure(tools.tools, effective)
  return {
    name: label,
    bundle: null,
    tools: exposed,
    denied,
    net: effective.policy.net,
    fileAt: path => documents.get(path)?.value,
  }
}

/** The files that a call depends on. */
export function isCallFile(path: string): boolean {
  return path === TOOLS_FILE || path === POLICY_FILE || path.startsWith('schemas/')
}
