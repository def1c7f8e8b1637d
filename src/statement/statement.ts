// What is attested about a bundle ↔ the bytes of an in-toto statement. One byte sequence is written for one statement; statements of other
// programs may be written otherwise, and are read as strictly as all JSON (docs/evidence.md).

import { parseJson } from '../json/parse.ts'
import type { AttestedStatement, AttestedSubject } from '../model/attestation.ts'
import { isTable, own } from '../model/own.ts'
import { type ReadStrictly, STATEMENT_TYPE, SUBJECT } from '../signature/envelope.ts'

/** What every statement of ours is about. Digests are lower-case hex. */
export interface AttestedBundle {
  /** The bundle's file; undefined for an unpacked folder, which is no sequence of bytes. */
  readonly file: { readonly name: string; readonly sha256: string } | undefined
  /** Of the raw bytes of `manifest.toml`. */
  readonly manifest: { readonly blake3: string; readonly sha256: string }
}

/** @param predicate in the order in which its members are to be written */
export function writeAttested(bundle: AttestedBundle, predicateType: string, predicate: object): Uint8Array {
  return writeAttestedText(bundle, predicateType, JSON.stringify(predicate))
}

/** @param predicate a JSON object, which stays as it is written: no number of it changes */
export function writeAttestedText(
  { file, manifest: { blake3, sha256 } }: AttestedBundle,
  predicateType: string,
  predicate: string,
): Uint8Array {
  const subject = [
    ...(file === undefined ? [] : [{ name: file.name, digest: { sha256: file.sha256 } }]),
    { name: SUBJECT, digest: { blake3, sha256 } },
  ]
  const head = JSON.stringify({ _type: STATEMENT_TYPE, subject, predicateType })
  return Buffer.from(`${head.slice(0, -1)},"predicate":${predicate}}`)
}

const MEMBERS = ['_type', 'subject', 'predicateType', 'predicate']
/** in-toto knows no limit; a statement about one bundle has two. */
const MOST_SUBJECTS = 1000

export function readAttested(payload: Uint8Array): ReadStrictly<AttestedStatement> {
  const parsed = parseJson('statement', payload)
  if (!parsed.ok) return bad(parsed.problem.message)
  const { value } = parsed.document
  if (!isTable(value)) return bad('it is not an object')
  const stray = Object.keys(value).find(member => !MEMBERS.includes(member))
  if (stray !== undefined) return bad(`a statement has no member ${JSON.stringify(stray.slice(0, 60))}`)
  const { _type, subject, predicateType, predicate = {} } = value as Record<string, unknown>
  if (_type !== STATEMENT_TYPE) return bad('it is not an in-toto statement, version 1')
  if (typeof predicateType !== 'string' || predicateType === '') return bad('it has no predicateType')
  if (!isTable(predicate)) return bad('its predicate is not an object')
  if (!Array.isArray(subject) || subject.length === 0) return bad('it has no subjects')
  if (subject.length > MOST_SUBJECTS) return bad(`it has more than ${MOST_SUBJECTS} subjects`)
  const subjects: AttestedSubject[] = []
  for (const one of subject as unknown[]) {
    const read = readSubject(one)
    if (read === undefined) return bad('a subject has no digests in hex')
    subjects.push(read)
  }
  return { ok: true, value: { predicateType, subjects, predicate } }
}

function readSubject(value: unknown): AttestedSubject | undefined {
  if (!isTable(value)) return undefined
  const { name = '', digest } = value as Record<string, unknown>
  if (typeof name !== 'string' || !isTable(digest)) return undefined
  const digests = Object.entries(digest)
  const isHex = (text: unknown) => typeof text === 'string' && /^[0-9a-f]+$/.test(text)
  if (digests.length === 0 || !digests.every(([, hex]) => isHex(hex))) return undefined
  return { name, digest: digest as Record<string, string> }
}

/** Whether one subject has both digests of a manifest. */
export function isAboutManifest(
  { subjects }: AttestedStatement,
  { blake3, sha256 }: AttestedBundle['manifest'],
): boolean {
  return subjects.some(({ digest }) => own(digest, 'blake3') === blake3 && own(digest, 'sha256') === sha256)
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
