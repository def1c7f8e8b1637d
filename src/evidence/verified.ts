// A bundle → its verdict, and for one that is accepted, or that is sound, everything that a statement about it names: computed from the
// bytes that passed.
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { PassedBytes } from '../io/read/passed-bytes.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { Candidate, VerifiedBundle } from '../model/bundle.ts'
import type { RlpError } from '../model/error.ts'
import type { Check, Report } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { isOciReference } from '../oci/scheme.ts'
import { bundleFileName } from '../pack/pack.ts'
import type { AttestedBundle } from '../statement/statement.ts'
import { type ExamineOptions, examine } from '../verify/examine.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { unsoundIn } from '../verify/sound.ts'

/** An accepted bundle. */
export interface Verified {
  readonly report: Report
  readonly bundle: VerifiedBundle
  readonly about: AttestedBundle
  readonly trust: TrustContext
  /** Of the bytes as they are stored. */
  readonly sha256: string | undefined
}

export type Examined =
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
export async function examineFor(target: Target, options: ExamineOptions): Promise<Examined> {
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
export async function examineSound(target: Target, options: ExamineOptions, doing: string): Promise<Sound> {
  const { aboutAgent, verification, unread } = await pass(target, { ...options, look: true })
  const { report, agent } = verification
  if (unread !== undefined) throw unread
  const wrong = unsoundIn(report) ?? missedIn(report)
  if (wrong !== undefined || agent === undefined) throw new NotVerifiedError(report, doing, wrong?.reasons[0])
  return { report, agent, about: aboutAgent(agent) }
}

async function pass({ path, label, reference }: Target, options: ExamineOptions) {
  const passed = new PassedBytes()
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
  const { sha256 } = passed
  const stated = options.unsigned ? candidate.unsignedSha256 : sha256
  const aboutAgent = (agent: Agent) => aboutBundle(agent, statedFile(path, candidate, agent, stated))
  return { verification, trust, sha256, aboutAgent, unread: candidate.refusal?.error }
}

/** The step that found another agent than the one that is expected, or than the lock pins. Without either it finds nothing. */
export function missedIn({ checks }: Report): Check | undefined {
  return checks.find(({ step, reasons }) => step === 'expectation' && reasons.length > 0)
}

/** @param sha256 of the archive; an unpacked folder has none, but for that of the archive without signatures */
export function statedFile(
  path: string,
  { form }: Pick<Candidate, 'form'>,
  agent: Agent,
  sha256: string | undefined,
): AttestedBundle['file'] {
  const name = isOciReference(path) || form === 'directory' ? bundleFileName(agent) : basename(path)
  return sha256 === undefined ? undefined : { name, sha256 }
}

export function aboutBundle({ files }: Agent, file: AttestedBundle['file']): AttestedBundle {
  const manifest = files.get(MANIFEST_FILE)
  if (manifest?.bytes === undefined || manifest.digest === undefined)
    throw new TypeError('an accepted bundle has a manifest')
  return { file, manifest: { blake3: manifest.digest, sha256: hash('sha256', manifest.bytes, 'hex') } }
}
