// An override file → its content, or why it cannot be used, and its problems as findings.
import { blake3Hex } from '../bundle/blake3.ts'
import { Findings } from '../lint/findings.ts'
import { OVERRIDE_RULES } from '../lint/rules/override.ts'
import { RuleRun } from '../lint/run-rules.ts'
import { STAGES } from '../lint/stages.ts'
import { type Agent, POLICY_FILE } from '../model/agent.ts'
import type { Finding, Severity } from '../model/finding.ts'
import type { OverrideFile, PolicyOverride } from '../model/override.ts'
import type { Policy } from '../model/policy.ts'
import type { Reason } from '../model/report.ts'
import { excessOf, overrideValue, readOverride } from '../policy/override.ts'
import { checkShape } from '../schema/check.ts'
import { lineColumn } from '../text/decode.ts'
import { parseToml } from '../toml/parse.ts'
import type { SoundOverride } from './effective.ts'

/** An override file, read. */
export interface Override {
  /** Name of the file in messages. */
  readonly label: string
  /** `name` or `name@variant`: what selected it. */
  readonly for: string
  /** BLAKE3 of its bytes; undefined when they could not be read. */
  readonly digest: string | undefined
  /** Undefined if the file is malformed or cannot be relied upon: then what remains of the policy is unknown. */
  readonly says: PolicyOverride | undefined
  readonly findings: readonly Finding[]
  /** The file as an agent that holds only this file, for reports about the findings. */
  readonly agent: Agent
}

export function readOverrideFile(file: OverrideFile): Override {
  const { label } = file
  const about = { label, for: file.for }
  if (!('bytes' in file)) {
    const broken = finding('error', label, {
      message: file.problem,
      fix: file.hint ?? 'Make it readable, or remove it',
    })
    return { ...about, digest: undefined, says: undefined, findings: [broken], agent: empty() }
  }
  const agent = asPolicy(file.bytes)
  const document = agent.documents.get(POLICY_FILE)
  const findings = new RuleRun(agent, OVERRIDE_RULES, STAGES)
    .atOnce(new Findings(agent))
    .map(finding => ({ ...finding, file: label }))
  const isSound = document !== undefined && findings.every(({ severity }) => severity !== 'error')
  return {
    ...about,
    digest: blake3Hex(file.bytes),
    says: isSound ? readOverride(overrideValue(document.value)) : undefined,
    findings,
    agent: {
      ...empty(),
      documents: new Map(document ? [[label, document]] : []),
      unreadable: agent.unreadable.map(unreadable => ({ ...unreadable, path: label })),
    },
  }
}

/**
 * All overrides of an agent, for callers that are about to use it. If there are reasons, the agent must not be used: what remains of its
 * policy under an unusable override is unknown.
 */
export function usable(files: readonly OverrideFile[]): {
  readonly sound: readonly SoundOverride[]
  readonly reasons: readonly Reason<'override_unusable'>[]
} {
  const read = files.map(readOverrideFile)
  return {
    sound: soundOf(read),
    reasons: read.flatMap(({ says, findings }) => {
      const error = findings.find(({ severity }) => severity === 'error')
      if (says !== undefined || error === undefined) return []
      const { file, line, message, fix } = error
      return { code: 'override_unusable', message: `${file}:${line}: ${message}`, hint: fix }
    }),
  }
}

/** Those that could be read and relied upon. */
export function soundOf(overrides: readonly Override[]): SoundOverride[] {
  return overrides.flatMap(({ label, says }) => (says ? [{ label, says }] : []))
}

/** Adds findings for the entries of an override that have no effect on the policy.caps of its agent. */
export function heldAgainst(policy: Policy, override: Override): Override {
  return { ...override, findings: [...override.findings, ...excessFindings(policy, override)] }
}

function excessFindings(policy: Policy, { label, says, agent }: Override): Finding[] {
  const document = agent.documents.get(label)
  if (says === undefined || document === undefined) return []
  return excessOf(policy, says).map(({ key, message }) => {
    const { start, end } = document.locate(['capabilities', key], 'key')
    const to = lineColumn(document.text, end)
    return {
      ...finding('warning', label, {
        message,
        fix: 'Remove it, or ask the author of the agent for the grant',
      }),
      ...lineColumn(document.text, start),
      endLine: to.line,
      endColumn: to.column,
    }
  })
}

function finding(severity: Severity, file: string, about: { message: string; fix: string }): Finding {
  return { rule: 'caps/override', severity, file, line: 1, column: 1, ...about }
}

function empty(): Agent {
  return {
    label: '.',
    form: 'source',
    files: { list: [], oddities: [], get: () => undefined, open: async function* () {} },
    documents: new Map(),
    unreadable: [],
    shapes: new Map(),
    manifest: undefined,
    policy: undefined,
    tools: undefined,
  }
}

/** An agent with a policy.caps and no other file. */
function asPolicy(bytes: Uint8Array): Agent {
  const parsed = parseToml(POLICY_FILE, bytes)
  if (!parsed.ok) {
    const { problem, text } = parsed
    return { ...empty(), unreadable: [{ path: POLICY_FILE, syntax: 'toml', problem, text }] }
  }
  const { document } = parsed
  const value = overrideValue(document.value)
  const problems = checkShape('policy', value, document.dates)
  return {
    ...empty(),
    documents: new Map([[POLICY_FILE, document]]),
    shapes: new Map([[POLICY_FILE, problems]]),
    policy: problems.length === 0 ? readOverride(value).leaves : undefined,
  }
}
