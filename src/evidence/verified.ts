// Judges a bundle, and computes everything that a statement about it names from the bytes that passed. For a bundle that was just made it
// has to be sound; whether anybody trusts its signers is not asked.
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import { StreamSha256 } from '../io/bundle/bundle-bytes.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { Candidate, VerifiedBundle } from '../model/bundle.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Check, Report } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { isOciReference } from '../oci/scheme.ts'
import { bundleFileName } from '../pack/pack.ts'
import type { AttestedBundle } from '../statement/statement.ts'
import { examine, type Judging } from '../verify/examine.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { openLocks } from '../verify/open-locks.ts'
import { soundBundle, unsoundIn } from '../verify/sound.ts'

/** An accepted bundle. */
export interface Verified {
  readonly report: Report
  readonly bundle: VerifiedBundle
  readonly about: AttestedBundle
  readonly trust: TrustContext
  /** Of the bytes as they are stored. */
  readonly sha256: string | undefined
}

type Examined =
  | { readonly is: 'accepted'; readonly verified: Verified }
  | {
      readonly is: 'refused'
      readonly report: Report
      readonly unread?: RlpError | undefined
      /** Of the bytes as they are stored. */
      readonly sha256: string | undefined
    }

/** A bundle that is sound, with the verdict that it has. */
export interface Sound {
  readonly report: Report
  readonly agent: Agent
  readonly about: AttestedBundle
}

/** @throws RlpError USAGE, CANCELLED */
export async function examineFor(target: Target, options: Judging): Promise<Examined> {
  const { aboutAgent, verification, trust, sha256, unread } = await pass(target, {
    ...options,
    mustExpect: true,
  })
  const { report, bundle } = verification
  if (bundle === undefined) return { is: 'refused', report, unread, sha256 }
  const about = aboutAgent(bundle.agent)
  return { is: 'accepted', verified: { report, bundle, trust, about, sha256 } }
}

/**
 * A bundle that is sound and the one that was meant. Whether its signers are trusted changes only the word in its report: a policy that
 * demands a statement must not keep you from making it.
 * @throws NotVerifiedError for one that is not sound, not the agent that is expected, or not as the lock pins it; RlpError as reading does
 */
export async function examineSound(target: Target, options: Judging, doing: string): Promise<Sound> {
  const { aboutAgent, verification, unread } = await pass(target, { ...options, look: true })
  const { report, agent } = verification
  if (unread !== undefined) throw unread
  const wrong = unsoundIn(report) ?? missedIn(report)
  if (wrong !== undefined || agent === undefined) throw new NotVerifiedError(report, doing, wrong?.reasons[0])
  return { report, agent, about: aboutAgent(agent) }
}

export interface SoundHow {
  /** Locks that have to pin the bundle; absolute. */
  readonly locks?: readonly string[] | undefined
  /** What the file is called in the statement. */
  readonly named?: string
  /** Whether an identity signs the statement, which is then about the archive without its signatures. */
  readonly unsigned?: boolean
  /** For messages; `state the provenance of` where it is left out. */
  readonly doing?: string
}

/**
 * A bundle that was just made. No trust policy is asked.
 * @throws RlpError NOT_VERIFIED for a bundle that is not sound, or not as the lock pins it; LOCK_UNUSABLE; and as reading does
 */
export async function readSoundHere(
  { path, label }: Target,
  { signal, onProgress }: Pick<Setting, 'signal' | 'onProgress'>,
  how: SoundHow = {},
): Promise<Omit<Sound, 'report'>> {
  const { locks, named = path, unsigned = false, doing = 'state the provenance of' } = ownMembers(how)
  if (isOciReference(path))
    throw new UsageError(`Cannot ${doing} "${label}": it is stored already`, {
      hint: 'State it of the file, and rlp agent push takes it along',
    })
  const passed = new StreamSha256()
  const candidate = await readBundle(path, {
    keep: 'all',
    label,
    signal,
    onProgress,
    unsigned,
    through: chunks => passed.through(chunks),
  })
  const { report, outline } = await soundBundle(candidate, doing, signal, await openLocks(locks))
  refuseUnpinned(report, doing)
  const { agent } = outline
  return { agent, about: aboutRead(named, candidate, agent, passed, unsigned) }
}

function refuseUnpinned(report: Report, doing: string): void {
  const wrong = missedIn(report)
  if (wrong === undefined) return
  const code = wrong.result === 'undecided' ? 'LOCK_UNUSABLE' : 'NOT_VERIFIED'
  const [reason] = wrong.reasons
  throw new RlpError(code, `Cannot ${doing} "${report.target}": ${wrong.detail}`, {
    hint: reason?.hint ?? '',
  })
}

async function pass({ path, label, reference }: Target, options: Judging) {
  const passed = new StreamSha256()
  const { candidate, trust, verification } = await examine(
    path,
    {
      ...options,
      label,
      expect: options.expect ?? reference,
      through: chunks => passed.through(chunks),
    },
    'all',
  )
  const aboutAgent = (agent: Agent) => aboutRead(path, candidate, agent, passed, options.unsigned)
  return {
    verification,
    trust,
    sha256: passed.sha256,
    aboutAgent,
    unread: candidate.refusal?.error,
  }
}

/** The step that found another agent than the one that is expected, or than the lock pins. Without either it finds nothing. */
function missedIn({ checks }: Report): Check | undefined {
  return checks.find(({ step, reasons }) => step === 'expectation' && reasons.length > 0)
}

/** @param unsigned names the archive without its signatures, which an unpacked folder has as well */
function aboutRead(
  path: string,
  { form, unsignedSha256 }: Candidate,
  agent: Agent,
  passed: StreamSha256,
  unsigned: boolean | undefined,
): AttestedBundle {
  const manifest = agent.files.get(MANIFEST_FILE)
  if (manifest?.bytes === undefined || manifest.digest === undefined)
    throw new TypeError('an accepted bundle has a manifest')
  const name = isOciReference(path) || form === 'directory' ? bundleFileName(agent) : basename(path)
  const sha256 = unsigned ? unsignedSha256 : passed.sha256
  return {
    file: sha256 === undefined ? undefined : { name, sha256 },
    manifest: { blake3: manifest.digest, sha256: hash('sha256', manifest.bytes, 'hex') },
  }
}
