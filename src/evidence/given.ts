// What a caller of the library says of a statement: which bundle it is about, how that is judged, and who signs.
import { besideBundle } from '../format/evidence/beside-bundle.ts'
import { PREDICATES, type PredicateName } from '../format/evidence/predicates/index.ts'
import { type AttestedBundle, writeAttested } from '../format/evidence/statement.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { isUtcSecond } from '../format/signature/envelope.ts'
import type { Target } from '../io/find/find-agents.ts'
import { type LongOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/usage-error.ts'
import type { AttestationFile } from '../sign/lines-beside.ts'
import { type KeyGiven, signerGiven } from '../sign/sign-bundle.ts'
import type { ExamineOptions } from '../verify/examine.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { type TrustOptions, trustInput } from '../verify/trust-given.ts'
import { type Attested, attest } from './attest.ts'
import { examineFor, examineSound, type Sound, type Verified } from './verified.ts'

/** Who signs a statement, and where it goes. */
export interface AttestOptions extends Partial<KeyGiven> {
  /** Where the signed statement goes; with `key`, `<bundle>.intoto.jsonl` where this is left out. */
  readonly attest?: PathGiven
  /** When it was made, a UTC second; without it the statement says no time. */
  readonly time?: string
}

/** Which bundle a statement may be about. */
export interface PinOptions {
  /** A lock that the bundle has to be as pinned in (docs/lock.md). */
  readonly lock?: PathGiven
}

/** How the bundle is judged that a statement is about, and who signs it. */
export interface StateOptions extends LongOptions, TrustOptions, AttestOptions, PinOptions {
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
}

/** @throws NotVerifiedError; RlpError as reading and the options are */
export async function verifiedGiven(
  target: Target,
  options: StateOptions,
  doing: string,
  io: Setting,
): Promise<Verified> {
  refuseHalfGiven(options)
  const examined = await examineFor(target, judgedHow(options, io))
  if (examined.is === 'refused') throw examined.unread ?? new NotVerifiedError(examined.report, doing)
  return examined.verified
}

/** @throws NotVerifiedError; RlpError as reading and the options are */
export async function soundGiven(
  target: Target,
  options: StateOptions,
  doing: string,
  io: Setting,
): Promise<Sound> {
  refuseHalfGiven(options)
  return examineSound(target, judgedHow(options, io), doing)
}

function judgedHow(options: StateOptions, io: Setting): ExamineOptions {
  const { expect, lock } = options
  return {
    ...trustInput(options),
    ...{ signal: io.signal, onProgress: io.onProgress, expect },
    lock: lock === undefined ? undefined : pathGiven(lock, io, 'use lock'),
  }
}

/** @throws UsageError for options that need each other */
export function refuseHalfGiven({ key, attest: named, time }: AttestOptions): void {
  if (named !== undefined && key === undefined)
    throw new UsageError('Cannot attest: key is missing', { field: 'key', hint: 'Name a key' })
  refuseTime(time)
}

export function refuseTime(time: string | undefined): void {
  if (time === undefined || isUtcSecond(time)) return
  throw new UsageError(`Cannot use the time "${time}": it is not a UTC second`, {
    field: 'time',
    hint: 'Write for example 2026-11-20T00:00:00Z',
  })
}

/** Signs a statement into its file, if a key is named. */
export async function attestGiven(
  name: PredicateName,
  about: AttestedBundle,
  predicate: object,
  target: Target,
  { key, passphrase, attest: named }: AttestOptions,
  io: Setting,
): Promise<Attested | undefined> {
  if (key === undefined) return undefined
  const signer = await signerGiven({ key, passphrase }, io)
  const payload = writeAttested(about, PREDICATES[name].type, predicate)
  return attest(payload, signer, attestationFile(target, named, io), io)
}

/** @throws UsageError for a stored bundle: no file is beside it */
export function attestationFile({ path, label }: Target, named: PathGiven | undefined, io: Setting) {
  if (named !== undefined) return namedFile(named, io)
  if (!isOciReference(path)) return { path: besideBundle(path), label: besideBundle(label) }
  throw new UsageError(`Cannot attest beside "${label}": it is stored elsewhere`, {
    hint: 'Say with --attest which file the statement goes to',
  })
}

export function namedFile(named: PathGiven, io: Pick<Setting, 'cwd'>): AttestationFile {
  return { path: pathGiven(named, io, 'attest in'), label: String(named) }
}
