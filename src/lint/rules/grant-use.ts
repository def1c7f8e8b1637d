// Finds out what needs a grant of net, secrets or exec: the tools by their entries, the code of the agent by its imports.

import type { Agent } from '../../model/agent.ts'
import type { Tool } from '../../model/tools.ts'
import { readCapability } from '../../policy/capability.ts'
import { readHostPort } from '../../policy/host.ts'
import { needsOf } from '../../policy/needs.ts'
import { programIn } from '../../tools/command-oddities.ts'
import { transportKind } from '../../tools/transports/index.ts'
import { familyOf, isOffered } from '../../wasm/host.ts'
import { isStub } from '../../wasm/stub.ts'
import { once } from './once.ts'
import { entriesOf, moduleOf } from './wasm-entries.ts'

/** Families whose grants are checked. */
export type UsedFamily = 'net' | 'secrets' | 'exec'

/** The needs of the tools. A list is undefined if a tool cannot be read. */
export interface ToolUse {
  /** `host` for the usual port, and `host:port` for every port. */
  readonly net: ReadonlySet<string> | undefined
  readonly secrets: ReadonlySet<string>
  /** Commands; `*` if a tool asks for all of them. */
  readonly exec: ReadonlySet<string> | undefined
  /** Whether a tool has a plain http url. */
  readonly http: boolean
}

const usedBy = once(useOf)

/** Found out once, for all rules. Undefined if tools.json could not be read. */
export function toolUse({ tools }: Agent): ToolUse | undefined {
  return tools && usedBy(tools.tools)
}

function useOf(tools: readonly Tool[]): ToolUse {
  const net = new Set<string>()
  const secrets = new Set<string>()
  const exec = new Set<string>()
  let http = false
  for (const need of tools.flatMap(needsOf)) {
    const capability = readCapability(need.capability)
    if ('problem' in capability) continue
    const { family, scope } = capability
    if (family === 'secrets' && scope !== undefined) secrets.add(scope)
    if (family === 'exec') exec.add(scope === undefined ? '*' : programIn(scope))
    if (family !== 'net' || scope === undefined) continue
    const target = readHostPort(scope)
    if ('problem' in target) continue
    http ||= need.scheme === 'http'
    const usual = need.scheme === 'http' ? 80 : 443
    if (target.port !== undefined) net.add(`${target.host}:${target.port}`)
    if (target.port === undefined || target.port === usual) net.add(target.host)
  }
  const unread = new Set<UsedFamily>()
  for (const { transport } of tools) {
    const { need } = transportKind(transport)
    if (need.words(transport).length === 0) unread.add(need.family)
  }
  return {
    net: unread.has('net') ? undefined : net,
    secrets,
    exec: unread.has('exec') ? undefined : exec,
    http,
  }
}

/** What the agent's own code can use. `placeholder`: the code is not there yet. */
export type CodeUse = 'can' | 'cannot' | 'placeholder' | 'unknown'

/** By the functions that its wasm modules import. Native code, and missing or unreadable code, may use anything. */
export function codeUse(agent: Agent, family: UsedFamily): CodeUse {
  const modules = entriesOf(agent).filter(({ key }) => key === 'entry_wasm')
  if (modules.length === 0 || modules.length < (agent.manifest?.entries.length ?? 0)) return 'unknown'
  if (modules.some(({ file: { bytes } }) => bytes !== undefined && isStub(bytes))) return 'placeholder'
  for (const entry of modules) {
    const imports = moduleOf(entry)?.imports
    if (imports === undefined || imports.some(imported => !isOffered(imported))) return 'unknown'
    if (imports.some(imported => familyOf(imported) === family)) return 'can'
  }
  return 'cannot'
}
