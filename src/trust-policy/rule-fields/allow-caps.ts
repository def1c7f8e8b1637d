// allow_caps: capabilities that a signer may grant, but for the families with a field of their own (docs/spec/trust-policy.md, K-24 to K-27, K-37).
import type { Family } from '../../model/policy.ts'
import { type Capability, readCapability } from '../../policy/capability.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { isUnder, rootOf } from '../../policy/folder.ts'
import { anyOrTexts, type GrantField, hasBrace, templateProblem, withAgent } from './field.ts'

const ANY = 'any capability but net and exec'

export const allowCaps = {
  ...anyOrTexts(capabilityProblem),
  decides: 'what',
  key: 'allow_caps',
  flag: 'allow-caps',
  option: {
    type: 'strings',
    placeholder: 'CAP',
    describe: 'capabilities that the signer may grant, as kb_read:drafts; or any (all but net and exec)',
  },
  shown: value => (value === 'any' ? ANY : value.join(', ')),
  // A brace in a bundle is an error. A list of scopes would not allow it either: it must never be taken for a place to fill.
  allows: value => allowing(value, scope => !hasBrace(scope)),
  filled: (value, name) => (value === 'any' ? value : value.map(text => filledCapability(text, name))),
  more(value, than) {
    if (value === 'any') return than === 'any' ? [] : [ANY]
    const allows = allowing(than)
    return value.filter(text => {
      const capability = readCapability(text)
      return !('problem' in capability) && !allows(capability)
    })
  },
  askedBy: grants => grants.filter(({ family }) => isHere(family)).map(({ text }) => text),
  unsaid: () => [],
} as const satisfies GrantField<'any' | readonly string[]>

/** A capability of a rule for the agents of one name. */
export function filledCapability(text: string, name: string): string {
  const capability = readCapability(text)
  if ('problem' in capability || capability.scope === undefined) return text
  const { scope } = capability
  return text.slice(0, text.length - scope.length) + withAgent(scope, name)
}

/** @param mayFit whether a scope may be inside a list at all */
function allowing(value: 'any' | readonly string[], mayFit: (scope: string) => boolean = () => true) {
  const families = value === 'any' ? 'any' : scopesByFamily(value)
  return ({ family, scope }: Capability) => {
    if (!isHere(family) || families === 'any') return true
    const allowed = families.get(family)
    if (allowed === 'all') return true
    // "All of the family" is never within a list of some of it.
    if (allowed === undefined || scope === undefined || !mayFit(scope)) return false
    return capabilityFamily(family).scope === 'folder' ? isUnder(allowed, scope) : allowed.has(scope)
  }
}

/** The others have a field of their own. */
function isHere(family: Family): boolean {
  return capabilityFamily(family).ceiling.field === 'allow_caps'
}

/** Why `allow_caps` must not list a capability. */
function capabilityProblem(text: string): string | undefined {
  const capability = readCapability(text)
  if ('problem' in capability) return capability.problem
  const { family, scope } = capability
  if (!isHere(family)) return `${family} has a key of its own`
  const problem = scope === undefined ? undefined : templateProblem(scope)
  if (problem !== undefined) return problem
  const isFolder = capabilityFamily(family).scope === 'folder'
  if (!isFolder || scope === undefined || rootOf(scope) !== undefined) return undefined
  return 'it names no absolute folder without . and ..'
}

type Scopes = ReadonlyMap<Family, 'all' | Set<string>>

function scopesByFamily(capabilities: readonly string[]): Scopes {
  const scopes = new Map<Family, 'all' | Set<string>>()
  for (const text of capabilities) {
    const capability = readCapability(text)
    if ('problem' in capability) continue
    const { family, scope } = capability
    const known = scopes.get(family) ?? new Set<string>()
    if (scope === undefined || known === 'all') scopes.set(family, 'all')
    else {
      const root = capabilityFamily(family).scope === 'folder' ? rootOf(scope) : scope
      scopes.set(family, root === undefined ? known : known.add(root))
    }
  }
  return scopes
}
