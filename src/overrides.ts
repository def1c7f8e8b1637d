// Override files + policy.caps → what an agent may really do here, and why a tool may not be used (DESIGN §3.4).
import { blake3Hex } from './format/blake3.ts'
import { type DenialReason, denialReason } from './format/containment.ts'
import { type Need, needsOf } from './format/needs.ts'
import type { OverrideFile } from './format/override-file.ts'
import { overrideValue, type PolicyOverride, readOverride, tighten } from './format/policy-override.ts'
import { checkShape } from './format/schema-check.ts'
import { parseToml } from './format/toml.ts'
import { lint } from './lint.ts'
import { type Agent, POLICY_FILE } from './model/agent.ts'
import type { Finding } from './model/finding.ts'
import type { Policy } from './model/policy.ts'
import type { Tool } from './model/tools.ts'
import { RULES } from './rules/index.ts'

/** An override file, read. */
export interface Override {
  /** As people call the file. */
  readonly label: string
  /** `name` or `name@variant`: what selected it. */
  readonly for: string
  /** BLAKE3 of its bytes; undefined when they could not be read. */
  readonly digest: string | undefined
  readonly text: string | undefined
  /** Undefined when the file is malformed or cannot be relied upon: then nobody knows what is left of the policy. */
  readonly says: PolicyOverride | undefined
  readonly findings: readonly Finding[]
}

/** The rules that an override is held against, as if it were a policy.caps. */
const FORM_RULES = RULES.filter(({ id }) =>
  /^(?:toml\/.*|caps\/(?:shape|entry|unknown-family|duplicate-grant|contradiction))$/.test(id),
)

/** A misspelt key in a policy grants nothing; in an override it leaves standing what somebody meant to revoke. */
const ALWAYS_ERRORS: ReadonlySet<string> = new Set(['caps/unknown-family'])

/** Whether a finding in an override leaves open what it says. */
function isFatal({ severity }: Finding): boolean {
  return severity === 'error'
}

export function readOverrideFile(file: OverrideFile): Override {
  const { label } = file
  const about = { label, for: file.for }
  if (!('bytes' in file)) {
    const finding: Finding = {
      rule: 'caps/override',
      severity: 'error',
      file: label,
      line: 1,
      column: 1,
      message: file.problem,
      fix: file.hint ?? 'Make the file readable, or remove it',
    }
    return { ...about, digest: undefined, text: undefined, says: undefined, findings: [finding] }
  }
  const agent = asPolicy(file.bytes)
  const findings = lint(agent, FORM_RULES).map(finding => ({
    ...finding,
    file: label,
    ...(ALWAYS_ERRORS.has(finding.rule) && { severity: 'error' as const }),
  }))
  const document = agent.documents.get(POLICY_FILE)
  const isSound = document !== undefined && !findings.some(isFatal)
  return {
    ...about,
    digest: blake3Hex(file.bytes),
    text: document?.text ?? agent.unreadable[0]?.text,
    says: isSound ? readOverride(overrideValue(document.value)) : undefined,
    findings,
  }
}

/** An agent that has a policy.caps and nothing else. */
function asPolicy(bytes: Uint8Array): Agent {
  const parsed = parseToml(POLICY_FILE, bytes)
  const value = parsed.ok ? overrideValue(parsed.document.value) : undefined
  const problems = parsed.ok ? checkShape('policy', value) : []
  return {
    label: POLICY_FILE,
    form: 'source',
    files: { list: [], oddities: [], get: () => undefined, open: async function* () {} },
    documents: new Map(parsed.ok ? [[POLICY_FILE, parsed.document]] : []),
    unreadable: parsed.ok
      ? []
      : [{ path: POLICY_FILE, syntax: 'toml', problem: parsed.problem, text: parsed.text }],
    shapes: new Map([[POLICY_FILE, problems]]),
    manifest: undefined,
    policy: parsed.ok && problems.length === 0 ? readOverride(value).leaves : undefined,
    tools: undefined,
  }
}

/** An override that says something. */
export interface SoundOverride {
  readonly label: string
  readonly says: PolicyOverride
}

/** policy.caps as signed, and what the overrides leave of it. */
export interface EffectivePolicy {
  readonly base: Policy
  /** What is left when all of them apply. */
  readonly policy: Policy
  /** What each of them alone leaves. */
  readonly alone: readonly { readonly label: string; readonly policy: Policy }[]
}

/** Overrides only ever tighten, in whatever order. */
export function effectivePolicy(base: Policy, overrides: readonly SoundOverride[] = []): EffectivePolicy {
  return {
    base,
    policy: overrides.reduce((policy, { says }) => tighten(policy, says), base),
    alone: overrides.map(({ label, says }) => ({ label, policy: tighten(base, says) })),
  }
}

/** Something a tool needs and does not get. */
export interface Denial {
  readonly need: Need
  readonly reason: DenialReason
  /** Who does not grant it: `policy.caps`, or the label of an override; undefined when only the overrides together leave nothing. */
  readonly by: string | undefined
}

/**
 * What a tool needs and does not get; nothing means that it may be exposed. Both sets have to grant a need: a port that an override adds
 * to a host without one is inside the grant for readers to whom that means every port, and outside for us (§3.4, narrowest meaning).
 */
export function denials(tool: Tool, { base, policy, alone }: EffectivePolicy): Denial[] {
  return needsOf(tool).flatMap(need => {
    const missing = denialReason(need, base)
    if (missing !== undefined) return { need, reason: missing, by: POLICY_FILE }
    const reason = denialReason(need, policy)
    if (reason === undefined) return []
    const by = alone.find(one => denialReason(need, one.policy) !== undefined)
    return { need, reason, by: by?.label }
  })
}
