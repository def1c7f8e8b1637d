// Step "freshness": not after the day that the signer named, and not older than a floor of a policy, which nothing waives, or what was
// installed here before (docs/spec/judging.md, J-35 to J-37; docs/spec/marks.md).
import type { Agent } from '../model/agent.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import type { Reason } from '../model/report.ts'
import type { HighWaterMark, PolicySource, TrustContext } from '../model/trust.ts'
import { type Behind, behindMarks } from '../state/marks.ts'
import { writePath } from '../text/shell-words.ts'
import { asOf } from '../trust/usable-policy.ts'
import { type Floor, floorsFor, isBelow } from '../trust-policy/floors.ts'
import { referenceText } from '../version/reference.ts'
import { type Protocol, withLine } from './protocol.ts'
import type { Signed } from './signature.ts'

/** @returns whether the bundle is older than a mark, and nothing else: only that can be waived by `allowDowngrade` */
export function checkFreshness(
  agent: Agent,
  signed: Signed | undefined,
  context: TrustContext,
  protocol: Protocol,
): boolean {
  const found = context.marks
  if ('problem' in found) {
    const { problem, hint } = found
    protocol.fail('freshness', 'indeterminate', [
      { code: 'state_unusable', message: problem, ...(hint !== undefined && { hint }) },
    ])
    return false
  }
  if (signed === undefined) {
    protocol.skip(
      'freshness',
      'Expiry, revocation and roll-back were not checked: there is no signature to tell',
    )
    return false
  }
  const { notAfter, blake3 } = signed.statement
  const isExpired = notAfter !== undefined && context.now.getTime() > Date.parse(notAfter)
  if (isExpired)
    protocol.fail('freshness', 'expired', [
      { code: 'expired', message: `The signature ended at ${notAfter}` },
    ])
  const version = agent.manifest?.version ?? ''
  const below = belowFloors(agent, context)
  const newer = behind({ version, manifestDigest: blake3 }, found.marks)
  const behindAny = [...below, ...(newer === undefined ? [] : [newer])]
  if (behindAny.length > 0) protocol.fail('freshness', 'rolled_back', behindAny)
  if (!isExpired && behindAny.length === 0)
    protocol.pass(
      'freshness',
      notAfter === undefined
        ? 'no expiry date, and no newer version was installed here'
        : `valid until ${notAfter}`,
    )
  return below.length === 0 && newer?.code === 'older'
}

export function belowFloors(
  { manifest }: Agent,
  { policies, now }: TrustContext,
): Reason<CodeOf<'rolled_back'>>[] {
  const { name = '', variant, version = '' } = manifest ?? {}
  const reference = referenceText({ name, variant })
  return policies.flatMap(source => {
    const { policy } = asOf(source, now)
    const floors = policy === undefined ? [] : floorsFor(policy, reference)
    return floors.filter(floor => isBelow(floor, version)).map(floor => floorReason(floor, version, source))
  })
}

function floorReason(
  { at, agents, version: floor }: Floor,
  version: string,
  source: PolicySource,
): Reason<'below_floor'> {
  return {
    code: 'below_floor',
    message: withLine(`Version ${version} is older than ${floor}, the floor of ${agents}`, source, at),
    hint: `Use ${floor} or a newer version. Only an edit of the trust policy changes a floor`,
  }
}

/** What the bundle claims to be. */
interface Judged {
  readonly version: string
  readonly manifestDigest: string
}

/** Why a bundle is rolled back, for any signing key: a signature can be removed on the way. */
export function behind(
  judged: Judged,
  marks: readonly HighWaterMark[],
): Reason<CodeOf<'rolled_back'>> | undefined {
  const found = behindMarks(judged, marks)
  return found && rollBackReason(found, judged)
}

function rollBackReason(
  { is, mark }: Behind<HighWaterMark>,
  { version }: Judged,
): Reason<CodeOf<'rolled_back'>> {
  const { agent, manifestDigest, installed } = mark
  const at = installed?.root === undefined ? '' : ` --root ${writePath(installed.root)}`
  const reset = `rlp trust reset ${agent} --to ${version}${at}`
  if (is === 'other_content') {
    const message = `Version ${mark.version} ${whereOf(mark)} with other content`
    const hint = `Ask the signer for a new version. To take the other content on purpose, ${reset} accepts it and records that`
    return { code: is, message, hint }
  }
  const message =
    manifestDigest === null
      ? `Versions before ${mark.version} are not accepted here since the last rlp trust reset`
      : `Version ${mark.version} ${whereOf(mark)}`
  const hint = `Use ${mark.version} or a newer version. To take the older version on purpose, ${reset} allows it and records that`
  return { code: is, message, hint }
}

function whereOf({ installed }: HighWaterMark): string {
  return installed === undefined ? 'was installed before' : `is installed as ${installed.label}`
}
