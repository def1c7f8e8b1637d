// A trust policy → its tables as values, each with its line: for programs. Pure.

import type { Anchor, Group } from '../model/anchor.ts'
import type { TrustedRootName } from '../model/keyless.ts'
import type { Ceiling, PolicySource, Requirements, TrustPolicy } from '../model/trust.ts'
import { fingerprintOfAnchor } from '../signature/ssh.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import { placedRequirements } from '../trust-policy/requirements/index.ts'
import { bundleIdentity } from '../version/reference.ts'
import { placedRules } from './rule.ts'
import { asOf } from './usable-policy.ts'

/** Where something is in the file; null in a policy without lines. */
interface Listed {
  readonly line: number | null
}

export interface ListedRule extends Listed, Omit<Ceiling, 'agents'> {
  /** Null for every agent. */
  readonly agents: readonly string[] | null
}

export interface ListedAnchor extends Listed, Anchor {
  /** Of its keys, in their order, as `ssh-keygen -l` prints them. */
  readonly sshFingerprints: readonly string[]
  /** Of an identity: its string. */
  readonly signer?: string
  readonly rules: readonly ListedRule[]
}

export interface ListedGroup extends Listed, Group {
  readonly rules: readonly ListedRule[]
}

export interface ListedRequirements extends Listed, Requirements {}

export interface ListedRevocation extends Listed {
  /** A key, an identity or `blake3:…`. */
  readonly what: string
  readonly since: string | null
  readonly reason: string | null
  readonly replacedBy: string | null
}

export interface ListedContent {
  readonly validUntil: string | null
  readonly trustedRoot?: TrustedRootName
  readonly anchors: readonly ListedAnchor[]
  readonly groups: readonly ListedGroup[]
  /** As the file has it: one table, or a list. */
  readonly require: ListedRequirements | readonly ListedRequirements[] | null
  readonly floors: readonly (Listed & { readonly agents: string; readonly version: string })[]
  readonly revoked: readonly ListedRevocation[]
}

export interface ListedPolicy {
  /** Name of the file. */
  readonly path: string
  readonly role: PolicySource['role']
  /** BLAKE3 of its bytes; null if they could not be read. */
  readonly digest: string | null
  /** Why it decides nothing. */
  readonly problems: readonly string[]
  /** Null if it is malformed, or others may write it. */
  readonly policy: ListedContent | null
  /** False if it decides nothing: it is malformed, others may write it, or its `valid_until` is past. */
  readonly isUsable: boolean
}

export function listedPolicy(source: PolicySource, now: Date): ListedPolicy {
  const { path, role, digest, policy, problems, lineOf } = source
  return {
    path,
    role,
    digest: digest ?? null,
    problems,
    policy: policy === undefined ? null : contentOf(policy, lineOf),
    isUsable: asOf(source, now).policy !== undefined,
  }
}

function contentOf(policy: TrustPolicy, lineOf: PolicySource['lineOf']): ListedContent {
  const line = (...pointer: (string | number)[]) => lineOf(pointer) ?? null
  const revoked = (
    all: TrustPolicy['revokedKeys'],
    written: (what: string) => string = what => what,
  ): ListedRevocation[] =>
    [...all].map(([what, { since, reason, replacedBy }]) => ({
      what: written(what),
      since: since ?? null,
      reason: reason ?? null,
      replacedBy: replacedBy ?? null,
      line: line('revoked', written(what)),
    }))
  return {
    validUntil: policy.validUntil ?? null,
    ...(policy.trustedRoot && { trustedRoot: policy.trustedRoot }),
    anchors: policy.anchors.map(({ name, keys, allowDev, use, ...more }) => {
      const rules = listedRules(policy, name, line)
      const signer = more.identity && identityString(more.identity)
      const sshFingerprints = keys.flatMap(key => fingerprintOfAnchor(key) ?? [])
      const about = { name, keys, sshFingerprints, allowDev, use, ...more, ...(signer && { signer }) }
      return { ...about, line: line('anchors', name), rules }
    }),
    groups: policy.groups.map(group => ({
      ...group,
      line: line('groups', group.name),
      rules: listedRules(policy, group.name, line),
    })),
    require: requireOf(policy.require, line),
    floors: [...policy.floors].map(([agents, version]) => ({
      agents,
      version,
      line: line('floors', agents),
    })),
    revoked: [...revoked(policy.revokedKeys), ...revoked(policy.revokedBundles, bundleIdentity)],
  }
}

type LineOf = (...pointer: (string | number)[]) => number | null

function listedRules({ rules }: TrustPolicy, name: string, line: LineOf): ListedRule[] {
  const all = rules.get(name)
  return (all === undefined ? [] : placedRules(name, all)).map(({ rule: { agents, ...rule }, at }) => {
    return { ...rule, agents: agents ?? null, line: line(...at) }
  })
}

/** As the file has it: one table, or a list. */
function requireOf(require: TrustPolicy['require'], line: LineOf): ListedContent['require'] {
  const placed = placedRequirements(require).map(({ entry, at }) => ({ ...entry, line: line(...at) }))
  return require === undefined ? null : Array.isArray(require) ? placed : (placed[0] ?? null)
}

export interface TrustListed {
  readonly policies: readonly ListedPolicy[]
}
