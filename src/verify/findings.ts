// The lint rules of one step of verification → their findings. Each rule names its step itself.
import { applyInSteps } from '../lint/apply-rules.ts'
import { BUNDLE_RULES } from '../lint/rules/bundle.ts'
import { type BundleRule, OF_THE_FILE, type RuleStep, stepFor } from '../lint/rules/rule.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding, RuleId } from '../model/finding.ts'
import type { Reason } from '../model/report.ts'
import type { Steps } from '../model/steps.ts'

/** Only errors count: a warning is no reason against a bundle. */
export function* findingsOf(agent: Agent, step: RuleStep): Steps<Finding[]> {
  return (yield* applyInSteps(agent, RULES_BY_STEP[step])).filter(({ severity }) => severity === 'error')
}

/** Each limited to the problems that the step reports. The form and the digests say nothing of texts. */
export const RULES_BY_STEP: Readonly<Record<RuleStep, readonly BundleRule[]>> = {
  archive: rulesOf('archive'),
  manifest: [...rulesOf('manifest'), ...rulesOf(OF_THE_FILE).map(rule => only(rule, 'manifest'))],
  files: rulesOf('files'),
  schemas: [...rulesOf('schemas'), ...rulesOf(OF_THE_FILE).map(rule => only(rule, 'schemas'))],
}

function rulesOf(step: BundleRule['step']): BundleRule[] {
  return BUNDLE_RULES.filter(rule => rule.step === step)
}

function only(rule: BundleRule, step: RuleStep): BundleRule {
  return {
    ...rule,
    *check(agent) {
      for (const problem of rule.check(agent)) {
        if (problem === undefined || stepFor(rule, problem.file) === step) yield problem
      }
    },
  }
}

/** Findings as reasons. A rule's fix is for authors: a reader of a bundle gets the rule's advice, and is not told to change the file. */
export function reasonsOf(findings: readonly Finding[]): Reason<RuleId>[] {
  return findings.map(({ rule, file, line, column, message, advice }) => ({
    code: rule,
    message: `${file === '' ? '' : `${file}:${line}:${column} `}${message}`,
    ...(advice !== undefined && { hint: advice }),
  }))
}
