// Where a page tells what a tool takes, and what policy.caps grants: the same thing of the host has one place, however it is written. Pure.

import type { Used } from '../../model/permissions.ts'
import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import type { PolicyGrant } from '../../policy/families/family.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { rootOf } from '../../policy/folder.ts'
import { readHostPort, spelledHost } from '../../policy/host.ts'
import { type TakenByTool, takenBy } from '../../policy/taken.ts'
import { runsCode } from '../../tools/program.ts'
import { transportKind } from '../../tools/transports/index.ts'
import { keyOf, type PowerPlace, type PowerUse } from './power.ts'

/** What begins the name of a host that is reached without encryption. */
export const IN_CLEAR = 'http://'

/** The hosts of policy.caps. */
export function grantedHosts({ net }: Policy): ReadonlySet<string> {
  return new Set(net.hosts.map(spelledHost))
}

/** Everything that a tool takes, each with its place. */
export function usesOf(
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
export function placeOfGrant({ family, scope }: PolicyGrant): PowerPlace {
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
