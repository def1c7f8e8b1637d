// A reference → a verified bundle in a folder. It is written beside its place while it is read and judged, and named after its verdict.
import { join } from 'node:path'
import { writeMerged } from '../install/write-merged.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import type { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { bundleFileName } from '../pack/pack.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import { joinAttestations } from '../statement/join-lines.ts'
import { isNothing } from '../statement/lines.ts'
import { provenOf } from '../trust/keyless/proven-of.ts'
import { examine, type Judging } from '../verify/examine.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { Stage } from './stage.ts'

export interface Pulling {
  /** A reference; that of a layout with an absolute folder. */
  readonly from: string
  /** Absolute. */
  readonly folder: string
  readonly label: string
  /** Replace a file with other content. */
  readonly force: boolean
  readonly judging: Judging
}

export interface PulledBundle {
  /** The file, absolute. */
  readonly bundle: string
  /** False if the same file was there, with the same statements beside it. */
  readonly changed: boolean
  readonly report: Report
}

export type PullOutcome =
  | { readonly is: 'not-accepted'; readonly report: Report; readonly unread?: RlpError | undefined }
  | {
      readonly is: 'pulled'
      readonly pulled: PulledBundle
      /** Its name in the folder. */
      readonly name: string
      /** Whether the file was not there before. */
      readonly isNew: boolean
    }

/** @throws RlpError USAGE for a reference without a tag, or one that implies no agent; EXISTS, NO_SPACE and the like; CANCELLED */
export async function pullBundle({ from, folder, label, force, judging }: Pulling): Promise<PullOutcome> {
  const undo = await makeParents(folder)
  const stage = await Stage.in(folder, label)
  let isKept = false
  try {
    const through = (chunks: AsyncIterable<Uint8Array>) => stage.keep(chunks)
    const examined = await examine(from, { ...judging, mustExpect: true, through }, 'parsed')
    const { report, bundle, agent } = examined.verification
    if (bundle === undefined || agent === undefined) {
      const { error } = examined.candidate.refusal ?? {}
      return { is: 'not-accepted', report, unread: error }
    }
    await writeMerged(stage.path, examined, label)
    const name = bundleFileName(agent)
    const isNew = await stage.place(name, force)
    isKept = true
    const file = join(folder, name)
    const hasNewStatements = await keepStatements(examined, file, label, judging.signal)
    return { is: 'pulled', pulled: { bundle: file, changed: isNew || hasNewStatements, report }, name, isNew }
  } finally {
    await stage.close()
    if (!isKept) await undo()
  }
}

/**
 * Statements that it was judged with, and those that are attached to it, go into the file beside it, where every command looks.
 * @returns whether this file has others than before
 */
async function keepStatements(
  { candidate: { added }, trust }: Examination,
  path: string,
  label: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const came = [trust.attestations, added?.attestations]
  if (came.every(isNothing)) return false
  const before = await attestationsOf(path, undefined)
  const bytes = joinAttestations(provenOf(trust), ...came, before)
  await writeAtomic(besideBundle(path), bytes, { label, signal })
  return Buffer.compare(joinAttestations(before), bytes) !== 0
}
