// Writes the signatures of a bundle into files that other programs read: `rlp agent inspect --signature-bundle`.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeParents } from '../io/write/make-parents.ts'
import { writeResult } from '../io/write/new-files.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { bundleFileName } from '../pack/pack.ts'
import { readEnvelope } from '../signature/envelope.ts'
import { readAnchor } from '../signature/kinds/index.ts'
import { signatureBundles } from '../sigstore/sigstore-bundle.ts'
import type { SeenBundle } from './look-into.ts'

/** The answer of `rlp agent inspect --signature-bundle`. */
export interface WrittenSignatures {
  readonly report: Report
  readonly signatures: readonly {
    readonly file: string
    /** Anchor string of the key. */
    readonly signer: string
  }[]
  /** Whether one of the files was written: those with the same content stay. */
  readonly changed: boolean
}

interface Where {
  /** Absolute. */
  readonly folder: string
  readonly label: string
  readonly force: boolean
  readonly signal: AbortSignal
}

/**
 * One file for each signature, called after the bundle and the key: a signature that is added later changes no other file.
 * @throws RlpError NOT_VERIFIED for a bundle without signatures, or with one that is wrong; as `writeResult`
 */
export async function writeSignatureBundles(
  { report, agent }: SeenBundle,
  { folder, label, force, signal }: Where,
): Promise<WrittenSignatures> {
  const wrong = report.checks.find(({ step, result }) => step === 'signature' && result !== 'passed')
  const envelope = readEnvelope(agent?.files.get(SIGNATURE_FILE)?.bytes ?? new Uint8Array())
  if (agent === undefined || wrong !== undefined || !envelope.ok)
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot write the signatures of "${report.target}": ${wrong?.detail ?? report.reasons[0]?.message ?? 'it has no signatures'}`,
      { hint: 'Only signatures that are valid are written' },
    )
  const name = bundleFileName(agent).replace(/\.agent\.bundle$/, '')
  const files = signatureBundles(envelope.value).map(({ signer, text }) => {
    const file = `${name}.${keyPart(signer)}.sigstore.json`
    return { signer, text, path: join(folder, file), label: join(label, file) }
  })
  const signatures = files.map(({ signer, label }) => ({ file: label, signer }))
  const undo = await makeParents(folder)
  try {
    return { report, signatures, changed: await writeResult(files, { force, signal }) }
  } catch (error) {
    await undo()
    throw error
  }
}

/** Of a key, in signs that every file name may have. */
function keyPart(signer: string): string {
  const read = readAnchor(signer)
  if (!('key' in read)) throw new TypeError('a valid signature has a key')
  return createHash('sha256').update(read.key.bytes).digest('hex').slice(0, 16)
}
