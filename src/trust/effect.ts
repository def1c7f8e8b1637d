// A changed trust policy → what changes for every installed bundle.
import { join } from 'node:path'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { SYSTEM_TRUST_POLICY, TRUST_POLICY_NAME } from '../io/home.ts'
import { Ways } from '../io/owner/ways.ts'
import { agentsIn } from '../io/root/install-root.ts'
import { bundlePath } from '../io/root/root-places.ts'
import { rootsFor } from '../io/root/roots.ts'
import type { Setting } from '../io/setting.ts'
import type { Attestations } from '../model/attestation.ts'
import type { Candidate } from '../model/bundle.ts'
import type { PolicySource } from '../model/trust.ts'
import type { Verdict } from '../model/verdict.ts'
import { judgeUnder } from '../verify/judge-candidate.ts'
import { readExpectation } from '../version/reference.ts'
import { readTrustPolicies } from './read-trust.ts'
import type { EditableFile } from './write-trust.ts'

export interface PolicyEffect {
  /** Installed bundles that were verified under both policies. */
  readonly looked: number
  readonly changed: readonly {
    readonly target: string
    readonly before: Verdict
    readonly after: Verdict
    /** The reason for the new verdict. */
    readonly reason: string | null
  }[]
}

/** A bundle that was read, and what came with it. */
export interface Foreseeing {
  readonly candidate: Candidate
  readonly attested: Attestations | undefined
}

/** One bundle under a policy that is not written yet. */
export interface Foreseen {
  readonly target: string
  readonly verdict: Verdict
  /** Why it is not trusted. */
  readonly reasons: readonly string[]
}

/** Where policies and installed agents are. */
interface Around extends Pick<Setting, 'cwd' | 'signal'> {
  readonly home: string
}

/** @param edited the policy of `file` after the change */
export async function effectOn(file: EditableFile, edited: PolicySource, io: Around): Promise<PolicyEffect> {
  const { before, after } = await policiesAround(file, edited, io.home)
  const changed: PolicyEffect['changed'][number][] = []
  let looked = 0
  for (const root of await rootsFor(undefined, io.cwd, io.home)) {
    for (const agent of await agentsIn(root)) {
      const label = `${root.label}/${agent}.agent.bundle`
      const attested = await attestationsOf(bundlePath(root, agent), undefined)
      const candidate = await readBundle(bundlePath(root, agent), {
        keep: 'parsed',
        signal: io.signal,
        label,
        unsigned: attested?.keyless !== undefined,
      })
      const expect = readExpectation(agent) ?? 'any'
      const judging = { signal: io.signal, attested }
      const [was, is] = [
        (await judgeUnder(before, candidate, expect, judging)).verification.report,
        (await judgeUnder(after, candidate, expect, judging)).verification.report,
      ]
      looked++
      if (was.verdict === is.verdict) continue
      const reason = is.verdict === 'trusted' ? null : (is.reasons[0]?.message ?? null)
      changed.push({ target: label, before: was.verdict, after: is.verdict, reason })
    }
  }
  return { looked, changed }
}

/** What bundles will be under the edited policy, beside the others that apply. */
export async function verdictsUnder(
  bundles: readonly { readonly bundle: Foreseeing }[],
  edited: PolicySource,
  file: EditableFile,
  { signal, home }: Around,
): Promise<Foreseen[]> {
  if (bundles.length === 0) return []
  const { after } = await policiesAround(file, edited, home)
  const all: Foreseen[] = []
  for (const { candidate, attested } of bundles.map(({ bundle }) => bundle)) {
    const { report } = (await judgeUnder(after, candidate, 'any', { signal, attested })).verification
    const { target, verdict, reasons } = report
    const messages = verdict === 'trusted' ? [] : reasons.map(({ message }) => message)
    all.push({ target, verdict, reasons: messages })
  }
  return all
}

/** A policy that is not in use is judged in place of the user’s own. */
async function policiesAround(file: EditableFile, edited: PolicySource, home: string) {
  const isInUse = file.path === join(home, TRUST_POLICY_NAME)
  const before = await readTrustPolicies(isInUse ? { home } : { trustPolicy: file.path, home }, new Ways())
  const isSystem = file.path === SYSTEM_TRUST_POLICY
  const isOf = ({ role }: PolicySource) =>
    role === (isInUse ? 'user' : 'given') || (isSystem && role === 'system')
  return { before, after: [...before.filter(source => !isOf(source)), edited] }
}
