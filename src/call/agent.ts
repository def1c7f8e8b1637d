// A verified bundle, or a folder that the user vouches for → the agent whose tools may be called.

import { INTERFACES_FILE } from '../agent-tool/records.ts'
import type { SoundOverride } from '../caps/effective.ts'
import { type EffectivePolicy, exposure } from '../caps/effective.ts'
import { referenceOf } from '../caps/overridden.ts'
import { restrictionsIn } from '../caps/restrictions.ts'
import { wordsIn } from '../caps/tool-words.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { VerifiedBundle } from '../model/bundle.ts'
import { frozen } from '../model/frozen.ts'
import type { Tool } from '../model/tools.ts'
import { load } from '../verify/load.ts'
import { manifestDigestOf, referenceText } from '../version/reference.ts'
import type { CallableAgent } from './context.ts'

/** @param overrides the operator's, for this agent on this host */
export function callableBundle(bundle: VerifiedBundle, overrides: readonly SoundOverride[]): CallableAgent {
  const { agent, tools, denied, policy, report } = load(bundle, overrides)
  const { version } = agent
  const reference = referenceText(agent)
  // Who is asked to confirm a call gets this as well.
  const fileAt = (path: string) => frozen(bundle.agent.documents.get(path)?.value)
  return {
    name: `${reference} ${version}`,
    reference,
    version,
    bundle: report.identity && manifestDigestOf(report.identity),
    tools,
    denied,
    tagsOf: tagsIn(bundle.agent.tools?.tools ?? []),
    net: policy.net,
    restrict: restrictionsIn(fileAt),
    words: wordsIn(fileAt),
    fileAt,
  }
}

/**
 * Undefined if tools.json cannot be read.
 * @param effective what policy.caps and its overrides grant
 */
export function callableSource(source: Agent, effective: EffectivePolicy): CallableAgent | undefined {
  const { label, manifest, tools, documents } = source
  if (tools === undefined) return undefined
  const fileAt = (path: string) => documents.get(path)?.value
  const restrict = restrictionsIn(fileAt)
  const { exposed, denied } = exposure(tools.tools, effective, restrict)
  return {
    name: label,
    reference: referenceOf(source),
    version: manifest?.version ?? null,
    bundle: null,
    tools: exposed,
    denied,
    tagsOf: tagsIn(tools.tools),
    net: effective.policy.net,
    restrict,
    words: wordsIn(fileAt),
    fileAt,
  }
}

function tagsIn(tools: readonly Tool[]): CallableAgent['tagsOf'] {
  const tags = new Map(tools.map(tool => [tool.id, tool.tags]))
  return id => tags.get(id) ?? []
}

/** The files that a call depends on. */
export function isCallFile(path: string): boolean {
  return (
    path === TOOLS_FILE || path === POLICY_FILE || path === INTERFACES_FILE || path.startsWith('schemas/')
  )
}
