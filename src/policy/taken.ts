// What each tool takes of its host, and which grants of policy.caps it is taken from: the facts of the review page and of rlp caps show.
// Pure.
import type { Family, Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { transportKind } from '../tools/transports/index.ts'
import { type Capability, readCapability } from './capability.ts'
import { policyGrants } from './ceiling.ts'
import type { PolicyGrant, Scheme } from './families/family.ts'
import { capabilityFamily } from './families/index.ts'
import { isFreeVariable, transportNeed } from './needs.ts'

/** One thing of the host that a tool takes. */
export interface TakenByTool extends Capability {
  /** Of a url. */
  readonly scheme?: Scheme
  readonly from: 'transport' | 'secret' | 'listed'
}

/** A tool that starts no program takes no folder, no program and no other host than that of its url, whatever it lists. */
export function takenBy(tool: Tool): TakenByTool[] {
  const { transport, secrets, rlp, capabilities } = tool
  const need = transportNeed(tool)
  const own = readCapability(need.capability)
  const variables = rlp.env.filter(name => !isFreeVariable(name))
  const ids = new Set([...secrets, ...variables.map(name => `env/${name}`)])
  const hasProgram = transportKind(transport).record.program(transport) !== undefined
  const listed = listedIn(capabilities).filter(
    ({ family }) => family !== 'secrets' && (hasProgram || isForEveryTool(family)),
  )
  const all: TakenByTool[] = [
    ...('problem' in own ? [] : [{ ...own, scheme: need.scheme, from: 'transport' } as const]),
    ...[...ids].map(scope => ({ family: 'secrets', scope, from: 'secret' }) as const),
    ...listed.map(capability => ({ ...capability, from: 'listed' }) as const),
  ]
  return [...new Map(all.reverse().map(one => [keyOf(one), one])).values()].reverse()
}

/** Capabilities that can be read. Writing includes reading, so that a folder which is written is not listed as read too. */
function listedIn(capabilities: readonly string[]): Capability[] {
  const all = capabilities.flatMap(text => {
    const capability = readCapability(text)
    return 'problem' in capability ? [] : [capability]
  })
  const written = new Set(all.filter(one => opensOf(one) === 'write').map(nameOf))
  return all.filter(one => opensOf(one) !== 'read' || !written.has(nameOf(one)))
}

function opensOf({ family }: Capability) {
  return capabilityFamily(family).opens
}

function isForEveryTool(family: Family): boolean {
  const { opens, scope } = capabilityFamily(family)
  return opens === undefined && scope !== 'program'
}

function nameOf({ family, scope }: Capability): string | undefined {
  return capabilityFamily(family).need.nameOf(scope)
}

function keyOf(one: TakenByTool): string {
  return JSON.stringify([one.family, nameOf(one) ?? one.scope, one.scheme === 'http'])
}

/** The ids of the tools that take something of a grant, in their order. */
export type ToolsOfGrant = (grant: Pick<PolicyGrant, 'family' | 'scope' | 'isPlainHttp'>) => readonly string[]

/** Finds the grants by their names: a hostile policy spells one of them in many ways, and as many tools take it. */
export function toolsByGrant(policy: Policy, tools: readonly Tool[]): ToolsOfGrant {
  const byName = new Map<string, Set<string>>()
  for (const { family, scope } of policyGrants(policy).filter(({ isPlainHttp }) => !isPlainHttp)) {
    const name = nameOf({ family, scope })
    if (name !== undefined) byName.set(`${family} ${name}`, new Set())
  }
  const inClear = new Set<string>()
  for (const tool of tools) {
    for (const { family, scope, scheme } of takenBy(tool)) {
      const { need } = capabilityFamily(family)
      for (const name of need.namesFor(scope, scheme))
        for (const one of need.grantedBy) byName.get(`${one} ${name}`)?.add(tool.id)
      if (scheme === 'http') inClear.add(tool.id)
    }
  }
  return ({ isPlainHttp, ...grant }) => [
    ...(isPlainHttp ? inClear : (byName.get(`${grant.family} ${nameOf(grant)}`) ?? [])),
  ]
}
