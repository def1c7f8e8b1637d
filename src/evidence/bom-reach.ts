// What the tools of an agent use outside the bundle: programs as external components of CycloneDX, hosts as services.

import type { Agent } from '../model/agent.ts'
import type { Used } from '../model/permissions.ts'
import type { Tool } from '../model/tools.ts'
import { portsByHost, readHostPort } from '../policy/host.ts'
import { transportKind } from '../tools/transports/index.ts'
import { type BomPart, bomFact, inOrder } from './bom-words.ts'

interface Use extends Used {
  readonly tool: Tool
}

function usesOf({ tools }: Agent): Use[] {
  return (
    tools?.tools.map(tool => {
      const { act } = transportKind(tool.transport)
      return { ...act.uses(act.of(tool)), tool }
    }) ?? []
  )
}

/** Programs that a tool starts, and those that policy.caps grants beside them. */
export function programComponents(agent: Agent): BomPart[] {
  const uses = usesOf(agent).filter(({ what }) => what !== 'host')
  const exec = agent.policy?.exec
  const granted = new Set(Array.isArray(exec) ? (exec as readonly string[]) : [])
  const runs = byName(uses)
  return inOrder([...granted, ...runs.keys()]).map(name => ({
    type: 'application',
    'bom-ref': `program:${name}`,
    name,
    isExternal: true,
    properties: [
      ...inOrder((runs.get(name) ?? []).map(({ how, tool }) => `${tool.id}: ${how}`)).map(text =>
        bomFact('run', text),
      ),
      ...(granted.has(name) ? [bomFact('capability', `exec:${name}`)] : []),
    ],
  }))
}

/** Hosts that a tool calls, and those that policy.caps grants beside them. */
export function services(agent: Agent): BomPart[] {
  const uses = usesOf(agent).filter(({ what }) => what === 'host')
  const callsOf = byName(uses)
  const origins = inOrder(callsOf.keys())
  const called = origins.map(origin => {
    const calls = callsOf.get(origin) ?? []
    return {
      'bom-ref': `service:${origin}`,
      name: hostIn(origin),
      endpoints: inOrder(calls.map(({ how, verb = '' }) => endpoint(origin, how, verb))),
      authenticated: calls.some(({ tool }) => tool.secrets.length > 0),
      'x-trust-boundary': true,
      properties: inOrder(calls.map(({ how, tool }) => `${tool.id}: ${how}`)).map(text =>
        bomFact('request', text),
      ),
    }
  })
  const isCalled = calledHosts(origins)
  const left = inOrder(agent.policy?.net.hosts ?? []).filter(host => !isCalled(host))
  const granted = left.map(host => ({
    'bom-ref': `service:${host}`,
    name: host,
    'x-trust-boundary': true,
    properties: [bomFact('capability', `net:${host}`)],
  }))
  return [...called, ...granted]
}

/** `https://host:port` → `host:port`. */
function hostIn(origin: string): string {
  return origin.slice(origin.indexOf('://') + 3)
}

/** Whether a granted host is the one of an origin: without a port it is every port of it. */
function calledHosts(origins: readonly string[]): (granted: string) => boolean {
  const called = portsByHost(origins.map(hostIn))
  return granted => {
    const read = readHostPort(granted)
    if ('problem' in read) return false
    const ports = called.get(read.host)
    return ports !== undefined && (read.port === undefined || ports.has(read.port))
  }
}

function byName(uses: readonly Use[]): ReadonlyMap<string, readonly Use[]> {
  const found = new Map<string, Use[]>()
  for (const use of uses) {
    const same = found.get(use.name)
    if (same === undefined) found.set(use.name, [use])
    else same.push(use)
  }
  return found
}

const NOT_IN_URL = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]/gu

/** A place in a url that a call fills is no character of one, so it is percent-encoded. */
function endpoint(origin: string, how: string, verb: string): string {
  const path = how.startsWith(`${verb} `) ? how.slice(verb.length + 1) : how
  return `${origin}${path.replace(NOT_IN_URL, text => encodeURIComponent(text))}`
}
