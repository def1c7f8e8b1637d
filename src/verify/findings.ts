// The lint rules of one step of verification → their findings. Each rule names its step itself.
import { applyInSteps } from '../lint/apply-rules.ts'
import { OUTLINE_RULES } from '../lint/rules/outline.ts'
import { type BundleRule, OF_THE_FILE, type RuleStep, stepFor } from '../lint/rules/rule.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding, RuleId } from '../model/finding.ts'
import type { Reason } from '../model/report.ts'
import { type LoadingSteps, needed, onDemand } from '../model/steps.ts'

/** The rules of the step "schemas", which is not taken for a stranger's bundle. */
export const CONTENTS_RULES = onDemand(() => import('../lint/rules/contents.ts'))

/** Only errors count: a warning is no reason against a bundle. Of one schema the dialect comes first (J-6). */
export function* findingsOf(agent: Agent, step: RuleStep): LoadingSteps<Finding[]> {
  const findings = yield* applyInSteps(agent, yield* rulesIn(step))
  const isFirst = ({ rule }: Finding) => rule === 'schema/dialect'
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [...errors.filter(isFirst), ...errors.filter(finding => !isFirst(finding))]
}

/** Each limited to the problems that the step reports. The form and the digests say nothing of texts. */
export function* rulesIn(step: RuleStep): LoadingSteps<readonly BundleRule[]> {
  if (step !== 'schemas') return EARLY_RULES[step]
  const { CONTENT_RULES } = yield* needed(CONTENTS_RULES)
  // Made once: each making would be another list to the engine, and slow.
  contentsRules ??= [...CONTENT_RULES, ...rulesOf(OF_THE_FILE).map(rule => only(rule, 'schemas'))]
  return contentsRules
}

let contentsRules: readonly BundleRule[] | undefined

const EARLY_RULES: Readonly<Record<Exclude<RuleStep, 'schemas'>, readonly BundleRule[]>> = {
  archive: rulesOf('archive'),
  manifest: [...rulesOf('manifest'), ...rulesOf(OF_THE_FILE).map(rule => only(rule, 'manifest'))],
  files: rulesOf('files'),
}

function rulesOf(step: BundleRule['step']): BundleRule[] {
  return OUTLINE_RULES.filter(rule => rule.step === step)
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
