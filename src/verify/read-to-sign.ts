// A bundle on disk → the one that is signed: read once, sound, and all that is demanded of it.

import { PassedBytes } from '../io/bundle/bundle-bytes.ts'
import { type ReadBundleOptions, readBundle } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import type { Candidate, SoundBundle } from '../model/bundle.ts'
import type { OnProgress } from '../model/progress.ts'
import { refuseAtOnce } from '../sign/refuse-at-once.ts'
import { manifestDigestOf } from '../version/reference.ts'
import { examine } from './examine.ts'
import { type RenewedUnder, refuseRenewing } from './renewable.ts'
import { soundBundle } from './sound.ts'
import { refuseUnexpected, refuseVague, type ToSign } from './to-sign.ts'
import { type TrustedOnly, trustedToSign } from './trusted-to-sign.ts'

type Passing = Pick<ReadBundleOptions, 'through'>

/** What a bundle has to be to be signed, beside sound. */
export interface Demands {
  readonly expect?: string | undefined
  readonly ifTrusted?: TrustedOnly | undefined
  /** Renew its signatures, unless this host revokes it or rolls it back. */
  readonly renewing?: RenewedUnder | undefined
  /** Sees what is signed before it is, and throws to prevent it. */
  readonly approve?: (bundle: ToSign) => Promise<void>
}

/** The bundle, when it is one that should be signed: read once, and held against all that is demanded of it. */
export async function readToSign(target: Target, io: Setting, demands: Demands): Promise<ReadToSign> {
  const { path, label } = target
  const { expect, ifTrusted, renewing, approve } = demands
  const passed = approve && new PassedBytes()
  const through = passed && { through: (chunks: AsyncIterable<Uint8Array>) => passed.through(chunks) }
  if (ifTrusted === undefined) {
    if (expect !== undefined) refuseVague(expect, label)
    const { outline: bundle, report } = await readAndLook(path, label, io, through, renewing)
    const identity = manifestDigestOf(report.identity ?? '')
    const shown = { label, report, agent: bundle.agent, sha256: passed?.sha256 }
    if (expect !== undefined) refuseUnexpected(expect, shown)
    await approve?.(shown)
    return { bundle, identity }
  }
  await refuseAtOnce(target)
  const { signal, onProgress } = io
  const read = { ...ifTrusted, ...through, label, signal, onProgress, expect }
  const { report, ...trusted } = trustedToSign(await examine(path, read, 'parsed'), ifTrusted)
  await approve?.({ label, report, agent: trusted.bundle.agent, sha256: passed?.sha256 })
  return trusted
}

interface ReadToSign {
  readonly bundle: SoundBundle
  readonly identity: string
  /** What was judged; undefined where nothing was. */
  readonly payload?: Uint8Array | undefined
}

export async function readSound(path: string, label: string, io: Setting): Promise<SoundBundle> {
  return (await readAndLook(path, label, io)).outline
}

async function readAndLook(
  path: string,
  label: string,
  io: Setting,
  passing: Passing = {},
  renewing?: RenewedUnder | undefined,
) {
  await refuseAtOnce({ path, label })
  const { signal, onProgress } = io
  const judging = { ...renewing, ...passing, label, signal, onProgress, expect: 'any' }
  const examined = renewing && (await examine(path, judging, 'parsed'))
  const candidate = examined?.candidate ?? (await readAsItIs(path, label, io, onProgress, passing))
  const looked = await soundBundle(candidate, 'sign', signal)
  if (examined !== undefined) refuseRenewing(examined)
  return looked
}

export function readAsItIs(
  path: string,
  label: string,
  io: Setting,
  onProgress?: OnProgress,
  passing: Passing = {},
): Promise<Candidate> {
  return readBundle(path, { ...passing, keep: 'parsed', signal: io.signal, label, onProgress })
}
