// Whether the signatures of a bundle may be renewed. A renewal gives an old bundle new life, so nothing is renewed that the policies and
// marks of this host revoke or roll back, or that they cannot decide about. Whether the old signatures count or have expired does not matter.
import { MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { asOf } from '../trust/usable-policy.ts'
import { belowFloors } from './floors.ts'
import type { Examination } from './judge-candidate.ts'
import { behind } from './marks.ts'
import { revocationsOf } from './revocations.ts'
import type { TrustedOnly } from './trusted-to-sign.ts'

/** What decides whether a bundle may be renewed, beside its bytes. */
export type RenewedUnder = Pick<TrustedOnly, 'home' | 'trustPolicy'>

/** @throws RlpError NOT_VERIFIED for a bundle that is revoked or rolled back here, or if a policy or the marks cannot be relied upon */
export function refuseRenewing(examined: Examination): void {
  const found = against(examined)
  if (found === undefined) return
  const { word, message, hint } = found
  throw new RlpError('NOT_VERIFIED', `Cannot renew "${examined.candidate.label}": ${word}: ${message}`, {
    hint,
  })
}

interface Against {
  readonly word: 'revoked' | 'rolled_back' | 'indeterminate'
  readonly message: string
  readonly hint: string
}

const CORRECT = 'Correct the trust policy; until then it decides nothing'
const OTHER_KEY = 'If the bundle itself is good, sign it first with a key that counts, and without renew'
const NEW_VERSION = 'Release a new version, and let this one expire'

function against({ trust, verification: { report, agent } }: Examination): Against | undefined {
  const { policies, marks, now } = trust
  for (const source of policies) {
    const { policy, problems, hint } = asOf(source, now)
    if (policy === undefined)
      return { word: 'indeterminate', message: problems[0] ?? source.path, hint: hint ?? CORRECT }
  }
  if ('problem' in marks)
    return {
      word: 'indeterminate',
      message: marks.problem,
      hint: marks.hint ?? 'Correct the state of this host',
    }
  if (agent === undefined) return undefined
  const revoked = revocationsOf(agent, policies, report.signatures)
  const bundle = revoked.find(({ code }) => code === 'bundle_revoked')
  if (bundle !== undefined) return { word: 'revoked', message: bundle.message, hint: NEW_VERSION }
  // A revoked key does not matter if the other signers are enough.
  const [key] = report.verdict === 'revoked' ? revoked : []
  if (key !== undefined) return { word: 'revoked', message: key.message, hint: OTHER_KEY }
  const version = agent.manifest?.version ?? ''
  const manifestDigest = agent.files.get(MANIFEST_FILE)?.digest ?? ''
  // Asked here once more, because a verdict of an unsigned bundle says nothing of marks.
  const older = belowFloors(agent, trust)[0] ?? behind({ version, manifestDigest }, marks.marks)
  return older && { word: 'rolled_back', message: older.message, hint: 'Renew the newest version instead' }
}
