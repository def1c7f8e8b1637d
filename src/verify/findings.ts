// The lint rules of one step of verification → their findings. Each rule names its step itself.
import { OUTLINE_RULES } from '../lint/generated/outline.ts'
import { type BundleRule, OF_THE_FILE, type RuleStep, stepFor } from '../lint/rules/rule.ts'
import { RuleRun } from '../lint/run-rules.ts'
import { OUTLINE, type WalkStage } from '../lint/walk.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding, RuleId } from '../model/finding.ts'
import type { Reason } from '../model/report.ts'
import { type Turn, WITHOUT_TURNS } from '../model/turn.ts'

/** Only errors count: a warning is no reason against a bundle. Of one schema the dialect comes first (J-6). */
export async function findingsOf(
  agent: Agent,
  step: RuleStep,
  turn: Turn = WITHOUT_TURNS,
): Promise<Finding[]> {
  const findings = await new RuleRun(agent, await rulesIn(step), await stagesIn(step)).inTurns(turn)
  const isFirst = ({ rule }: Finding) => rule === 'schema/dialect'
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [...errors.filter(isFirst), ...errors.filter(finding => !isFirst(finding))]
}

async function stagesIn(step: RuleStep): Promise<readonly WalkStage[]> {
  return step === 'schemas' ? (await import('../lint/stages.ts')).STAGES : OUTLINE
}

/** Each limited to the problems that the step reports. The form and the digests say nothing of texts. */
export async function rulesIn(step: RuleStep): Promise<readonly BundleRule[]> {
  if (step !== 'schemas') return EARLY_RULES[step]
  // A stranger's bundle does not get this far, and loads none of it.
  const { CONTENT_RULES } = await import('../lint/generated/contents.ts')
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

/** A rule about texts that reports those of one step. */
function only(rule: BundleRule, step: RuleStep): BundleRule {
  if (rule.looks !== 'agent') throw new TypeError(`${rule.id} is about texts of any file`)
  const { check } = rule
  return {
    ...rule,
    looks: 'agent',
    check: (whole, report) =>
      check(whole, problem => {
        if (stepFor(rule, problem.file) === step) report(problem)
      }),
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
