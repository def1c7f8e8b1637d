// A reference → a verified bundle in a folder. It is written beside its place while it is read and judged, and named after its verdict.
import { join } from 'node:path'
import { besideBundle } from '../format/evidence/beside-bundle.ts'
import { joinAttestations } from '../format/evidence/join-lines.ts'
import { isNothing } from '../format/evidence/lines.ts'
import { writeMerged } from '../install/write-merged.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import type { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { bundleFileName } from '../pack/pack.ts'
import { provenOf } from '../trust/keyless/proven-of.ts'
import { type ExamineOptions, examine } from '../verify/examine.ts'
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
  readonly options: ExamineOptions
}

export type PullOutcome =
  | { readonly is: 'not-accepted'; readonly report: Report; readonly unread?: RlpError | undefined }
  | {
      readonly is: 'pulled'
      readonly report: Report
      /** Its name in the folder. */
      readonly name: string
      /** False if the same file was there. */
      readonly changed: boolean
    }

/** @throws RlpError USAGE for a reference without a tag, or one that implies no agent; EXISTS, NO_SPACE and the like; CANCELLED */
export async function pullBundle({ from, folder, label, force, options }: Pulling): Promise<PullOutcome> {
  const undo = await makeParents(folder)
  const stage = await Stage.in(folder, label)
  let isKept = false
  try {
    const through = (chunks: AsyncIterable<Uint8Array>) => stage.keep(chunks)
    const examined = await examine(from, { ...options, mustExpect: true, through }, 'parsed')
    const { report, bundle, agent } = examined.verification
    if (bundle === undefined || agent === undefined) {
      const { error } = examined.candidate.refusal ?? {}
      return { is: 'not-accepted', report, unread: error }
    }
    await writeMerged(stage.path, examined, label)
    const name = bundleFileName(agent)
    const changed = await stage.place(name, force)
    isKept = true
    await keepStatements(examined, join(folder, name), label, options.signal)
    return { is: 'pulled', report, name, changed }
  } finally {
    await stage.close()
    if (!isKept) await undo()
  }
}

/** Statements that it was judged with, and those that are attached to it, go into the file beside it, where every command looks. */
async function keepStatements(
  { candidate: { added }, trust }: Examination,
  path: string,
  label: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const came = [trust.attestations, added?.attestations]
  if (came.every(isNothing)) return
  const bytes = joinAttestations(provenOf(trust), ...came, await attestationsOf(path, undefined))
  await writeAtomic(besideBundle(path), bytes, { label, signal })
}
