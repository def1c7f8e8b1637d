// The powers of a bundle, the most dangerous first: each program, host, secret and folder once, with the tools that use it, however it is
// written. They are made of the same facts as the rows of rlp caps show. Pure.
import { denials, effectivePolicy, type SoundOverride } from '../../caps/effective.ts'
import { type Restrict, restricted, restrictionsIn, UNRESTRICTED } from '../../caps/interface-records.ts'
import { capsTable } from '../../caps/permissions.ts'
import type { Agent } from '../../model/agent.ts'
import type { Used } from '../../model/permissions.ts'
import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import { policyGrants } from '../../policy/ceiling.ts'
import type { PolicyGrant } from '../../policy/families/family.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { rootOf } from '../../policy/folder.ts'
import { readHostPort, spelledHost } from '../../policy/host.ts'
import { type TakenByTool, type ToolsOfGrant, takenBy, toolsByGrant } from '../../policy/taken.ts'
import { runsCode } from '../../tools/program.ts'
import { transportKind } from '../../tools/transports/index.ts'

/** From the most dangerous to the least. */
export const POWER_KINDS = [
  'unknown',
  'code',
  'every program',
  'program',
  'host',
  'secret',
  'write',
  'read',
  'other',
] as const

export type PowerKind = (typeof POWER_KINDS)[number]

/** One thing of the host, and the tools that use it. */
export interface Power {
  readonly kind: PowerKind
  /** The program, `host:port`, secret or folder; empty for all of the kind, and for plain http that no tool uses. */
  readonly name: string
  /** What policy.caps says of it, as capability strings; empty where only a tool asks. */
  readonly grants: readonly string[]
  readonly uses: readonly PowerUse[]
  /** Of plain http that no tool uses: the hosts for which it is granted. */
  readonly hosts?: readonly string[]
  /** Ids of the tools that do not use all of it, but take a part, such as one folder in it. */
  readonly parts?: readonly string[]
  /** What overrides on this host leave of it, if that is less: no entry for nothing. */
  readonly left?: readonly string[]
}

export interface PowerUse {
  readonly tool: string
  /** `GET`. */
  readonly verb?: string | undefined
  /** The command line, or method and path; for a secret, where it goes. */
  readonly how: string
  /** A person is asked before each call. */
  readonly confirm: boolean
  /** The tool is not granted everything that it needs here, so that no call of it runs. */
  readonly isDenied?: true
}

/** What tells one power from another. */
type PowerPlace = Pick<Power, 'kind' | 'name'>

/** The same thing in two bundles. */
export function keyOf({ kind, name }: PowerPlace): string {
  return JSON.stringify([kind, name])
}

const RANKS = Object.fromEntries(POWER_KINDS.map((kind, rank) => [kind, rank])) as Record<PowerKind, number>

/** A policy, and the tools that it is for. */
interface PowerFacts {
  readonly policy: Policy
  readonly tools: readonly Tool[]
  readonly restrict?: Restrict
  readonly overrides?: readonly SoundOverride[]
}

/** @param overrides those of this host; none if one of them cannot be used, because it is unknown what is left then */
export function powersIn(agent: Agent, overrides: readonly SoundOverride[] = []): Power[] | undefined {
  const { policy, tools, documents } = agent
  if (policy === undefined || tools === undefined) return undefined
  const restrict = restrictionsIn(path => documents.get(path)?.value)
  return powersOf({ policy, tools: tools.tools, restrict, overrides })
}

export function powersOf({ policy, tools, restrict = UNRESTRICTED, overrides = [] }: PowerFacts): Power[] {
  const found = new Map<string, Growing>()
  for (const family of policy.unknown ?? []) at(found, { kind: 'unknown', name: family }).grants.push(family)
  const effective = effectivePolicy(policy, overrides)
  const hosts = grantedHosts(policy)
  const exposed: Tool[] = []
  // A tool that a record withholds does nothing; the section of the tools says why.
  for (const tool of tools.filter(({ id }) => restrict(id).reason === undefined)) {
    const isDenied = denials(tool, effective).length > 0
    if (!isDenied) exposed.push(tool)
    for (const one of usesOf(restricted(tool, restrict(tool.id)), hosts))
      at(found, one.at).uses.push({ ...one.use, ...(isDenied && { isDenied }) })
  }
  addGrants(found, policy, toolsByGrant(policy, exposed))
  const left = leftOf(policy, overrides)
  return [...found.values()]
    .map(power => finished(power, left))
    .sort(
      (a, b) => RANKS[a.kind] - RANKS[b.kind] || b.uses.length - a.uses.length || (a.name < b.name ? -1 : 1),
    )
}

/** A power that is being put together. */
interface Growing extends Pick<Power, 'kind' | 'name'> {
  readonly grants: string[]
  readonly uses: PowerUse[]
  readonly hosts: Set<string>
  readonly parts: Set<string>
}

function at(found: Map<string, Growing>, place: PowerPlace): Growing {
  const key = keyOf(place)
  const power = found.get(key) ?? { ...place, grants: [], uses: [], hosts: new Set(), parts: new Set() }
  found.set(key, power)
  return power
}

function addGrants(found: Map<string, Growing>, policy: Policy, toolsOf: ToolsOfGrant): void {
  for (const grant of policyGrants(policy)) {
    if (grant.isPlainHttp) {
      for (const host of policy.net.hosts) addPlainHttp(found, spelledHost(host), grant.text)
      continue
    }
    const power = at(found, inFound(found, placeOfGrant(grant)))
    power.grants.push(grant.text)
    for (const id of toolsOf(grant)) power.parts.add(id)
  }
}

/** The place of a grant that is told already: a host that tools reach in clear alone, a program that is given code. */
function inFound(found: ReadonlyMap<string, unknown>, place: PowerPlace): PowerPlace {
  const { kind, name } = place
  const inClear = { kind, name: `${IN_CLEAR}${name}` }
  if (kind === 'host' && !found.has(keyOf(place)) && found.has(keyOf(inClear))) return inClear
  const code = { kind: 'code', name } as const
  return kind === 'program' && found.has(keyOf(code)) ? code : place
}

/** Plain http is granted for each host. Hosts that no tool reaches in clear are told together. */
function addPlainHttp(found: Map<string, Growing>, host: string, text: string): void {
  const used = found.get(keyOf({ kind: 'host', name: `${IN_CLEAR}${host}` }))
  const power = used ?? at(found, { kind: 'host', name: '' })
  if (!power.grants.includes(text)) power.grants.push(text)
  if (used === undefined) power.hosts.add(host)
}

/** Capability strings → what overrides leave of each, if that is less. */
function leftOf(policy: Policy, overrides: readonly SoundOverride[]): ReadonlyMap<string, readonly string[]> {
  if (overrides.length === 0) return new Map()
  const says = overrides.map(override => override.says)
  return new Map(
    capsTable(policy, says, undefined).flatMap(({ key, entry, effective }) => {
      const text = entry === undefined || entry === '*' ? key : `${key}:${entry}`
      if (effective.is === 'nothing') return [[text, []] as const]
      return effective.is === 'some' ? [[text, effective.entries] as const] : []
    }),
  )
}

function finished(power: Growing, leaves: ReadonlyMap<string, readonly string[]>): Power {
  const { kind, name, grants, uses, hosts } = power
  const users = new Set(uses.map(({ tool }) => tool))
  const parts = [...power.parts].filter(id => !users.has(id))
  const less = grants.flatMap(text => {
    const left = leaves.get(text)
    return left === undefined ? [] : [left]
  })
  // Both the host and plain http have to be left.
  const isLess = name.startsWith(IN_CLEAR)
    ? less.length > 0
    : grants.length > 0 && less.length === grants.length
  const left = less.some(entries => entries.length === 0) && name.startsWith(IN_CLEAR) ? [] : less.flat()
  return {
    kind,
    name,
    grants,
    uses,
    ...(hosts.size > 0 && { hosts: [...hosts] }),
    ...(parts.length > 0 && { parts }),
    ...(isLess && { left: [...new Set(left)] }),
  }
}

/** What begins the name of a host that is reached without encryption. */
export const IN_CLEAR = 'http://'

/** The hosts of policy.caps. */
function grantedHosts({ net }: Policy): ReadonlySet<string> {
  return new Set(net.hosts.map(spelledHost))
}

/** Everything that a tool takes, each with its place. */
function usesOf(
  tool: Tool,
  granted: ReadonlySet<string>,
): { readonly at: PowerPlace; readonly use: PowerUse }[] {
  const { id, transport, requiresConfirmation: confirm } = tool
  const { act } = transportKind(transport)
  const used = act.uses(act.of(tool))
  const given = { tool: id, confirm }
  const all = new Map<string, { readonly at: PowerPlace; readonly use: PowerUse }>()
  const add = (at: PowerPlace, how: string, verb?: string) => {
    const key = keyOf(at)
    if (!all.has(key)) all.set(key, { at, use: { ...given, verb, how } })
  }
  add(placeOfCall(used, granted), used.how, used.verb)
  for (const one of takenBy(tool)) {
    const at = one.from === 'transport' ? undefined : placeOfTaken(one, granted)
    if (at !== undefined) add(at, howOf(one, at))
  }
  return [...all.values()]

  function howOf({ from, family }: TakenByTool, { name }: PowerPlace): string {
    if (from === 'secret') return act.receiver(act.of(tool))
    return capabilityFamily(family).scope === 'program' ? name : used.how
  }
}

function placeOfCall({ what, name }: Used, granted: ReadonlySet<string>): PowerPlace {
  if (what !== 'host') return { kind: what, name }
  const [, scheme, host] = /^(https?):\/\/(.*)$/s.exec(name) ?? []
  // A url that cannot be read is a target of its own.
  if (host === undefined) return { kind: 'host', name }
  const place = hostIn(host, granted)
  return { kind: 'host', name: scheme === 'http' ? `${IN_CLEAR}${place}` : place }
}

/** `host:443`, or the host alone if that is granted: to some readers it means every port, so what a tool reaches of it is a part of it. */
function hostIn(place: string, granted: ReadonlySet<string>): string {
  const host = place.replace(/:[0-9]+$/, '')
  return !granted.has(place) && granted.has(host) ? host : place
}

/** Undefined for the network without a host, which is granted to no tool. */
function placeOfTaken({ family, scope }: TakenByTool, granted: ReadonlySet<string>): PowerPlace | undefined {
  if (family !== 'net') return placeOf(family, scope)
  const target = readHostPort(scope ?? '')
  // A program reaches a host by https alone.
  return 'problem' in target
    ? undefined
    : { kind: 'host', name: hostIn(`${target.host}:${target.port ?? 443}`, granted) }
}

/** Of a grant, by the widest meaning that any reader gives it. */
function placeOfGrant({ family, scope }: PolicyGrant): PowerPlace {
  return family === 'net' ? { kind: 'host', name: spelledHost(scope ?? '') } : placeOf(family, scope)
}

function placeOf(family: PolicyGrant['family'], scope: string | undefined): PowerPlace {
  const { words, scope: takes } = capabilityFamily(family)
  if (takes === 'program') {
    if (scope === undefined) return { kind: 'every program', name: '' }
    return { kind: runsCode({ command: scope, args: [] }) ? 'code' : 'program', name: scope }
  }
  const root = takes === 'folder' ? rootOf(scope ?? '/') : undefined
  const name = root === '' ? '/' : (root ?? scope)
  // What is no folder opens none, and its name must not look like another thing.
  const isOdd = takes === 'folder' && root === undefined
  const isNamedInFull = words.power === 'other' || words.each !== undefined || isOdd || name === undefined
  const text = name === undefined ? family : `${family}:${name}`
  return { kind: words.power, name: isNamedInFull ? text : name }
}
