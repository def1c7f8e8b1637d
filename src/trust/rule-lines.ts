// What a signer may grant under a trust policy → a sentence for each rule. Pure.
import { withReadableHosts } from '../format/capability/readable-host.ts'
import { ruleWords } from '../format/trust/rule-fields/index.ts'
import type { Pointer } from '../model/document.ts'
import type { Ceiling, PolicySource, TrustPolicy } from '../model/trust.ts'
import { placedRules } from './rule.ts'

export function ruleLines({ policy }: PolicySource, anchor: string): string[] {
  if (policy === undefined) return []
  return rulesOf(policy.rules, anchor).map(({ rule }) => `${anchor} ${ruleText(rule)}`)
}

/** One without a rule if there is none. */
export function rulesOf(
  rules: TrustPolicy['rules'],
  name: string,
): readonly { readonly rule?: Ceiling; readonly at?: Pointer }[] {
  const all = rules.get(name)
  return all === undefined ? [{}] : placedRules(name, all)
}

export function ruleText(rule: Ceiling | undefined): string {
  if (rule === undefined) return 'can approve, and grants nothing: it has no rule'
  const { what, toWhom } = ruleWords(rule)
  return `may grant ${withReadableHosts(what)} ${toWhom}`
}
