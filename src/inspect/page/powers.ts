// What a bundle may do → its powers, the most dangerous first: each program, host, secret and folder once, with the tools that use it. Pure.
import { policyGrants } from '../../format/capability/ceiling.ts'
import { capabilityFamily } from '../../format/capability/families/index.ts'
import { isFreeVariable } from '../../format/capability/needs.ts'
import { runsCode } from '../../format/exec/program.ts'
import { transportKind } from '../../format/transports/index.ts'
import type { Permissions, ToolPermission } from '../../model/permissions.ts'
import type { Family } from '../../model/policy.ts'

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

const RANKS = Object.fromEntries(POWER_KINDS.map((kind, rank) => [kind, rank])) as Record<PowerKind, number>

/** One thing of the host, and the tools that use it. */
export interface Power {
  readonly kind: PowerKind
  /** The program, `host:port`, secret or folder; empty for all of the kind. */
  readonly name: string
  /** What policy.caps says of it, as capability strings; empty where only a tool asks. */
  readonly grants: readonly string[]
  readonly uses: readonly PowerUse[]
}

export interface PowerUse {
  readonly tool: string
  /** `GET`. */
  readonly verb?: string | undefined
  /** The command line, or method and path; for a secret, where it goes. */
  readonly how: string
  /** A person is asked before each call. */
  readonly confirm: boolean
}

export function powersOf({ policy, tools }: Permissions): Power[] {
  const found = new Map<string, { kind: PowerKind; name: string; grants: string[]; uses: PowerUse[] }>()
  const at = (kind: PowerKind, name: string) => {
    const key = keyOf({ kind, name })
    const power = found.get(key) ?? { kind, name, grants: [], uses: [] }
    found.set(key, power)
    return power
  }
  // A host without port means every port to some readers: what its tools reach is a part of it.
  const whole = new Set(policy.net.hosts.filter(host => portOf(host) === undefined))
  for (const family of policy.unknown ?? []) at('unknown', family).grants.push(family)
  // A tool that a record withholds does nothing; the section of the tools says why.
  for (const tool of tools.filter(({ isWithheld }) => isWithheld !== true)) {
    const { id, confirm } = tool
    const { what, name, verb, how } = transportKind(tool).act.uses(tool)
    const place = what === 'host' ? hostIn(name, whole) : name
    at(what, place).uses.push({ tool: id, how, confirm, verb })
    for (const secret of secretsOf(tool))
      at('secret', secret).uses.push({ tool: id, how: transportKind(tool).act.receiver(tool), confirm })
  }
  for (const { family, scope = '', text } of policyGrants(policy)) {
    const kind = kindOfGrant(family, scope, found)
    const isNamedInFull = kind === 'other' || capabilityFamily(family).words.each !== undefined
    at(kind, isNamedInFull ? text : scope).grants.push(text)
  }
  return [...found.values()].sort(
    (a, b) => RANKS[a.kind] - RANKS[b.kind] || b.uses.length - a.uses.length || (a.name < b.name ? -1 : 1),
  )
}

/** The same thing in two bundles. */
export function keyOf({ kind, name }: Pick<Power, 'kind' | 'name'>): string {
  return JSON.stringify([kind, name])
}

/** A program that gets a variable of the environment gets what is in it. */
function secretsOf(tool: ToolPermission): string[] {
  const variables = transportKind(tool)
    .act.env(tool)
    .filter(name => !isFreeVariable(name))
  return [...tool.secrets, ...variables.map(name => `env/${name}`)]
}

function kindOfGrant(family: Family, scope: string, found: ReadonlyMap<string, unknown>): PowerKind {
  if (family === 'exec' && scope === '') return 'every program'
  if (family === 'exec') {
    const isCode = found.has(keyOf({ kind: 'code', name: scope })) || runsCode({ command: scope, args: [] })
    return isCode ? 'code' : 'program'
  }
  return capabilityFamily(family).words.power
}

/** `https://host:443` is `host:443`, or the host alone where all its ports are granted; plain http stays visible. */
function hostIn(target: string, whole: ReadonlySet<string>): string {
  const [, scheme, place = target] = /^(https?):\/\/(.*)$/s.exec(target) ?? []
  if (scheme === 'http') return target
  const host = place.replace(/:[0-9]+$/, '')
  return whole.has(host) ? host : place
}

function portOf(host: string): string | undefined {
  return /:([0-9]+)$/.exec(host)?.[1]
}
