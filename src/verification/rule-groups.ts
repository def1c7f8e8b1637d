// Which lint rules belong to which step of verification. Every rule of scope `bundle` is in exactly one group.
import { MANIFEST_FILE } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import type { Reason } from '../model/report.ts'
import { BUNDLE_RULES } from '../rules/bundle.ts'
import type { Rule } from '../rules/rule.ts'

const pick = (pattern: RegExp) => BUNDLE_RULES.filter(({ id }) => pattern.test(id))

/** Names and kinds of files. */
export const FORM_RULES = pick(/^files\/(?!required$)/)
/** Files against their digests. */
export const DIGEST_RULES = pick(/^manifest\/(?:digest-|file-missing$)/)
/** The manifest's own text and shape, and that everything it needs is there. */
export const MANIFEST_RULES = [
  ...pick(/^files\/required$/),
  ...pick(/^toml\//).map(rule => only(rule, file => file === MANIFEST_FILE)),
  ...pick(/^manifest\/(?!digest-|file-missing$|tools-version$)/),
]
/** All else: policy, tools, schemas, the entry. */
export const CONTENT_RULES = [
  ...pick(/^toml\//).map(rule => only(rule, file => file !== MANIFEST_FILE)),
  ...BUNDLE_RULES.filter(rule => ![...FORM_RULES, ...DIGEST_RULES].includes(rule)).filter(
    ({ id }) => !id.startsWith('toml/') && !MANIFEST_RULES.some(rule => rule.id === id),
  ),
]

function only(rule: Rule, wanted: (file: string) => boolean): Rule {
  return { ...rule, check: agent => [...rule.check(agent)].filter(problem => wanted(problem.file)) }
}

/** Findings as reasons. A rule's fix is advice for authors; who verifies a bundle must not be told to change it. */
export function reasonsOf(findings: readonly Finding[]): Reason[] {
  return findings.map(({ rule, file, line, column, message }) => ({
    code: rule,
    message: `${file === '' ? '' : `${file}:${line}:${column} `}${message}`,
  }))
}
