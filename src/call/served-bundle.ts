// One verified bundle that is served, or one folder without verification: read once, and judged again before each use.

import { statedFlag } from '../agent-tool/flags.ts'
import { INTERFACES_FILE, recordsIn } from '../agent-tool/records.ts'
import { recordsOf } from '../agent-tool/tool-records.ts'
import { referenceOf } from '../caps/overridden.ts'
import { usable } from '../caps/overrides.ts'
import { exportTools } from '../convert/export.ts'
import { mcp } from '../convert/exporters/mcp.ts'
import { isSource } from '../inspect/look-into.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import type { Target } from '../io/find/find-agents.ts'
import { inputOf } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import type { Agent } from '../model/agent.ts'
import { UsageError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import type { Tool } from '../model/tools.ts'
import type { Judging } from '../verify/examine.ts'
import { judgeCandidate } from '../verify/judge-candidate.ts'
import { readCandidate } from '../verify/read-source.ts'
import { callableBundle } from './agent.ts'
import type { Opened } from './callable.ts'
import type { CallableAgent } from './context.ts'
import { openSource, readCallable } from './open-source.ts'
import type { ServedTool } from './served.ts'

/** A served tool. Its description never changes; whether it is granted does. */
export interface ServedEntry {
  readonly tool: Tool
  /** Its name there may differ from its id. */
  readonly listed: ServedTool
  /** Whether its interface states that calls may overlap. */
  readonly isConcurrencySafe: boolean
}

export interface ServedBundle {
  readonly target: Target
  /** The prefix of `--prefix`: the agent's name, and `-<variant>`. No name has a dash, so prefixes are unique. */
  readonly agent: string
  /** As it was opened: what a call is recorded with once the bundle may not be used any more. */
  readonly opened: CallableAgent
  /** All tools, including those that are not granted now. */
  readonly entries: readonly ServedEntry[]
  /** By the current policies, revocations, overrides and clock. */
  now(): Promise<Opened>
}

/** @returns the report of a bundle that may not be used */
export async function openServed(
  target: Target,
  options: Judging,
): Promise<ServedBundle | { readonly refused: Report }> {
  const { label, reference } = target
  const source = inputOf(target)
  const reading = { ...options, label, expect: options.expect ?? reference, mustExpect: true }
  const { candidate, expect } = await readCandidate(source, reading, 'parsed')
  const attested = await attestationsOf(source, options.attestations)
  const examine = () => judgeCandidate(candidate, expect, { ...options, attested })
  const { trust, verification } = await examine()
  const { report, bundle } = verification
  if (bundle === undefined) return { refused: report }
  return {
    target,
    agent: prefixOf(report) ?? label,
    opened: callableBundle(bundle, usable(trust.overrides).sound),
    entries: entriesOf(bundle.agent),
    async now() {
      const { trust, verification } = await examine()
      const { report, bundle } = verification
      if (bundle === undefined) return { is: 'refused', report }
      const agent = callableBundle(bundle, usable(trust.overrides).sound)
      return { is: 'open', target, agent, isTrusted: report.verdict === 'trusted' }
    },
  }
}

/**
 * Nothing of it is verified; overrides count from the next call on.
 * @throws RlpError as for a call of one of its tools
 */
export async function openServedSource(target: Target, io: Setting): Promise<ServedBundle> {
  if (!isSource(target)) {
    throw new UsageError(`Cannot use --unverified with "${target.label}": it is no source folder`, {
      field: 'unverified',
      hint: 'Leave it out: a bundle is verified',
    })
  }
  const source = await readCallable('serve', target, io)
  const open = () => openSource('serve', target, source, io)
  return {
    target,
    agent: referenceOf(source)?.replace('@', '-') ?? target.label,
    opened: await open(),
    entries: entriesOf(source),
    now: async () => ({ is: 'open', target, agent: await open(), isTrusted: false }),
  }
}

function prefixOf({ agent }: Report): string | undefined {
  return agent?.variant === undefined ? agent?.name : `${agent.name}-${agent.variant}`
}

function entriesOf(agent: Agent): ServedEntry[] {
  const tools = agent.tools?.tools ?? []
  const { document } = exportTools(agent, mcp)
  const { tools: listed } = document as { readonly tools: readonly ServedTool[] }
  const recordOf = recordsOf(recordsIn(agent.documents.get(INTERFACES_FILE)?.value))
  return tools.flatMap((tool, index) => {
    const entry = listed[index]
    const record = recordOf(tool.id).interface ?? {}
    const isConcurrencySafe = statedFlag(record, 'is_concurrency_safe') === true
    return entry === undefined ? [] : [{ tool, listed: entry, isConcurrencySafe }]
  })
}
