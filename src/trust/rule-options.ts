// The rule for a signer: from options as typed, and from the grants that one bundle asks for.

import type { OptionTable } from '../cli/option.ts'
import { policyGrants } from '../format/capability/ceiling.ts'
import { readHostPort } from '../format/capability/host.ts'
import { readReference, referenceText } from '../format/reference.ts'
import { quoted } from '../format/text/printable.ts'
import { capabilityProblem } from '../format/trust/policy.ts'
import type { Agent } from '../model/agent.ts'
import type { Ceiling } from '../model/trust.ts'
import { UsageError } from '../model/usage-error.ts'
import type { RuleRequest } from './widen-rules.ts'

export const RULE_OPTIONS = {
  'allow-caps': {
    type: 'strings',
    placeholder: 'CAP',
    describe: 'capabilities that the signer may grant, as kb_read:drafts; or any (all but net and exec)',
  },
  'allow-net': {
    type: 'strings',
    placeholder: 'HOST',
    describe: 'hosts, as api.mail.example:443; or any',
  },
  'allow-exec': { type: 'boolean', describe: 'programs on the host' },
  agent: {
    type: 'strings',
    placeholder: 'NAME[@VARIANT]',
    describe: 'to which agents; without it to every one',
  },
} as const satisfies OptionTable

interface RuleArgs {
  readonly allowCaps: readonly string[]
  readonly allowNet: readonly string[]
  readonly allowExec: boolean
  readonly agent: readonly string[]
}

/** Undefined if no option is about a rule. */
export function ruleFromOptions({
  allowCaps,
  allowNet,
  allowExec,
  agent,
}: RuleArgs): RuleRequest | undefined {
  if (allowCaps.length + allowNet.length + agent.length === 0 && !allowExec) return undefined
  return {
    allowCaps: anyOrAll('allow-caps', allowCaps, capabilityProblem),
    allowNet: anyOrAll('allow-net', allowNet, text => {
      const host = readHostPort(text)
      return 'problem' in host ? host.problem : undefined
    }),
    allowExec,
    ...(agent.length > 0 && { agents: all('agent', agent, referenceProblem) }),
  }
}

/** Whether it grants more than what is named one by one. */
export function isWide(rule: RuleRequest | undefined): boolean {
  return rule?.allowCaps === 'any' || rule?.allowNet === 'any' || rule?.allowExec === true
}

/** What a bundle asks for, and where a rule says something else: sentences. */
export interface BundleRequest {
  readonly rule: RuleRequest
  readonly unsaid: readonly string[]
}

/**
 * Exactly what policy.caps asks for, for exactly this agent; never `any`.
 * @param ruleThere the rule that an agent has already
 */
export function ruleForBundle(
  { manifest, policy }: Agent,
  ruleThere: (agent: string) => Ceiling | undefined,
): BundleRequest {
  if (manifest?.name === undefined || policy === undefined)
    throw new TypeError('a sound bundle has a name and a policy')
  const grants = policyGrants(policy)
  const hosts = grants.filter(({ family, isPlainHttp }) => family === 'net' && !isPlainHttp)
  const agent = referenceText({ name: manifest.name, variant: manifest.variant })
  const rule = {
    allowCaps: grants.filter(({ family }) => family !== 'net' && family !== 'exec').map(({ text }) => text),
    allowNet: hosts.map(({ scope = '' }) => scope),
    allowExec: grants.some(({ family }) => family === 'exec'),
    agents: [agent],
  }
  const unsaid = [
    ...(grants.some(({ isPlainHttp }) => isPlainHttp) && ruleThere(agent)?.allowNet !== 'any'
      ? [
          'Not in the rule: plain http (allow_http). No list of hosts allows it, only allow_net = "any", which is yours to write',
        ]
      : []),
    ...(Array.isArray(policy.exec) && policy.exec.length > 0
      ? [
          `Wider than the bundle: it asks for ${policy.exec.join(', ')}. A rule knows all programs or none, so it allows every program (allow_exec = true)`,
        ]
      : []),
  ]
  return { rule, unsaid }
}

function anyOrAll(
  flag: string,
  texts: readonly string[],
  problemOf: (text: string) => string | undefined,
): 'any' | readonly string[] {
  if (!texts.includes('any')) return all(flag, texts, problemOf)
  if (texts.length === 1) return 'any'
  throw new UsageError(`Cannot use --${flag}: "any" excludes other values`, { field: flag })
}

function all(
  flag: string,
  texts: readonly string[],
  problemOf: (text: string) => string | undefined,
): readonly string[] {
  for (const text of texts) {
    const problem = problemOf(text)
    if (problem !== undefined)
      throw new UsageError(`Cannot use --${flag} ${quoted(text)}: ${problem}`, { field: flag })
  }
  return texts
}

function referenceProblem(text: string): string | undefined {
  return readReference(text) === undefined ? 'it is not name or name@variant' : undefined
}
