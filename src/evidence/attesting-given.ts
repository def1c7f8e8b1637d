// Who signs a statement, as a caller of the library says it, and where the statement goes.

import type { Target } from '../io/find/find-agents.ts'
import { type PathGiven, pathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { AttestationFile } from '../sign/attestation-file.ts'
import type { KeylessGiven } from '../sign/keyless/keyless.ts'
import { type KeyGiven, signerGiven } from '../sign/sign-bundle.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import { type Attesting, attestingByIdentity, attestingByKey } from './attest.ts'

/** Who signs a statement, and where it goes. */
export interface AttestOptions extends Partial<KeyGiven> {
  /**
   * Signs with an identity in place of a key. Identity and digest become public in a log, for ever. The statement is then about the archive
   * without signatures.
   */
  readonly keyless?: KeylessGiven
  /** Where the signed statement goes; `<bundle>.intoto.jsonl` where this is left out. */
  readonly attest?: PathGiven
  /** When it was made, a UTC second; without it the statement says no time. */
  readonly time?: string
}

/** @throws UsageError for options that need each other */
export function refuseHalfGiven(given: AttestOptions): void {
  const { key, keyless, attest: named, time } = given
  if (named !== undefined && key === undefined && keyless === undefined) throw keyNotGiven()
  for (const field of ['key', 'passphrase'] as const)
    if (keyless !== undefined && given[field] !== undefined)
      throw new UsageError(`Cannot attest with keyless and ${field}`, {
        field,
        hint: 'State it twice: once with the key, and once with keyless',
      })
  refuseTime(time)
}

export function keyNotGiven(): UsageError {
  return new UsageError('Cannot attest: key is missing', {
    field: 'key',
    hint: 'Name a key, or give keyless',
  })
}

/** @returns undefined without a signer */
export async function attestingGiven(
  { key, passphrase, keyless }: AttestOptions,
  io: Setting,
): Promise<Attesting | undefined> {
  if (keyless === undefined)
    return key === undefined ? undefined : attestingByKey(await signerGiven({ key, passphrase }, io))
  const { keylessGiven } = await import('../sign/keyless/keyless.ts')
  return attestingByIdentity(await keylessGiven(keyless, io))
}

export function refuseTime(time: string | undefined): void {
  if (time === undefined || isUtcSecond(time)) return
  throw new UsageError(`Cannot use the time "${time}": it is not a UTC second`, {
    field: 'time',
    hint: 'Write for example 2026-11-20T00:00:00Z',
  })
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
