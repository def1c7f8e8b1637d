// The steps that lint rules decide: archive, manifest, files and contents. Strangers' content is not parsed (docs/spec/judging.md, J-3):
// policy.caps, tools.json, schemas, records and wasm are read only if the signers are trusted, if a flag allows a missing signature, or if
// a person examines the bundle.

import { artifactsOf, isDigest } from '../agent/manifest.ts'
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { OUTLINE_RULES } from '../lint/generated/outline.ts'
import { type BundleRule, OF_THE_FILE, type RuleStep, stepFor } from '../lint/rules/rule.ts'
import { OUTLINE, RuleRun, type WalkStage } from '../lint/run-rules.ts'
import {
  type Agent,
  MANIFEST_FILE,
  PENDING_DIGEST,
  SIGNATURE_FILE,
  SIGNATURE_FOLDER,
} from '../model/agent.ts'
import type { Candidate, Outline } from '../model/bundle.ts'
import type { Finding, RuleId } from '../model/finding.ts'
import { own } from '../model/own.ts'
import { part } from '../model/part.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import type { CheckedFile, Reason } from '../model/report.ts'
import { type Turn, WITHOUT_TURNS } from '../model/turn.ts'
import { diagnoseText } from '../text/diagnose.ts'
import type { Circumstances } from './circumstances.ts'
import type { Protocol } from './protocol.ts'
import { demandsSignature } from './trust.ts'

const BY_PROPERTIES = `Records in ${INTERFACES_FILE} were compared by properties alone`

/**
 * @param isCertified whether it is signed by what came beside it
 * @returns the agent with its contents; undefined if they were not examined
 */
export async function checkContents(
  bundle: Outline,
  circumstances: Circumstances,
  protocol: Protocol,
  isCertified: boolean,
  turn: Turn,
): Promise<Agent | undefined> {
  // Content that differs from its digest may come from anybody.
  const isWhole = protocol.hasPassed('manifest', 'files')
  const isTrusted = isWhole && protocol.hasPassed('signature', 'trust')
  const isSigned = isCertified || bundle.files.get(SIGNATURE_FILE) !== undefined
  const isAllowed =
    isWhole && !isSigned && !protocol.hasFailed('trust') && mayBeUnsigned(bundle.agent, circumstances)
  const isLook = circumstances.look === true
  if (isTrusted || isAllowed || isLook) {
    const agent = await bundle.whole(turn)
    const check = isTrusted || isAllowed ? checkSchemas : lookAtSchemas
    await check(agent, protocol, turn)
    // Beside tools of a newer version, records are not read.
    if (agent.tools !== undefined && agent.documents.has(INTERFACES_FILE))
      protocol.skipped.push(BY_PROPERTIES)
    return agent
  }
  const why = isSigned ? 'its signers are not trusted' : 'it is unsigned'
  const because = isWhole ? why : 'they are not what the manifest names'
  protocol.skip('schemas', `policy.caps, tools.json, schemas and the entry were not examined: ${because}`)
  return undefined
}

/** Whether the flag for unsigned bundles applies. With unusable state it is unknown whether the agent was installed signed. */
export function mayBeUnsigned(agent: Agent, circumstances: Circumstances): boolean {
  if (own(circumstances, 'allowUnsigned') !== true) return false
  const trust = own(circumstances, 'trust')
  return trust === undefined || (!demandsSignature(agent, trust) && 'marks' in trust.marks)
}

/**
 * Step "schemas": policy.caps, tools.json and the schemas are strict text of the right shape, in versions that this build knows.
 */
async function checkSchemas(agent: Agent, protocol: Protocol, turn: Turn): Promise<void> {
  const findings = await findingsOf(agent, 'schemas', turn)
  protocol.findings.push(...findings)
  if (findings.length === 0) {
    protocol.pass('schemas', `tools.json version ${agent.tools?.version}, policy.caps and schemas`)
    return
  }
  const newer = findings.filter(({ undecidable }) => undecidable)
  const wrong = findings.filter(({ undecidable }) => !undecidable)
  if (wrong.length > 0) protocol.fail('schemas', 'invalid', reasonsOf(wrong))
  if (newer.length > 0) protocol.fail('schemas', 'indeterminate', reasonsOf(newer))
}

/** The findings of the step, for a person who examines an untrusted bundle: they never change the verdict. */
async function lookAtSchemas(agent: Agent, protocol: Protocol, turn: Turn): Promise<void> {
  const findings = await findingsOf(agent, 'schemas', turn)
  protocol.findings.push(...findings)
  protocol.note('schemas', reasonsOf(findings), 'read because you look into it; no word depends on it')
}

const BESIDE_SIGNATURE = `${SIGNATURE_FOLDER}/`

/** @returns whether the files may be read at all */
export async function checkForm(
  candidate: Candidate,
  agent: Agent,
  protocol: Protocol,
  turn: Turn,
): Promise<boolean> {
  const { files, refusal } = candidate
  if (refusal !== undefined) {
    const { why, message, hint } = refusal
    const about = { message, ...(hint !== undefined && { hint }) }
    const isLate = refusal.error?.code === 'TIMED_OUT'
    if (why === 'io')
      protocol.fail('archive', 'indeterminate', [{ code: isLate ? 'timed_out' : 'unreadable', ...about }])
    else protocol.fail('archive', 'invalid', [{ code: 'not_canonical', ...about }])
    return false
  }
  const reasons: Reason<CodeOf<'invalid'>>[] = []
  for (const { path, what } of files.oddities) {
    const message = `${path} is ${what === 'empty-directory' ? 'an empty folder' : `a ${what}`}; a bundle holds plain files only`
    reasons.push({ code: 'not_canonical', message })
  }
  for (const { path } of files.list)
    if (path !== SIGNATURE_FILE && path.startsWith(BESIDE_SIGNATURE))
      reasons.push({ code: 'not_canonical', message: `${path} is not allowed beside ${SIGNATURE_FILE}` })
  reasons.push(...reasonsOf(await findingsOf(agent, 'archive', turn)))
  if (reasons.length > 0) protocol.fail('archive', 'invalid', reasons)
  else protocol.pass('archive', `${files.list.length} files in canonical form`)
  return reasons.length === 0
}

export async function checkManifest(agent: Agent, protocol: Protocol, turn: Turn): Promise<void> {
  const findings = await findingsOf(agent, 'manifest', turn)
  protocol.findings.push(...findings)
  if (findings.length > 0) protocol.fail('manifest', 'invalid', reasonsOf(findings))
  else protocol.pass('manifest', 'strict TOML, one entry, every file named once')
}

/** Every guess costs a digest, and a hostile bundle has ten thousand files. */
const MOST_GUESSES = 10

export async function checkFiles(agent: Agent, protocol: Protocol, turn: Turn): Promise<void> {
  if (agent.manifest === undefined) {
    protocol.skip('files', 'No digest was compared: the manifest cannot be read')
    return
  }
  const stated = new Map<string, string | undefined>()
  for (const { path, blake3 } of artifactsOf(agent.manifest)) stated.set(path, blake3)
  for (const file of agent.files.list) protocol.files.push(checked(file, stated))
  let passed = 0
  let guesses = 0
  for (const { path, result } of protocol.files) {
    if (result === 'passed') passed++
    if (result !== 'mismatch' || guesses++ >= MOST_GUESSES) continue
    const bytes = agent.files.get(path)?.content ?? agent.files.get(path)?.bytes
    const message = bytes && diagnoseText(bytes, stated.get(path)?.toLowerCase() ?? '')
    if (message !== undefined) protocol.diagnoses.push({ path, message: `It looks like ${message}` })
  }
  const findings = await findingsOf(agent, 'files', turn)
  protocol.findings.push(...findings)
  if (findings.length > 0) protocol.fail('files', 'invalid', reasonsOf(findings))
  else protocol.pass('files', `${passed} digests compared`)
}

function checked(
  { path, size, digest }: Agent['files']['list'][number],
  stated: ReadonlyMap<string, string | undefined>,
): CheckedFile {
  if (path === MANIFEST_FILE || path === SIGNATURE_FILE)
    return { path, size, blake3: digest ?? null, result: 'root' }
  if (digest === undefined) throw new TypeError(`no digest was taken of ${path}`)
  const named = stated.get(path)
  if (!stated.has(path)) return { path, size, blake3: digest, result: 'unlisted' }
  const isRight = isDigest(named) && named !== PENDING_DIGEST && named.toLowerCase() === digest
  return { path, size, blake3: digest, result: isRight ? 'passed' : 'mismatch' }
}

/** Only errors count: a warning is no reason against a bundle. Of one schema the dialect comes first (J-6). */
export async function findingsOf(
  agent: Agent,
  step: RuleStep,
  turn: Turn = WITHOUT_TURNS,
): Promise<Finding[]> {
  const findings = await new RuleRun(agent, await rulesIn(step), await stagesIn(step)).inTurns(turn)
  if (findings.length === 0) return findings
  const isFirst = ({ rule }: Finding) => rule === 'schema/dialect'
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [...errors.filter(isFirst), ...errors.filter(finding => !isFirst(finding))]
}

const contentStages = part(() => import('../lint/stages.ts'))
const contentRules = part(() => import('../lint/generated/contents.ts'))

async function stagesIn(step: RuleStep): Promise<readonly WalkStage[]> {
  return step === 'schemas' ? (await contentStages()).STAGES : OUTLINE
}

/** Each limited to the problems that the step reports. The form and the digests say nothing of texts. */
export async function rulesIn(step: RuleStep): Promise<readonly BundleRule[]> {
  if (step !== 'schemas') return EARLY_RULES[step]
  // A stranger's bundle does not get this far, and loads none of it.
  const { CONTENT_RULES } = await contentRules()
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
function reasonsOf(findings: readonly Finding[]): Reason<RuleId>[] {
  return findings.map(({ rule, file, line, column, message, advice }) => ({
    code: rule,
    message: `${file === '' ? '' : `${file}:${line}:${column} `}${message}`,
    ...(advice !== undefined && { hint: advice }),
  }))
}
