// Reads the bundle that is signed, once, and refuses one that is not sound, not the expected one, or not trusted where that is demanded.
// What others signed becomes what this house signed, so nothing is waived here. A renewal gives an old bundle new life, so nothing is
// renewed that the policies and marks of this host revoke or roll back, or cannot decide about.
import { StreamSha256 } from '../io/bundle/bundle-bytes.ts'
import { type ReadBundleOptions, readBundle } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { Candidate, SoundBundle } from '../model/bundle.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import { refuseUnsignable } from '../sign/refuse-unsignable.ts'
import { asOf } from '../trust/usable-policy.ts'
import { floorsFor } from '../trust-policy/floors.ts'
import { expectationText, manifestDigestOf, meets, referenceText } from '../version/reference.ts'
import { examine } from './examine.ts'
import { expectationIn } from './expectation.ts'
import { behind, belowFloors } from './freshness.ts'
import type { Examination, JudgeOptions } from './judge-candidate.ts'
import { NotVerifiedError } from './make-report.ts'
import { revocationsOf } from './revocations.ts'
import { soundBundle } from './sound.ts'

/** What a bundle has to be to be signed, beside sound. */
export interface Demands {
  readonly expect?: string | undefined
  readonly ifTrusted?: TrustedOnly | undefined
  /** Renew its signatures, unless this host revokes it or rolls it back. */
  readonly renewing?: RenewedUnder | undefined
  /** Sees what is signed before it is, and throws to prevent it. */
  readonly approve?: ((bundle: ToSign) => Promise<void>) | undefined
}

/** The bundle, when it is one that should be signed: read once, and held against all that is demanded of it. */
export async function readToSign(target: Target, io: Setting, demands: Demands): Promise<ReadToSign> {
  const { path, label } = target
  const { expect, ifTrusted, renewing, approve } = demands
  const passed = approve && new StreamSha256()
  const through = passed && ((chunks: AsyncIterable<Uint8Array>) => passed.through(chunks))
  if (ifTrusted === undefined) {
    if (expect !== undefined) refuseVague(expect, label)
    const { outline: bundle, report } = await readAndLook(path, label, io, through, renewing)
    const identity = manifestDigestOf(report.identity ?? '')
    const shown = { label, report, agent: bundle.agent, sha256: passed?.sha256 }
    if (expect !== undefined) refuseUnexpected(expect, shown)
    await approve?.(shown)
    return { bundle, identity }
  }
  await refuseUnsignable(target)
  const { signal, onProgress } = io
  const read = { ...ifTrusted, through, label, signal, onProgress, expect }
  const { report, ...trusted } = trustedToSign(await examine(path, read, 'parsed'), ifTrusted)
  await approve?.({ label, report, agent: trusted.bundle.agent, sha256: passed?.sha256 })
  return trusted
}

interface ReadToSign {
  readonly bundle: SoundBundle
  readonly identity: string
  /** The statement that was judged, which is what is signed; undefined if nothing was judged. */
  readonly payload?: Uint8Array | undefined
}

export async function readSound(path: string, label: string, io: Setting): Promise<SoundBundle> {
  return (await readAndLook(path, label, io)).outline
}

async function readAndLook(
  path: string,
  label: string,
  io: Setting,
  through?: ReadBundleOptions['through'],
  renewing?: RenewedUnder,
) {
  await refuseUnsignable({ path, label })
  const { signal, onProgress } = io
  const judging = { ...renewing, through, label, signal, onProgress, expect: 'any' }
  const examined = renewing && (await examine(path, judging, 'parsed'))
  const candidate = examined?.candidate ?? (await readAsItIs(path, label, io, through))
  const looked = await soundBundle(candidate, 'sign', signal)
  if (examined !== undefined) refuseRenewing(examined)
  return looked
}

export function readAsItIs(
  path: string,
  label: string,
  { signal, onProgress }: Setting,
  through?: ReadBundleOptions['through'],
): Promise<Candidate> {
  return readBundle(path, { through, keep: 'parsed', signal, label, onProgress })
}

/** A stored bundle that was read whole and held against its digest, before it is signed. */
export interface ToSign {
  readonly label: string
  readonly report: Report
  /** With its contents. */
  readonly agent: Agent | undefined
  /** Of the bytes as they are stored; undefined for an unpacked bundle. */
  readonly sha256: string | undefined
}

/** @throws UsageError for an expectation that many bundles would meet */
export function refuseVague(expect: string, label: string): void {
  const meant = expectationIn(expect)
  const expected = meant === 'any' ? meant : ownMembers(meant)
  if (expected !== 'any' && (expected.identity !== undefined || expected.versions !== undefined)) return
  throw new UsageError(
    `Cannot sign "${label}": the expectation ${expect} says neither a version nor an identity`,
    {
      field: 'expect',
      hint: 'Write a name with a version or range, or blake3: and the identity that rlp agent inspect shows',
    },
  )
}

/** @throws RlpError NOT_VERIFIED */
export function refuseUnexpected(expect: string, { label, report }: Omit<ToSign, 'sha256'>): void {
  const expected = expectationIn(expect)
  const { agent, identity } = report
  if (
    expected === 'any' ||
    (agent !== null &&
      meets(
        { ...agent, manifestDigest: identity === null ? undefined : manifestDigestOf(identity) },
        expected,
      ))
  )
    return
  const found = agent === null ? 'another' : `${agent.name} ${agent.version}, ${identity}`
  throw new RlpError(
    'NOT_VERIFIED',
    `Cannot sign "${label}": expected ${expectationText(expected)}, found ${found}`,
    { hint: 'Look into it with rlp agent inspect' },
  )
}

/** Sign only what is trusted on this host: what the verdict depends on beside the bytes. */
export type TrustedOnly = Pick<JudgeOptions, 'home' | 'trustPolicy' | 'locks'>

export interface Trusted extends ReadToSign {
  readonly report: Report
}

/** @throws RlpError NOT_VERIFIED unless it is trusted, and something on this host says which version is meant; as reading fails */
export function trustedToSign(
  { candidate, expect, trust, verification: { report, agent, bundle, payload } }: Examination,
  { locks = [] }: TrustedOnly,
): Trusted {
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  if (report.verdict !== 'trusted' || !bundle || !agent || report.identity === null)
    throw new NotVerifiedError(report, 'sign')
  const isExact = expect !== 'any' && expect.identity !== undefined
  const isMarked = 'marks' in trust.marks && trust.marks.marks.length > 0
  const reference = report.agent === null ? '' : referenceText(report.agent)
  const hasFloor = trust.policies.some(({ policy }) => policy && floorsFor(policy, reference).length > 0)
  // Without any of them a store could hand out an old version that was trusted once, and have it signed anew.
  if (locks.length === 0 && !isExact && !isMarked && !hasFloor)
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot sign "${report.target}": it is trusted, and nothing on this host says which version of ${report.agent?.name} is the current one`,
      {
        hint: 'Look at it with rlp agent inspect, then expect blake3: and its identity, or name a lock that pins it. An agent that is installed here needs neither',
      },
    )
  const identity = manifestDigestOf(report.identity)
  return { bundle: { ...candidate, agent }, report, identity, payload }
}

/** What is asked of signing, as a caller names it. */
interface SigningOptions {
  readonly ifTrusted?: boolean | undefined
  readonly notAfter?: string | undefined
  readonly renew?: string | undefined
  readonly expect?: string | undefined
  readonly lock?: unknown
  readonly home?: unknown
  readonly trustPolicy?: unknown
}

/**
 * @param spelt how the caller writes an option: a program reads no flags
 * @throws UsageError for what would sign something else than was judged, and for what says something of a judgement that is not asked for
 */
export function refuseLooser(options: SigningOptions, spelt: (option: string) => string): void {
  const [ifTrusted, lock] = [spelt('ifTrusted'), spelt('lock')]
  if (options.ifTrusted !== true) {
    // A renewal is refused by policies and marks, too.
    const judging =
      options.renew === undefined ? (['lock', 'home', 'trustPolicy'] as const) : (['lock'] as const)
    const unused = judging.find(name => options[name] !== undefined)
    if (unused === undefined) return
    throw new UsageError(`Cannot use ${spelt(unused)} without ${ifTrusted}: signing alone judges nothing`, {
      field: unused,
      hint: `${ifTrusted} verifies first, and signs only what is trusted`,
    })
  }
  for (const option of (['notAfter', 'renew'] as const).filter(name => options[name] !== undefined))
    throw new UsageError(
      `Cannot use ${spelt(option)} with ${ifTrusted}: it would sign another statement than was judged`,
      { field: option, hint: 'Leave it out: what others have signed is signed as it is' },
    )
  if (options.expect === 'any')
    throw new UsageError(`Cannot use ${ifTrusted} where any agent is expected`, {
      field: 'expect',
      hint: `Name the agent with ${spelt('expect')}, or what was reviewed with ${lock}`,
    })
}

/** What decides whether a bundle may be renewed, beside its bytes. */
export type RenewedUnder = Pick<TrustedOnly, 'home' | 'trustPolicy'>

/** @throws RlpError NOT_VERIFIED for a bundle that is revoked or rolled back here, or if a policy or the marks cannot be relied upon */
function refuseRenewing(examined: Examination): void {
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
