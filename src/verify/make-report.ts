// Makes the report of a verification, its entry in the audit log, and the error for a bundle that may not be used. Commands in hints get
// the name of the bundle here, which no step knows. The author of a folder among unpacked bundles is told to pack it, and not to get it
// again.
import { type Agent, MANIFEST_FILE, SIGNATURE_FOLDER } from '../model/agent.ts'
import type { AuditCode, DecidedBundle } from '../model/audit.ts'
import type { Outline } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { CheckedKeyless, KeylessFinding, KeylessFindings } from '../model/keyless.ts'
import { LOCK_FILE, type LockSource } from '../model/lock.ts'
import type { Check, CheckedPolicy, Reason, Report } from '../model/report.ts'
import type { PolicySource } from '../model/trust.ts'
import type { Verdict } from '../model/verdict.ts'
import { asFlags } from '../text/flag-name.ts'
import { writePath } from '../text/shell-words.ts'
import { reportSigners } from '../trust/report-signers.ts'
import { bundleIdentity, referenceText } from '../version/reference.ts'
import type { Protocol } from './protocol.ts'

/** What a report has of every bundle. */
export function reportOf(
  { label, form, files, agent: { manifest } }: Outline,
  protocol: Protocol,
  verdict: Verdict,
  isPerson = false,
): Omit<Report, 'overrides'> {
  const { name, version, variant, kind } = manifest ?? {}
  const isSource = isSourceFolder(form, label, protocol.checks)
  const reader = { target: label, isPerson, otherwise: isSource ? PACK_IT : undefined }
  // What was read before the form went wrong cannot be relied upon.
  const isRead = protocol.checks[0]?.result === 'passed'
  const isNamed = isRead && name !== undefined && version !== undefined && kind !== undefined
  const digest = (isRead && files.get(MANIFEST_FILE)?.digest) || null
  return {
    target: label,
    verdict,
    form,
    agent: isNamed ? { name, version, ...(variant !== undefined && { variant }), kind } : null,
    identity: digest === null ? null : bundleIdentity(digest),
    reasons: forReader(protocol.reasonsFor(verdict), reader),
    checks: protocol.checks.map(check =>
      check.reasons.length === 0 ? check : { ...check, reasons: forReader(check.reasons, reader) },
    ),
    files: protocol.files,
    signatures: protocol.signatures,
    policies: protocol.policies,
    judgements: protocol.judgements,
    diagnoses: protocol.diagnoses,
    findings: protocol.findings,
    skipped: protocol.skipped,
  }
}

/** Stands for the bundle in the hint of a step. */
export const BUNDLE = 'BUNDLE'

/** Who reads a hint. */
interface Reader {
  /** What the bundle is called. */
  readonly target: string
  /** At the command line: options are called by their flags. */
  readonly isPerson: boolean
  /** The hint of a reason that has none. */
  readonly otherwise?: string | undefined
}

function forReader(reasons: readonly Reason[], { target, isPerson, otherwise }: Reader): Reason[] {
  if (reasons.length === 0) return []
  const path = writePath(target)
  return reasons.map(reason => {
    const said = reason.hint ?? otherwise
    if (said === undefined) return reason
    const hint = isPerson ? asFlags(said) : said
    return { ...reason, hint: hint.replaceAll(BUNDLE, () => path) }
  })
}

/** The words of a command that takes the bundle into this lock. */
export function bundleIn(label: string): string {
  return label === LOCK_FILE ? BUNDLE : `${BUNDLE} --lock ${writePath(label)}`
}

/** An unpacked bundle has signatures, or is called so (docs/format.md). */
const UNPACKED = /(?:^|[\\/])agent\.bundle$/

/** Whether a report is about a folder without signatures that is not called as an unpacked bundle. */
function isSourceFolder(form: Report['form'], target: string, checks: readonly Check[]): boolean {
  if (form !== 'directory') return false
  const isUnsigned = checks.some(({ reasons }) => reasons.some(({ code }) => code === 'no_signature'))
  return isUnsigned && !UNPACKED.test(target)
}

const START = 'This is a source'

const PACK_IT: string = `${START}, an agent’s folder without ${SIGNATURE_FOLDER}/: pack it with rlp agent pack ${BUNDLE}, and use the bundle`

/** Whether the first reason has this hint. */
export function saysPackIt([first]: readonly Pick<Reason, 'hint'>[]): boolean {
  return first?.hint?.startsWith(START) === true
}

/** More do not help a reader; strangers may add as many as they like. */
const MOST = 100

/** Said of a bundle that came with some where no policy names an identity. */
export const NOT_EXAMINED = 'Keyless signatures were not examined: no trust policy names an identity'

/** Undefined where none came, or none was looked at. */
export function checkedKeyless(keyless: KeylessFindings | undefined): readonly CheckedKeyless[] | undefined {
  if (keyless === undefined || keyless.list.length === 0) return undefined
  return keyless.list.slice(0, MOST).map(checked)
}

/** For the list of what was not checked. */
export function notListed(keyless: KeylessFindings | undefined): readonly string[] {
  const more = (keyless?.list.length ?? 0) - MOST
  return more > 0 ? [`${more} more keyless signatures are not listed`] : []
}

function checked({ where, facts, proven, problem, signs, states }: KeylessFinding): CheckedKeyless {
  const is = signs !== undefined ? 'signature' : states !== undefined ? 'statement' : 'other'
  const about = { where, is, certificate: facts } as const
  const nowhere = { logIndex: null, time: null }
  if (problem !== undefined) return { ...about, result: 'unreadable', ...nowhere, detail: problem }
  const results = [...proven.values()]
  const found = results.find(one => 'proof' in one)
  if (found !== undefined) {
    const { logIndex, time } = found.proof
    return { ...about, result: 'proven', logIndex: logIndex ?? null, time, detail: `proven at ${time}` }
  }
  const [why] = results
  if (why !== undefined && 'problem' in why)
    return { ...about, result: 'unproven', ...nowhere, detail: why.problem }
  return { ...about, result: 'unclaimed', ...nowhere, detail: 'no trust policy names its identity' }
}

/** The first lock that names the agent; the first of all if none does. */
export function checkedLock(
  locks: readonly LockSource[],
  { manifest }: Pick<Agent, 'manifest'>,
): Pick<Report, 'lock'> {
  const { name, variant } = manifest ?? {}
  const agent = name === undefined ? undefined : referenceText({ name, variant })
  const naming = agent === undefined ? undefined : locks.find(({ lock }) => lock?.agents.has(agent))
  const source = naming ?? locks[0]
  return source === undefined ? {} : { lock: { path: source.label, digest: source.digest ?? null } }
}

/** @param accepted whether it may be used: a flag may let an unsigned bundle pass */
export function auditedBundle(
  report: Report,
  { accepted, sha256 }: { readonly accepted: boolean; readonly sha256: string | undefined },
): DecidedBundle {
  const { target, verdict, reasons, agent, identity, policies } = report
  return {
    target,
    accepted,
    verdict,
    agent,
    policies,
    identity,
    codes: codesOf(reasons),
    sha256: sha256 ?? null,
    signers: reportSigners(report),
  }
}

/** Each code once: a bundle decides how many files are wrong. */
export function codesOf(reasons: readonly { readonly code: AuditCode }[]): AuditCode[] {
  return [...new Set(reasons.map(({ code }) => code))]
}

/** What a report says of a policy that was read. */
export function checkedPolicy({ path, role, digest, channel }: PolicySource): CheckedPolicy {
  return { path, role, digest: digest ?? null, ...(channel && { channel }) }
}

/** A bundle that may not be used, and why. */
export class NotVerifiedError extends RlpError {
  override readonly name = 'NotVerifiedError'
  readonly report: Report
  readonly reason: Reason | undefined
  /** @param reason what is said of it, in place of what its verdict rests on */
  constructor(report: Report, doing = 'load', reason: Reason | undefined = report.reasons[0]) {
    super('NOT_VERIFIED', `Cannot ${doing} "${report.target}": ${report.verdict}: ${reason?.message ?? ''}`, {
      hint: reason?.hint,
    })
    this.report = report
    this.reason = reason
  }
  get verdict(): Report['verdict'] {
    return this.report.verdict
  }
}
