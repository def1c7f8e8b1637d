// A bundle → its verdict, and for one that is accepted everything that a statement about it names: computed from the bytes that passed.
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import type { AttestedBundle } from '../format/evidence/statement.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import type { Target } from '../io/find/find-agents.ts'
import { PassedBytes } from '../io/read/passed-bytes.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { VerifiedBundle } from '../model/bundle.ts'
import type { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { bundleFileName } from '../pack/pack.ts'
import { type ExamineOptions, examine } from '../verify/examine.ts'

/** An accepted bundle. */
export interface Verified {
  readonly report: Report
  readonly bundle: VerifiedBundle
  readonly about: AttestedBundle
  readonly trust: TrustContext
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

/** @throws RlpError USAGE, CANCELLED */
export async function examineFor(
  { path, label, reference }: Target,
  options: ExamineOptions,
): Promise<Examined> {
  const passed = new PassedBytes()
  const { candidate, trust, verification } = await examine(
    path,
    {
      ...options,
      label,
      mustExpect: true,
      expect: options.expect ?? reference,
      through: chunks => passed.through(chunks),
    },
    'all',
  )
  const { report, bundle } = verification
  const { sha256 } = passed
  if (bundle === undefined) {
    const { error } = candidate.refusal ?? {}
    return { is: 'refused', report, unread: error, sha256 }
  }
  const name = isOciReference(path) ? bundleFileName(bundle.agent) : basename(path)
  const file = sha256 === undefined ? undefined : { name, sha256 }
  return { is: 'accepted', verified: { report, bundle, trust, about: aboutBundle(bundle.agent, file) } }
}

export function aboutBundle({ files }: Agent, file: AttestedBundle['file']): AttestedBundle {
  const manifest = files.get(MANIFEST_FILE)
  if (manifest?.bytes === undefined || manifest.digest === undefined)
    throw new TypeError('an accepted bundle has a manifest')
  return { file, manifest: { blake3: manifest.digest, sha256: hash('sha256', manifest.bytes, 'hex') } }
}
