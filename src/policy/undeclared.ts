// A tool's transport → what it needs and the tool's list of capabilities leaves out, in the words in which policy.caps grants it.

import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { transportKind } from '../tools/transports/index.ts'
import { type Capability, readCapability } from './capability.ts'
import { isGranted } from './containment.ts'
import { portsByHost, readHostPort } from './host.ts'
import { meantCapability } from './meant-capability.ts'

/** What the transport needs and a list of capabilities leaves out; undefined if nothing. */
export function undeclared(tool: Tool, policy: Policy | undefined) {
  const { need } = transportKind(tool.transport)
  const words = need.words(tool.transport).map(meantCapability)
  const longest = words.at(-1)
  // A transport that cannot be read has a rule of its own.
  if (longest === undefined) return undefined
  const declared = tool.capabilities.map(readCapability).flatMap(one => ('problem' in one ? [] : one))
  if (words.some(word => isDeclared(word, declared))) return undefined
  return { capability: suggested(words, policy) ?? longest, at: need.of(tool.transport).at, key: need.key }
}

function isDeclared(word: string, declared: readonly Capability[]): boolean {
  const wanted = readCapability(word)
  if ('problem' in wanted || wanted.scope === undefined) return false
  const { family, scope } = wanted
  const same = declared.filter(one => one.family === family)
  if (family !== 'net') return same.some(one => (one.scope ?? scope) === scope)
  const target = readHostPort(scope)
  if ('problem' in target) return false
  const hosts = portsByHost(same.flatMap(one => one.scope ?? []))
  return hosts.get(target.host)?.has(target.port) === true
}

/** Without the port if that is enough and the policy grants it so. */
function suggested(words: readonly string[], policy: Policy | undefined): string | undefined {
  return words.find(
    capability => policy === undefined || isGranted({ capability, at: [], from: 'declared' }, policy),
  )
}
